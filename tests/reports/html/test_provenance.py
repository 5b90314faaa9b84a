from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulated_report import SHAPES, simulated_report
from reports.comparability import Mismatch
from reports.html.provenance import FactTable, fact_tables, log_link
from reports.report import Report, TaskReport


@pytest.fixture(scope="module")
def report() -> Report:
    return simulated_report(shapes=SHAPES[:2], scale=0.1)


def _marks(table: FactTable) -> dict[str, str]:
    return {fact.name: fact.mark for fact in table.facts}


def _changed(task: TaskReport, **facts: Any) -> TaskReport:
    side = replace(task.candidate, facts=replace(task.candidate.facts, **facts))
    return replace(task, candidate=side)


def test_what_all_tasks_share_is_told_once(report: Report) -> None:
    shared, *own = fact_tables(report.tasks)
    assert shared.title == "all tasks" and [table.title for table in own] == ["aime25", "gpqa_diamond"]
    assert "endpoint: engine" in _marks(shared)
    assert all("log" in _marks(table) and "endpoint: engine" not in _marks(table) for table in own)


def test_differences_are_marked_but_for_those_of_any_two_runs(report: Report) -> None:
    marks = _marks(fact_tables(report.tasks)[0])
    assert marks["endpoint: kv_cache_dtype"] == "differs"
    assert marks["endpoint: engine"] == "" and marks["started"] == "" and marks["label"] == ""


@pytest.mark.parametrize(("allowed", "mark"), [(True, "allowed"), (False, "not comparable")])
def test_a_difference_of_protocol_says_what_became_of_it(report: Report, allowed: bool, mark: str) -> None:
    task = report.tasks[0]
    spec = {"comparable": {**task.candidate.facts.spec["comparable"], "temperature": 0.6}}
    mismatch = Mismatch(field="temperature", baseline=1.0, candidate=0.6, allowed=allowed)
    task = replace(_changed(task, spec=spec), mismatches=(mismatch,))
    [table] = fact_tables([task])
    assert _marks(table)["protocol: temperature"] == mark


def test_what_one_side_does_not_record_is_empty_and_differs(report: Report) -> None:
    [table] = fact_tables([_changed(report.tasks[0], spec={}, versions={}, endpoint={"model": "m"})])
    fact = next(fact for fact in table.facts if fact.name == "endpoint: engine")
    assert (fact.baseline, fact.candidate, fact.mark) == ("sglang", "", "differs")


@pytest.mark.parametrize(
    ("name", "link"),
    [
        pytest.param("runs/int4", "../runs/int4/", id="a directory"),
        pytest.param("a b#c?.csv", "../a%20b%23c%3F.csv", id="characters of a URL"),
        pytest.param("out/javascript:alert(1)", "./javascript%3Aalert%281%29", id="never a scheme"),
        pytest.param("not/there", None, id="no log, no link"),
        pytest.param("", None, id="no name"),
        pytest.param("null\x00byte", None, id="a name no file can have"),
    ],
)
def test_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, link: str | None) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "runs" / "int4").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    for file in ("a b#c?.csv", "out/javascript:alert(1)"):
        (tmp_path / file).write_text("")
    assert log_link(name, Path("out")) == link
