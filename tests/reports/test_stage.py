import json
from typing import Any

import pytest

from reports.comparison import ComparisonSettings, compare
from reports.delta import delta_of
from reports.json_report import report_document
from reports.pairing import pair_scores
from reports.read_values import read_stage
from reports.report import TaskReport
from reports.sequential import plan_looks
from reports.stage import at_stage, stage_of, stage_of_pair
from reports.task_comparison import compare_task
from reports.terminal import render_terminal
from reports.tolerance import Tolerance
from reports.verdict import Verdict
from tests.reports.declared_runs import declaration, declared, drawn, task_run

MARGIN = Tolerance(margin=0.05, source="--margin")
BASE = task_run(drawn(0.9, 16, seed=1))


def _compared(n_epochs: int, *, chance: float = 0.9, confidence: float = 0.95, **more: Any) -> TaskReport:
    run = declared(task_run(drawn(chance, n_epochs, seed=2), "nvfp4"), declaration(), **more)
    return compare_task(BASE, run, tolerance=MARGIN, confidence=confidence, allowed=())


@pytest.mark.parametrize(
    ("epochs", "look", "at_look"),
    [
        pytest.param(2, 1, False, id="before the first: the first's"),
        pytest.param(4, 1, True, id="the first"),
        pytest.param(7, 1, False, id="between: the earlier one's, which is wider"),
        pytest.param(8, 2, True, id="the second"),
        pytest.param(16, 3, True, id="the last"),
        pytest.param(17, 3, False, id="beyond the last"),
    ],
)
def test_the_look_is_the_last_one_reached(epochs: int, look: int, at_look: bool) -> None:
    run = declared(task_run(drawn(0.9, epochs), "nvfp4"), declaration())
    stage = stage_of("candidate", run, 0.95)
    assert stage is not None
    assert (stage.look, stage.is_at_look, stage.is_early) == (look, at_look, epochs < 16)
    assert stage.critical_value == declaration().plan.critical_values[look - 1]


def test_a_run_without_looks_has_no_stage() -> None:
    assert stage_of("candidate", BASE, 0.95) is None
    assert stage_of_pair(BASE, BASE, 0.95) is None


def test_another_confidence_spends_another_error() -> None:
    run = declared(task_run(drawn(0.9, 8), "nvfp4"), declaration())
    stage = stage_of("candidate", run, 0.90)
    assert stage is not None
    assert stage.critical_value == plan_looks((4, 8, 16), error=0.05, baseline_epochs=16).critical_values[1]


def test_a_baseline_that_was_stopped_early_counts_too_and_the_wider_look_decides() -> None:
    early = declared(task_run(drawn(0.9, 4), "int4"), declaration())
    late = declared(task_run(drawn(0.9, 16), "nvfp4"), declaration())
    stage = stage_of_pair(early, late, 0.95)
    assert stage is not None and stage.side == "baseline" and stage.look == 1
    alone = stage_of_pair(early, BASE, 0.95)
    assert alone is not None and alone.side == "baseline"


def test_verdicts_are_taken_from_the_interval_of_the_look() -> None:
    early, plain = _compared(8), _compared(8, declared="x")
    assert early.analysis is not None and plain.analysis is not None
    pairing = pair_scores(BASE.frame, task_run(drawn(0.9, 8, seed=2), "nvfp4").frame)
    naive = delta_of(pairing)
    stage = early.stage
    assert stage is not None
    wide = at_stage(pairing, naive, stage)
    interval = early.analysis.interval
    assert interval.low == wide.interval.low < naive.interval.low
    assert interval.high == wide.interval.high > naive.interval.high
    assert (interval.confidence, interval.method) == (0.95, "mover-wilson+looks")
    assert early.analysis.delta.recovery is not None and naive.recovery is not None
    assert early.analysis.delta.recovery.interval.low < naive.recovery.interval.low
    # what no verdict is taken from stays at the confidence asked for
    assert early.analysis.delta.baseline.interval == naive.baseline.interval


@pytest.mark.parametrize(
    ("epochs", "more", "chance", "verdict", "words"),
    [
        pytest.param(4, {}, 0.9, Verdict.INCONCLUSIVE, "looks: number 1 of 3", id="go on"),
        pytest.param(16, {}, 0.86, Verdict.INCONCLUSIVE, "looks: undecided at the last of 3", id="the end"),
        pytest.param(
            4,
            {"taken": [{"stops": True}]},
            0.9,
            Verdict.INCONCLUSIVE,
            "looks: stopped as futile at look 1 of 3",
            id="futile",
        ),
        pytest.param(8, {}, 0.5, Verdict.REGRESSION, "the loss exceeds 0.05", id="decided"),
    ],
)
def test_the_reason_says_what_the_declaration_leaves_to_do(
    epochs: int, more: dict[str, Any], chance: float, verdict: Verdict, words: str
) -> None:
    report = _compared(epochs, chance=chance, **more)
    assert report.verdict is verdict
    assert words in report.reason


def test_an_early_estimate_is_labelled_as_biased() -> None:
    assert any("biased outward" in note for note in _compared(8).notes)
    assert not any("biased outward" in note for note in _compared(16).notes)
    assert any("are no declared look (4, 8, 16)" in note for note in _compared(9).notes)


def test_the_power_is_that_of_the_declared_epochs() -> None:
    report = _compared(4)
    assert report.analysis is not None
    assert report.analysis.plan.epochs.candidate == 16


def test_the_document_keeps_the_stage() -> None:
    report = _compared(8)
    document = json.loads(json.dumps(_document(report)))
    assert document["early_stopping"]["look"] == 2
    assert read_stage(document["early_stopping"]) == report.stage
    assert read_stage(None) is None


def _document(report: TaskReport) -> Any:
    from reports.report import Report

    whole = Report(
        verdict=report.verdict,
        confidence=0.95,
        baseline_label="int4",
        candidate_label="nvfp4",
        tasks=(report,),
    )
    return report_document(whole)["tasks"][0]


def test_logs_and_manifests_carry_the_looks_and_their_margin(tmp_path: Any, logs: Any) -> None:
    base = logs.run(tmp_path, logs.grid(30, 16), label="int4", epochs=16)
    sequential = declaration((4, 8), margin=0.07).as_dict()
    cand = logs.run(tmp_path, logs.grid(30, 4), label="nvfp4", epochs=4, sequential=sequential)
    for path in (cand, cand / "log.eval"):
        report = compare(base, path, ComparisonSettings())
        (task,) = report.tasks
        assert task.margin == 0.07 and task.margin_source == "declared before the first look"
        assert task.stage is not None and task.stage.look == 1
        text = " ".join(render_terminal(report).split())
        assert "run until decided, look 1 of 2 (4 of 8 epochs)" in text
    overruled = compare(base, cand, ComparisonSettings(tolerance=MARGIN))
    assert overruled.tasks[0].margin == 0.05
