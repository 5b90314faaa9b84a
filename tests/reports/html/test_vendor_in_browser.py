"""The pages of vendors in a headless browser: silent, offline, whole on a phone, in the dark and on paper."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reports.html.browser import Browser
from tests.reports.html.test_hostile_text import HOSTILE
from tests.reports.html.vendor_pages import page_of, three, vendor

HOSTILE_TEXT = " ".join(HOSTILE[:-1])
PAGES = {
    "one": lambda: page_of(vendor()),
    "three": three,
    "hostile": lambda: page_of(vendor(HOSTILE_TEXT, text=HOSTILE_TEXT)),
    "three hostile": lambda: three(HOSTILE_TEXT),
}


@pytest.fixture(scope="module", params=PAGES)
def opened(
    request: pytest.FixtureRequest, browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(PAGES[request.param](), encoding="utf-8")
    browser.prefer("light")
    browser.resize(1200, 900)
    browser.open(path)
    browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    yield browser
    browser.prefer("light")


def test_the_console_is_silent_the_network_unused_and_no_text_runs(opened: Browser) -> None:
    assert opened.complaints() == []
    assert opened.requested() == []
    assert opened.evaluate("typeof window.hacked") == "undefined"
    assert opened.evaluate("document.querySelectorAll('img').length") == 0


@pytest.mark.parametrize("width", [320, 390, 768, 1200])
def test_the_page_is_never_wider_than_its_window(opened: Browser, width: int) -> None:
    opened.resize(width, 900)
    try:
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        shown = opened.evaluate(
            "[...document.querySelectorAll('svg.plot')].map((one) => one.getBoundingClientRect().width > 0)"
        )
        assert shown == [width > 700, width <= 700] * (len(shown) // 2) and shown
    finally:
        opened.resize(1200, 900)


def test_dark_and_light_differ_and_pictures_follow(opened: Browser) -> None:
    seen = []
    for scheme in ("light", "dark"):
        opened.prefer(scheme)
        seen.append(
            opened.evaluate(
                "[getComputedStyle(document.body).backgroundColor,"
                " getComputedStyle(document.querySelector('svg.plot text')).fill,"
                " getComputedStyle(document.querySelector('header .badge')).backgroundColor]"
            )
        )
    opened.prefer("light")
    assert seen[0][0] == "rgb(255, 255, 255)"
    assert all(light != dark for light, dark in zip(*seen, strict=True))


def test_links_are_reached_by_keyboard_and_the_focus_is_seen(opened: Browser) -> None:
    opened.evaluate("document.activeElement.blur()")
    opened.press("Tab")
    assert opened.evaluate("document.activeElement.textContent") == "Skip to the report"
    opened.press("Tab")
    assert opened.evaluate("document.activeElement.getAttribute('href')") in ("#criteria", "#table")
    assert opened.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_paper_shows_what_is_folded(opened: Browser, tmp_path: Path) -> None:
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false })")
    opened.prefer("dark", media="")
    opened.print_pdf(tmp_path / "page.pdf")
    opened.prefer("light")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert opened.evaluate("document.querySelectorAll('details[open]').length") == 0
