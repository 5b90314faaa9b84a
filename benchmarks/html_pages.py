"""Measure report.html on large runs: size, time to render, time to open in a browser where one is here.

Run: python -m benchmarks.html_pages [ITEMS]
"""

import gzip
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.simulated_report import SHAPES, Shape, simulated_report
from reports.html.report_page import render_html
from reports.json_report import render_json
from tests.reports.html.browser import CHROMIUM, Browser

N_OPENED = 5
# Milliseconds from the start of the navigation: first words on the screen, and all loaded.
_TIMES = """
(() => {
  const [page] = performance.getEntriesByType("navigation");
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return [paint ? paint.startTime : null, page.loadEventEnd];
})()
"""
_OPEN_ITEMS = """
new Promise((resolve) => {
  const start = performance.now();
  document.querySelector(".item-details").open = true;
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
})
"""
_SORT = """
new Promise((resolve) => {
  const start = performance.now();
  document.querySelector(".item-details thead button").click();
  requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
})
"""


def main() -> None:
    n_items = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    for epochs in (1, 4):
        shape = replace(SHAPES[3], task="large", n_items=n_items, epochs=epochs)
        _measure(f"{n_items:,} items x {epochs}", (shape,))
    _measure("five tasks at their own size", SHAPES)


def _measure(name: str, shapes: tuple[Shape, ...]) -> None:
    report = simulated_report(shapes=shapes)
    render_html(report)  # the first one pays for the plotting library
    start = time.process_time()
    page = render_html(report)
    spent = time.process_time() - start
    size, packed = len(page.encode()), len(gzip.compress(page.encode()))
    print(
        f"{name}: report.html {size / 1e6:.2f} MB ({packed / 1e6:.2f} gzipped), rendered in {spent:.2f} s of CPU;"
    )
    print(f"  report.json {len(render_json(report)) / 1e6:.2f} MB")
    if CHROMIUM is None:
        print("  no chromium here: not opened")
        return
    with TemporaryDirectory() as directory, Browser() as browser:
        path = Path(directory) / "report.html"
        path.write_text(page, encoding="utf-8")
        opened = [_opened(browser, path) for _ in range(N_OPENED)]
    paint, loaded, items, sort = (median(column) for column in zip(*opened, strict=True))
    print(
        f"  opened (median of {N_OPENED}): first paint {paint:.0f} ms, loaded {loaded:.0f} ms;"
        f" items shown {items:.0f} ms, sorted {sort:.0f} ms"
    )


def _opened(browser: Browser, path: Path) -> tuple[float, float, float, float]:
    browser.open(path)
    browser.wait_for(lambda: browser.evaluate(_TIMES)[0] is not None)
    paint, loaded = browser.evaluate(_TIMES)
    return paint, loaded, browser.evaluate(_OPEN_ITEMS), browser.evaluate(_SORT)


if __name__ == "__main__":
    main()
