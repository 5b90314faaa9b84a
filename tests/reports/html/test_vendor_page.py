"""The pages of vendor qualifications; their outlines are goldens: REWRITE_GOLDENS=1 pytest this file."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reports.html.vendors_page import page_link
from tests.reports.html.elements import elements, outline
from tests.reports.html.page_rules import (
    assert_accessible,
    assert_links_inside,
    assert_policy,
    assert_self_contained,
)
from tests.reports.html.test_hostile_text import HOSTILE
from tests.reports.html.vendor_pages import page_of, pages_of, three, vendor
from tests.reports.vendor_criteria import ERROR, criterion, report

PAGES = {
    "one": lambda: page_of(vendor()),
    "one that keeps everything": lambda: page_of(vendor(is_broken=False)),
    "one that answers nothing": lambda: page_of(report(criterion("endpoint", ERROR))),
    "none asked anything": lambda: page_of(report()),
    "three": three,
    "two alike": lambda: pages_of(vendor("a"), vendor("a")),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize(
    "holds",
    [assert_self_contained, assert_policy, assert_links_inside, assert_accessible],
    ids=["self-contained", "policy", "links", "accessible"],
)
def test_every_page(page: Callable[[], str], holds: Callable[[str], None]) -> None:
    holds(page())


@pytest.mark.parametrize("case", ["one", "three"])
def test_outline(golden: Callable[[str, str], None], case: str) -> None:
    golden(f"vendor_{case}.outline.txt", outline(PAGES[case]()))


def _text(page: str) -> str:
    return " ".join(elements(page)[0].text.split()).replace("\N{NO-BREAK SPACE}", " ")


def test_the_verdict_stands_on_top_and_each_criterion_with_figure_pass_line_and_evidence() -> None:
    text = _text(page_of(vendor()))
    places = [
        text.index(words)
        for words in (
            "vendor as generic",
            "NOT QUALIFIED",
            "2 of 8 criteria fail: tool_leak (1 more follow from it); 1 more could not be judged.",
            "DOES NOT APPLYimagesnothing to judge0 of 0all",
            "PASStrigger_f1trigger_f1 was seen 85.00 % [80.00, 90.00]80 %",
            "FOR INFORMATIONschema_accuracyschema_accuracy was seen 99.00 % [94.00, 100.00]-",
            "FAIL (ADVICE)leaks",
            "PASSaime25delta -0.6 98.00 % [93.00, 100.00]loss below 1.4 pp",
            "FAIL streamed: tokens in the content PASS plain: 4 replies with calls",
            "Follows from ittool_choice",
            "trigger precision93.75 % [92.04, 95.11]calls where the reference calls: 900 of 900 + 60",
            "Faulty calls by reason reasoncalls schema40 args_not_json8",
        )
    ]
    assert places == sorted(places)


def test_what_is_not_there_has_no_heading() -> None:
    text = _text(page_of(vendor(is_broken=False)))
    assert "Broken" not in text and "Not judged (" not in text and "For advice only" in text


def test_evidence_is_linked_where_it_lies(tmp_path: Path) -> None:
    assert "evidence.jsonl" not in page_of(vendor(), tmp_path)
    (tmp_path / "evidence.jsonl").write_text("")
    assert 'href="./evidence.jsonl"' in page_of(vendor(), tmp_path)


def test_links_lead_to_the_page_of_each_vendor(tmp_path: Path) -> None:
    page = tmp_path / "a b#c" / "report.html"
    assert page_link(page, tmp_path) is None
    page.parent.mkdir()
    page.write_text("")
    assert page_link(page, tmp_path) == "./a%20b%23c/report.html"
    assert page_link(page, tmp_path / "elsewhere") == "../a%20b%23c/report.html"
    assert page_link(Path("\0"), tmp_path) is None


def test_vendors_are_sorted_and_what_any_of_them_breaks_is_told_for_all() -> None:
    page = three()
    named = [e.text.strip() for e in elements(page) if e.name == "th" and e.attributes["scope"] == "row"]
    assert named[:3] == ["good", "broken", "dead"]
    assert "98.00\N{NO-BREAK SPACE}%" in page, "a benchmark is a column"
    text = _text(page)
    assert "1 OF 3 QUALIFIED Qualified: good ; incomplete: dead ; not qualified: broken ." in text
    assert "tool_leaktool_leak is kept.PASSFAIL-" in text
    assert "answersanswers is kept" not in text, "what all keep is not told again"


@pytest.fixture(scope="module")
def plain() -> list[list[str]]:
    return [[e.name for e in elements(page)] for page in (page_of(vendor()), three())]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:24]))
def test_hostile_text_is_shown_and_does_nothing(text: str, plain: list[list[str]]) -> None:
    for page, names in zip((page_of(vendor(text, text=text)), three(text)), plain, strict=True):
        page.encode()  # no lone surrogate
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u2028-\u202e\u2066-\u2069]", page)
        assert [e.name for e in elements(page)] == names
        assert_self_contained(page)
        assert len(page) < 300_000
