"""Text from logs that looks like markup, script, or tries to hide: shown, never run."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulated_report import SHAPES, simulated_report
from reports.comparability import Mismatch
from reports.html.inert import inert
from reports.html.report_page import render_html
from reports.json_report import render_json
from reports.report import Report
from tests.reports.html.browser import Browser
from tests.reports.html.elements import elements

HOSTILE = (
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "</script><script>window.hacked = 1</script>",
    "<!--<script>",
    "]]><svg onload=window.hacked=1>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:window.hacked=1",
    "$\\frac{1}{2}$ &amp; &#60;b&#62;",
    "abc\u202egpj.exe",
    "null\x00byte \x1b[31m\u2028line",
    "lone \ud800 surrogate",
    "مرحبا 你好 🦊",
    "long " * 20_000,
)


def hostile(text: str) -> Report:
    """A report with the text wherever a log or a command line could put it."""
    report = simulated_report(shapes=(SHAPES[1],), scale=0.05)
    task = report.tasks[0]

    def poisoned(side: Any) -> Any:
        facts = replace(
            side.facts,
            source=text,
            label=text,
            fingerprint=text,
            endpoint={text: text, "model": [text]},
            spec={"prompt": text},
            versions={"x": {"y": text}},
        )
        return replace(side, facts=facts)

    def spoilt(side: Any) -> Any:
        return replace(side, answer=text)

    items = tuple(
        replace(
            item,
            sample_id=f"{text}{at}",
            category=text,
            baseline=spoilt(item.baseline),
            candidate=spoilt(item.candidate),
        )
        for at, item in enumerate(task.items)
    )
    task = replace(
        task,
        task=text,
        reason=text,
        margin_source=text,
        notes=(text,),
        items=items,
        mismatches=(Mismatch(field=text, baseline=text, candidate=text, allowed=True),),
        baseline=poisoned(task.baseline),
        candidate=poisoned(task.candidate),
    )
    return replace(
        report,
        tasks=(task,),
        baseline_label=text,
        candidate_label=f"{text}!",
        only_baseline=(text,),
        notes=(text,),
    )


@pytest.fixture(scope="module")
def plain() -> list[str]:
    return [element.name for element in elements(render_html(hostile("plain")))]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text[:24]))
def test_hostile_text_is_shown_and_does_nothing(text: str, plain: list[str]) -> None:
    page = render_html(hostile(text))
    page.encode()  # no lone surrogate
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u2028-\u202e\u2066-\u2069]", page)
    found = elements(page)
    assert [e.name for e in found] == plain
    allowed = {"#", "."}
    assert all(e.attributes["href"][0] in allowed for e in found if e.name == "a")
    assert not [name for e in found for name in e.attributes if name.startswith("on")]
    data = json.loads(next(e.text for e in found if e.attributes.get("type") == "application/json"))
    assert data["rows"]
    assert len(page) < 3_000_000


@pytest.mark.parametrize("text", [HOSTILE[10]], ids=["surrogate"])
def test_report_json_holds_what_no_json_can(text: str) -> None:
    assert "lone \N{REPLACEMENT CHARACTER} surrogate" in render_json(hostile(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain ‐ مرحبا 你好", "plain ‐ مرحبا 你好", id="other scripts stay"),
        pytest.param("a\u202eb", "a⟨U+202E⟩b", id="right-to-left override"),
        pytest.param("a\x00b\x1b", "a⟨U+0000⟩b⟨U+001B⟩", id="controls"),
        pytest.param("a\ud800b", "a⟨U+D800⟩b", id="half a character"),
        pytest.param("a\u200b\ufeffb", "a⟨U+200B⟩⟨U+FEFF⟩b", id="nothing to see"),
        pytest.param("x" * 401, "x" * 400 + "… (401 characters)", id="long"),
        pytest.param("x" * 400, "x" * 400, id="just not long"),
    ],
)
def test_inert(text: str, shown: str) -> None:
    assert inert(text) == shown


def test_a_browser_runs_none_of_it(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render_html(hostile(" ".join(HOSTILE[:-1]))), encoding="utf-8")
    browser.resize(1200, 900)
    browser.open(path)
    browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    browser.wait_for(
        lambda: browser.evaluate("document.querySelector('.status').textContent").startswith("Showing")
    )
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.evaluate("document.documentElement.scrollWidth") <= 1200
    assert browser.complaints() == []
    assert browser.requested() == []
