"""The page in a headless browser: silent, offline, sorted by keyboard, whole on a phone and on paper."""

from pathlib import Path

import pytest

from tests.reports.html.browser import Browser

MMMU = "#task-4-items"


@pytest.fixture(scope="module")
def opened(browser: Browser, page: str, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page, encoding="utf-8")
    browser.prefer("light")
    browser.resize(1200, 900)
    browser.open(path)
    browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    browser.wait_for(
        lambda: browser.evaluate(f"document.querySelector('{MMMU} .status').textContent").startswith(
            "Showing"
        )
    )
    return browser


def _column(browser: Browser, place: int, table: str = MMMU) -> list[str]:
    cells = f"document.querySelectorAll('{table} tbody tr > :nth-child({place})')"
    found: list[str] = browser.evaluate(f"[...{cells}].map((cell) => cell.textContent)")
    return found


def _sorts(browser: Browser, table: str = MMMU) -> list[str | None]:
    headings = f"document.querySelectorAll('{table} thead tr:last-child th')"
    found: list[str | None] = browser.evaluate(f"[...{headings}].map((one) => one.getAttribute('aria-sort'))")
    return found


def _status(browser: Browser) -> str:
    return str(browser.evaluate(f"document.querySelector('{MMMU} .status').textContent"))


def _set(browser: Browser, name: str, value: str) -> None:
    browser.evaluate(
        f"(() => {{ const form = document.querySelector('{MMMU} form'); form.elements.{name}.value = '{value}';"
        " form.dispatchEvent(new Event('input')); })()"
    )


def test_the_console_is_silent_and_the_network_unused(opened: Browser) -> None:
    assert opened.complaints() == []
    assert opened.requested() == []


def test_the_script_draws_what_stood_there_before(opened: Browser, page: str) -> None:
    """Rows without a script and rows by the script are the same text."""
    drawn = opened.evaluate(
        f"[...document.querySelectorAll('{MMMU} tbody tr')].slice(0, 40).map((row) => row.innerHTML)"
    )
    assert len(drawn) == 40
    for row in drawn:
        assert row in page.replace("\n", "")


def test_columns_sort_by_keyboard_alone(opened: Browser) -> None:
    opened.evaluate(f"document.querySelector('{MMMU} thead tr:last-child button').focus()")
    assert _sorts(opened)[2] == "ascending"
    opened.press("Enter", text="\r")
    assert _sorts(opened)[:3] == ["ascending", None, None]
    assert _column(opened, 1) == sorted(_column(opened, 1))
    opened.press(" ", text=" ")
    assert _sorts(opened)[0] == "descending"
    assert _column(opened, 1) == sorted(_column(opened, 1), reverse=True)
    opened.press("Tab")
    opened.press("Tab")
    opened.press("Enter", text="\r")
    assert _sorts(opened)[:3] == [None, None, "ascending"]
    changes = [float(text) for text in _column(opened, 3)]
    assert changes == sorted(changes)
    outline = opened.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus must be seen"


def test_missing_values_come_last_either_way(opened: Browser) -> None:
    table = "#task-5-items"
    heading = (
        f"[...document.querySelectorAll('{table} thead button')].find((one) => one.textContent === 'tokens')"
    )
    place = opened.evaluate(
        f"[...document.querySelectorAll('{table} thead tr:last-child th')]"
        ".findIndex((one) => one.textContent === 'tokens') + 1"
    )
    for _ in range(2):
        opened.evaluate(f"{heading}.click()")
        opened.evaluate(f"document.querySelector('{table} [data-more=all]').click()")
        texts = _column(opened, place, table)
        missing = [at for at, text in enumerate(texts) if text == "-"]
        assert missing and missing == list(range(len(texts) - len(missing), len(texts)))


def test_rows_are_filtered_and_counted(opened: Browser) -> None:
    _set(opened, "show", "worse")
    assert all(text.startswith("-") for text in _column(opened, 3))
    _set(opened, "show", "truncated")
    rows = opened.evaluate(f"document.querySelectorAll('{MMMU} tbody tr').length")
    assert _status(opened).endswith("(of 173).") and f"Showing {rows} of {rows} item" in _status(opened)
    assert "truncated" in _column(opened, 8) + _column(opened, 4)
    _set(opened, "show", "all")
    _set(opened, "text", "MUSIC")
    assert set(_column(opened, 2)) == {"Music"}
    _set(opened, "text", "nothing is called this")
    assert _status(opened).startswith("Showing 0 of 0 items")
    _set(opened, "text", "")
    assert len(_column(opened, 1)) == 100
    opened.evaluate(f"document.querySelector('{MMMU} [data-more]').click()")
    assert len(_column(opened, 1)) == 173


@pytest.mark.parametrize("width", [320, 390, 768, 1200])
def test_the_page_is_never_wider_than_its_window(opened: Browser, width: int) -> None:
    opened.resize(width, 900)
    try:
        assert opened.evaluate("document.documentElement.scrollWidth") <= width
        shown = opened.evaluate(
            "[...document.querySelectorAll('#overview svg.plot')].map((one) => one.getBoundingClientRect().width > 0)"
        )
        assert shown == [width > 700, width <= 700]
    finally:
        opened.resize(1200, 900)


def test_dark_and_light_differ_and_pictures_follow(opened: Browser) -> None:
    seen = []
    for scheme in ("light", "dark"):
        opened.prefer(scheme)
        seen.append(
            opened.evaluate(
                "[getComputedStyle(document.body).backgroundColor,"
                " getComputedStyle(document.querySelector('svg.plot text')).fill]"
            )
        )
    opened.prefer("light")
    assert seen[0][0] == "rgb(255, 255, 255)"
    assert len({tuple(pair) for pair in seen}) == 2 and seen[0][1] != seen[1][1]


def test_paper_cuts_no_table_off(opened: Browser) -> None:
    opened.resize(956, 1200)  # A4 between its margins, at the third by which Chromium shrinks what is wide
    opened.prefer("light", media="print")
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    try:
        wide = (
            "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth + 1)"
        )
        assert opened.evaluate(f"{wide}.map((one) => one.getAttribute('aria-label'))") == []
    finally:
        opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false })")
        opened.prefer("light")
        opened.resize(1200, 900)


def test_paper_shows_what_is_folded_in_the_light_theme(opened: Browser, tmp_path: Path) -> None:
    opened.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false })")
    opened.prefer("dark", media="")
    opened.print_pdf(tmp_path / "page.pdf")
    opened.prefer("light")
    assert (tmp_path / "page.pdf").read_bytes().startswith(b"%PDF")
    assert opened.evaluate("document.querySelectorAll('details[open]').length") == 0, (
        "folded again after printing"
    )
