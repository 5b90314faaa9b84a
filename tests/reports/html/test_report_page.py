"""What the page is made of; its outline is a golden: REWRITE_GOLDENS=1 pytest this file."""

import json
import re
from collections.abc import Callable
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulated_report import SHAPES, simulated_report
from reports.criteria import Criterion, Status
from reports.gate import GateReport
from reports.html.report_page import render_gate_html, render_html
from reports.policy import Policy
from reports.report import Report
from reports.report_reader import report_from_document
from reports.speed import Speed
from reports.verdict import Verdict
from tests.reports.html.elements import Element, elements, outline
from tests.reports.html.page_rules import (
    assert_accessible,
    assert_links_inside,
    assert_policy,
    assert_self_contained,
)

GOLDEN = Path(__file__).parents[2] / "golden"


def _golden(name: str) -> Report:
    report = report_from_document(json.loads((GOLDEN / f"compare_{name}.json").read_text())).report
    assert report is not None
    return report


def _named(page: str, name: str) -> list[Element]:
    return [element for element in elements(page) if element.name == name]


@pytest.mark.parametrize("case", ["aime", "mixed"])
def test_outline(golden: Callable[[str, str], None], case: str) -> None:
    golden(f"report_{case}.outline.txt", outline(render_html(_golden(case))))


def test_nothing_comes_from_elsewhere_and_nothing_but_our_script_runs(page: str) -> None:
    assert_self_contained(page)


def test_the_policy_allows_exactly_this_style_and_script(page: str) -> None:
    assert_policy(page)


def test_ids_are_unique_and_links_inside_lead_somewhere(page: str) -> None:
    assert_links_inside(page)


def test_tables_have_captions_and_scoped_headings_and_pictures_have_words(page: str) -> None:
    assert_accessible(page)
    plots = [e for e in _named(page, "svg") if e.attributes.get("class") == "plot"]
    assert len(plots) == 2 + 2 + 5  # two widths of the forest, epochs of two tasks, lengths of five


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [pytest.param(0, id="light"), pytest.param(1, id="dark")])
def test_contrast(theme: int) -> None:
    style = (files("reports.html") / "templates" / "report.css").read_text()
    colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", style.split(":root {")[theme + 1]))
    for ground in ("page", "surface"):
        for text in ("ink", "muted", "link", "baseline", "candidate", "pass", "regression", "inconclusive"):
            assert _contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert _contrast(colours["ink"], colours["mark"]) >= 4.5
    for badge in ("pass", "regression", "inconclusive", "invalid", "muted"):
        assert _contrast(colours["on-badge"], colours[badge]) >= 4.5, badge
    for mark in ("baseline", "candidate", "pass", "regression", "inconclusive", "invalid"):
        assert _contrast(colours[mark], colours["zone"]) >= 3, mark


def test_the_same_report_gives_the_same_page(simulated: Report, page: str) -> None:
    assert render_html(simulated) == page


def test_a_report_read_back_gives_the_same_page(simulated: Report, page: str) -> None:
    from reports.json_report import render_json

    found = report_from_document(json.loads(render_json(simulated))).report
    assert found is not None
    assert render_html(found) == page


def _one(**changes: Any) -> Report:
    shape = replace(SHAPES[1], **changes)
    return simulated_report(shapes=(shape,), scale=0.05)


def _without(report: Report, **changes: Any) -> Report:
    return replace(report, tasks=tuple(replace(task, **changes) for task in report.tasks))


@pytest.mark.parametrize(
    ("report", "said"),
    [
        pytest.param(lambda: _one(n_items=20), "1 item", id="one item"),
        pytest.param(lambda: _one(n_items=20, epochs=1), "One epoch a side", id="one item, one epoch"),
        pytest.param(lambda: _without(_one(), items=()), "holds no items", id="no items told"),
        pytest.param(
            lambda: _without(_one(), by_response_length=()), "Output tokens are not known", id="no tokens"
        ),
        pytest.param(lambda: _one(failed=70), "cannot be judged", id="too many failed: invalid"),
        pytest.param(lambda: _golden("mixed"), "not comparable", id="another protocol"),
        pytest.param(
            lambda: replace(_one(), baseline_label="k2", candidate_label="k2"),
            "k2 (candidate)",
            id="one label",
        ),
    ],
)
def test_reports_with_little_in_them(report: Callable[[], Report], said: str) -> None:
    page = render_html(report())
    assert said in page.replace("\N{NO-BREAK SPACE}", " ")
    elements(page)


@pytest.mark.parametrize(
    ("bound", "note"), [(False, "of all requests together"), (True, "the client set the pace")]
)
def test_speed_stands_beside_accuracy_where_it_is_known(simulated: Report, bound: bool, note: str) -> None:
    unknown = dict.fromkeys((field.name for field in fields(Speed)), None)
    speed = Speed(**unknown | {"output_throughput": 1234.5, "client_bound": bound})  # type: ignore[arg-type]
    task = simulated.tasks[0]
    one = replace(
        task, baseline=replace(task.baseline, speed=speed), candidate=replace(task.candidate, speed=speed)
    )
    assert "1,234 → 1,234" in (page := render_html(replace(simulated, tasks=(one,), verdict=one.verdict)))
    assert note in page


def test_a_gate_lists_its_requirements_what_is_not_met_first(simulated: Report) -> None:
    criteria = (
        Criterion(task="aime25", name="coverage", status=Status.MET, text="960 of 960"),
        Criterion(task="aime25", name="loss", status=Status.FAILED, text="<b>too much</b>"),
    )
    policy = Policy(path=Path("release.toml"), tasks={})
    for report in (simulated, None):  # a gate may have found nothing to compare
        page = render_gate_html(
            GateReport(policy=policy, verdict=Verdict.REGRESSION, criteria=criteria, report=report)
        )
        assert page.index("&lt;b&gt;too much") < page.index("960 of 960")
        assert "Gate release.toml" in page
        elements(page)


def test_links_lead_from_the_page_to_the_logs(tmp_path: Path, simulated: Report) -> None:
    log = tmp_path / "runs" / "a b#c"
    log.mkdir(parents=True)

    def moved(side: Any) -> Any:
        return replace(side, facts=replace(side.facts, source=str(log)))

    tasks = tuple(replace(task, candidate=moved(task.candidate)) for task in simulated.tasks)
    page = render_html(replace(simulated, tasks=tasks), directory=tmp_path / "compare")
    links = {e.attributes["href"] for e in _named(page, "a") if not e.attributes["href"].startswith("#")}
    assert links == {"../runs/a%20b%23c/"}
