import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reports.comparability import NotComparableError
from reports.comparison import ComparisonSettings, compare_sides
from reports.json_report import report_document
from reports.report import NoiseFloor, Report
from reports.run_files import TaskRun
from reports.verdict import Verdict
from tests.reports.declared_runs import task_run


def _chances(n_items: int = 60) -> np.ndarray:
    return np.random.default_rng(7).uniform(0.3, 1.0, (n_items, 1))


def _run(seed: int, label: str, *, epochs: int = 4, lower: float = 0.0, **facts: Any) -> TaskRun:
    scores = np.random.default_rng(seed).random((60, epochs)) < _chances() - lower
    return task_run(scores.astype(float), label, **facts)


def _a_a(first: TaskRun, second: TaskRun) -> Report:
    settings = ComparisonSettings(same_checkpoint=True)
    return compare_sides({"aime25": [first]}, {"aime25": [second]}, settings)


def test_two_runs_of_one_checkpoint_pass() -> None:
    report = _a_a(_run(1, "int4"), _run(2, "int4-b"))
    (task,) = report.tasks
    assert report.verdict is Verdict.PASS
    assert task.reason.startswith("noise floor: the runs differ by")
    assert "a-a: one checkpoint run twice" in report.notes[0]


def test_runs_that_differ_by_more_than_sampling_are_flagged() -> None:
    report = _a_a(_run(1, "int4"), _run(2, "int4-b", lower=0.2))
    assert report.verdict is Verdict.INVALID
    assert "not the same checkpoint, server or settings?" in report.tasks[0].reason


def test_it_has_no_direction() -> None:
    better = _a_a(_run(2, "int4-b", lower=0.2), _run(1, "int4"))
    assert better.verdict is Verdict.INVALID


def test_the_expected_spread_is_that_of_many_runs() -> None:
    reports = [_a_a(_run(seed, "int4"), _run(1000 + seed, "int4-b")) for seed in range(5)]
    floors = [report.tasks[0].noise_floor for report in reports]
    known = [floor for floor in floors if floor is not None]
    true = np.sqrt(2 * np.sum(_chances() * (1 - _chances())) / 4) / 60
    assert np.mean([floor.expected_error for floor in known]) == pytest.approx(true, rel=0.1)
    assert known[0].expected_spread == pytest.approx(1.96 * known[0].expected_error, rel=1e-3)


def test_flips_floor_is_the_disagreement_within_a_run() -> None:
    floor = _a_a(_run(1, "int4", epochs=16), _run(2, "int4-b", epochs=16)).tasks[0].noise_floor
    assert isinstance(floor, NoiseFloor) and floor.flip_rate_within is not None
    true = float(np.mean(2 * _chances() * (1 - _chances())))
    assert floor.flip_rate == pytest.approx(true, rel=0.1)
    assert floor.flip_rate_within == pytest.approx(true, rel=0.1)


def test_one_epoch_has_flips_but_none_within_a_run() -> None:
    (task,) = _a_a(_run(1, "int4", epochs=1), _run(2, "int4-b", epochs=1)).tasks
    assert task.noise_floor is not None and task.noise_floor.flip_rate_within is None
    assert any("floor for every comparison at one epoch" in note for note in task.notes)


def test_one_run_given_twice_says_nothing() -> None:
    with pytest.raises(NotComparableError, match="is both sides"):
        _a_a(_run(1, "int4"), _run(1, "int4"))


def test_a_copy_of_a_run_says_nothing_either() -> None:
    run = _run(1, "int4")
    timed = replace(run, frame=run.frame.assign(finished_at=np.arange(240.0)))
    copy = replace(timed, facts=replace(run.facts, source="elsewhere"))
    with pytest.raises(NotComparableError, match="are copies of one run"):
        _a_a(timed, copy)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        pytest.param({"endpoint": {"model": "b"}}, "endpoint model: a and b", id="another model"),
        pytest.param({"endpoint": {"model": "a"}}, None, id="the same"),
        pytest.param({}, None, id="not told"),
    ],
)
def test_endpoints_that_say_otherwise_are_named(second: dict[str, Any], words: str | None) -> None:
    (task,) = _a_a(_run(1, "int4", endpoint={"model": "a"}), _run(2, "int4-b", **second)).tasks
    named = [note for note in task.notes if note.startswith("endpoint")]
    assert named == [] if words is None else words in named[0]


@pytest.mark.parametrize(("other", "told"), [(0, True), (1, False)])
def test_equal_seeds_are_told(other: int, told: bool) -> None:
    runs = [_run(1, "int4"), _run(2, "int4-b")]
    first, second = (
        replace(run, frame=run.frame.assign(seed=np.arange(240) + shift))
        for run, shift in zip(runs, (0, other), strict=True)
    )
    notes = _a_a(first, second).tasks[0].notes
    assert any("sent the same seeds" in note for note in notes) is told


def test_several_tasks_allow_for_each_other() -> None:
    first = {name: [_run(seed, "int4")] for seed, name in enumerate("abcd")}
    second = {name: [_run(50 + seed, "int4-b")] for seed, name in enumerate("abcd")}
    for runs in (first, second):
        for name, (run,) in list(runs.items()):
            runs[name] = [
                replace(run, facts=replace(run.facts, task=name, source=f"{name}/{run.facts.label}"))
            ]
    report = compare_sides(first, second, ComparisonSettings(same_checkpoint=True))
    assert report.verdict is Verdict.PASS and len(report.tasks) == 4


def test_the_document_has_the_floor_and_none_without() -> None:
    document = json.loads(json.dumps(report_document(_a_a(_run(1, "int4"), _run(2, "int4-b")))))
    assert document["tasks"][0]["noise_floor"]["flip_rate"] > 0
    plain = compare_sides(
        {"aime25": [_run(1, "int4")]}, {"aime25": [_run(2, "int4-b")]}, ComparisonSettings()
    )
    assert report_document(plain)["tasks"][0]["noise_floor"] is None


def test_what_cannot_be_compared_stays_so() -> None:
    spec = {"dataset": {"content_hash": "d1"}}
    first = _run(1, "int4", fingerprint="f1", spec=spec | {"max_tokens": 1})
    second = _run(2, "int4-b", fingerprint="f2", spec=spec | {"max_tokens": 2})
    (task,) = _a_a(first, second).tasks
    assert task.verdict is Verdict.INVALID and task.reason.startswith("not comparable")
    assert task.noise_floor is None
