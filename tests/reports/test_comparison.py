import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reports.comparability import NotComparableError
from reports.comparison import ComparisonSettings, UnknownTaskError, compare
from reports.json_report import render_json
from reports.report import Report
from reports.task_comparison import _placed
from reports.tolerance import Tolerance
from reports.verdict import Verdict


def _margin(value: float) -> Tolerance:
    return Tolerance(margin=value, source="--margin")


def _csv(path: Path, rows: list[tuple[Any, ...]], header: str = "sample_id,epoch,score") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return path


def _scores(n_items: int, n_epochs: int, wrong: int = 0, header: str = "") -> list[tuple[Any, ...]]:
    """A grid whose first ``wrong`` epochs each miss one item."""
    return [
        (f"a{item}", epoch, int(not (epoch <= wrong and item == epoch % n_items)))
        for epoch in range(1, n_epochs + 1)
        for item in range(n_items)
    ]


def _compared(tmp_path: Path, baseline: Any, candidate: Any, **settings: Any) -> Report:
    paths = [_csv(tmp_path / "base.csv", baseline), _csv(tmp_path / "cand.csv", candidate)]
    return compare(*paths, ComparisonSettings(**settings))


@pytest.mark.parametrize(
    ("misses", "verdict"),
    [
        pytest.param(10, Verdict.PASS, id="10 misses pass"),
        pytest.param(11, Verdict.INCONCLUSIVE, id="11 do not"),
        pytest.param(32, Verdict.INCONCLUSIVE, id="32 do not fail yet"),
    ],
)
def test_the_published_aime_regime_at_one_point(tmp_path: Path, misses: int, verdict: Verdict) -> None:
    report = _compared(tmp_path, _scores(30, 32, 10), _scores(30, 32, misses), tolerance=_margin(0.01))
    assert report.verdict is verdict
    assert report.tasks[0].analysis is not None
    assert report.tasks[0].analysis.delta.baseline.accuracy == pytest.approx(0.98958, abs=1e-5)


def test_truncated_responses_are_scored_as_served_and_shown_apart(tmp_path: Path, logs: Any) -> None:
    cut = {(item, 1): "truncated" for item in range(5)}
    base = logs.run(tmp_path, logs.grid(10, 4), label="int4", epochs=4, expected=40)
    cand = logs.run(tmp_path, logs.grid(10, 4, cut), label="nvfp4", epochs=4, expected=40)
    (task,) = compare(base, cand, ComparisonSettings()).tasks
    assert task.analysis is not None and task.analysis.completed is not None
    assert task.analysis.delta.value == pytest.approx(-0.125)
    assert task.analysis.completed.delta.value == 0
    (signal,) = task.analysis.diagnosis.signals
    assert (signal.name, signal.delta.value) == ("truncated", pytest.approx(0.125))
    assert task.candidate.counts.truncated_rate == pytest.approx(0.125)


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [
        pytest.param(None, Verdict.INVALID, id="no error is allowed by default"),
        pytest.param(0.05, Verdict.INVALID, id="more than allowed"),
        pytest.param(0.1, Verdict.INCONCLUSIVE, id="allowed, yet it could turn the verdict"),
    ],
)
def test_errors_are_missing_and_never_zero(
    tmp_path: Path, logs: Any, limit: float | None, verdict: Verdict
) -> None:
    failed = {(item, 1): "error" for item in range(10)}
    base = logs.run(tmp_path, logs.grid(50, 2), label="int4", epochs=2, expected=100)
    cand = logs.run(tmp_path, logs.grid(50, 2, failed), label="nvfp4", epochs=2, expected=100)
    report = compare(base, cand, ComparisonSettings(tolerance=_margin(0.05), max_error_rate=limit))
    assert report.verdict is verdict
    assert report.tasks[0].analysis is not None
    assert report.tasks[0].analysis.delta.candidate.accuracy == 1.0
    assert report.tasks[0].candidate.counts.error_rate == pytest.approx(0.1)


def test_a_partial_run_states_its_coverage(tmp_path: Path, logs: Any) -> None:
    base = logs.run(tmp_path, logs.grid(4, 2), label="int4", expected=8)
    cand = logs.run(tmp_path, logs.grid(4, 2)[:6], label="nvfp4", expected=8)
    (task,) = compare(base, cand, ComparisonSettings()).tasks
    assert (task.candidate.counts.coverage, task.candidate.counts.missing) == (0.75, 2)


def test_differing_protocols_are_refused_with_both_values(tmp_path: Path, logs: Any) -> None:
    warm = logs.spec | {"sampling": {"temperature": 0.6, "top_p": 0.95}}
    base = logs.run(tmp_path, logs.grid(4, 2), label="int4")
    cand = logs.run(tmp_path, logs.grid(4, 2), label="nvfp4", fingerprint="f2", spec=warm)
    (task,) = compare(base, cand, ComparisonSettings()).tasks
    assert (task.verdict, task.analysis) == (Verdict.INVALID, None)
    assert "sampling.temperature: 1.0 against 0.6" in task.reason
    (allowed,) = compare(base, cand, ComparisonSettings(allow_mismatch=("temperature",))).tasks
    assert allowed.analysis is not None and allowed.mismatches[0].allowed


def test_of_several_runs_the_matching_pair_is_compared(tmp_path: Path, logs: Any) -> None:
    for key, fingerprint in (("k1", "f1"), ("k2", "f2")):
        logs.run(tmp_path, logs.grid(4, 2), label="int4", key=key, fingerprint=fingerprint)
    logs.run(tmp_path, logs.grid(4, 2), label="nvfp4", key="k9", fingerprint="f2")
    (task,) = compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings()).tasks
    assert task.baseline.facts.source.endswith("k2")


def test_several_matching_pairs_are_refused(tmp_path: Path, logs: Any) -> None:
    for label in ("int4", "nvfp4"):
        for key, fingerprint in (("k1", "f1"), ("k2", "f2")):
            logs.run(tmp_path, logs.grid(4, 2), label=label, key=key, fingerprint=fingerprint)
    with pytest.raises(NotComparableError, match=r"2 runs are here: .*k1.*k2"):
        compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings())


def test_other_items_are_invalid_and_named(tmp_path: Path) -> None:
    report = _compared(tmp_path, _scores(10, 2), [*_scores(8, 2), ("z", 1, 1)])
    (task,) = report.tasks
    assert task.verdict is Verdict.INVALID
    assert task.analysis is not None
    assert (task.analysis.delta.only_baseline, task.analysis.delta.only_candidate) == (("a8", "a9"), ("z",))


def test_no_common_item_is_invalid_without_numbers(tmp_path: Path) -> None:
    (task,) = _compared(tmp_path, [("a", 1, 1)], [("b", 1, 1)]).tasks
    assert (task.verdict, task.analysis) == (Verdict.INVALID, None)


def test_tasks_of_one_side_are_named_and_the_others_compared(tmp_path: Path, logs: Any) -> None:
    for task in ("aime25", "ocrbench"):
        logs.run(tmp_path, logs.grid(4, 2), label="int4", task=task)
    logs.run(tmp_path, logs.grid(4, 2), label="nvfp4", task="aime25")
    report = compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings())
    assert ([task.task for task in report.tasks], report.only_baseline) == (["aime25"], ("ocrbench",))


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        pytest.param("ocrbench", NotComparableError, "the candidate did not run it", id="on one side only"),
        pytest.param(
            "aime", UnknownTaskError, "'aime' is no task of these runs; they have aime25", id="unknown"
        ),
    ],
)
def test_tasks_asked_for_must_be_there(
    tmp_path: Path, logs: Any, asked: str, error: type[Exception], message: str
) -> None:
    for task in ("aime25", "ocrbench"):
        logs.run(tmp_path, logs.grid(4, 2), label="int4", task=task)
    logs.run(tmp_path, logs.grid(4, 2), label="nvfp4", task="aime25")
    with pytest.raises(error, match=message):
        compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings(tasks=(asked,)))


def test_a_score_file_takes_the_other_sides_task(tmp_path: Path, logs: Any) -> None:
    base = logs.run(tmp_path, logs.grid(4, 2), label="int4")
    cand = _csv(tmp_path / "cand.csv", _scores(4, 2))
    (task,) = compare(base, cand, ComparisonSettings()).tasks
    assert (task.task, task.margin) == ("aime25", 0.014)
    assert any("not checked" in note for note in task.notes)


@pytest.mark.parametrize(
    ("settings", "margin", "source"),
    [
        pytest.param({}, 0.014, "default for aime25", id="the task's own"),
        pytest.param({"tolerance": 0.02}, 0.02, "--margin", id="one for all"),
        pytest.param({"tolerance": 0.02, "tolerances": 0.03}, 0.03, "--margin", id="by task"),
    ],
)
def test_margins(settings: dict[str, Any], margin: float, source: str) -> None:
    filled = {name: _margin(value) for name, value in settings.items()}
    if "tolerances" in filled:
        filled["tolerances"] = {"aime25": filled["tolerances"]}
    found = ComparisonSettings(**filled).tolerance_of("aime25")
    assert (found.margin, found.source) == (margin, source)


def test_an_unknown_task_says_where_its_margin_comes_from() -> None:
    found = ComparisonSettings().tolerance_of("other")
    assert (found.margin, found.source) == (0.01, "default for a task without one of its own")


@pytest.mark.parametrize(
    ("floor", "wrong", "verdict"),
    [
        pytest.param(0.9, 0, Verdict.PASS, id="all recovered"),
        pytest.param(0.9, 15, Verdict.REGRESSION, id="half lost"),
        pytest.param(0.999, 0, Verdict.INCONCLUSIVE, id="a floor too near"),
    ],
)
def test_a_floor_on_recovery(tmp_path: Path, floor: float, wrong: int, verdict: Verdict) -> None:
    rule = Tolerance(min_recovery=floor, source="policy")
    lost = _scores(30, 32, 10) if not wrong else [(f"a{i}", e, i // wrong) for i in range(30) for e in (1, 2)]
    (task,) = _compared(tmp_path, _scores(30, 32, 10), lost, tolerance=rule).tasks
    assert task.verdict is verdict
    assert task.margin == pytest.approx((1 - floor) * 0.98958, abs=1e-5)
    assert task.reason.startswith("recovery: [")


def test_several_tasks_have_a_mean_delta_and_adjusted_p_values(tmp_path: Path, logs: Any) -> None:
    for label in ("int4", "nvfp4"):
        for task in ("aime25", "ocrbench"):
            logs.run(tmp_path, logs.grid(4, 2), label=label, task=task)
    report = compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings())
    assert report.pooled is not None and report.pooled.value == 0
    assert [task.worse_holm for task in report.tasks] == [1.0, 1.0]


def test_larger_budgets_are_a_line_of_their_own(tmp_path: Path, logs: Any) -> None:
    again = {"outcome": "truncated", "escalated_outcome": "correct", "escalated_score": 1.0}
    rows = [logs.summary(f"a{i}", e, **(again if i == 1 else {})) for i in (1, 2) for e in (1, 2)]
    base = logs.run(tmp_path, [logs.summary(f"a{i}", e) for i in (1, 2) for e in (1, 2)])
    cand = logs.run(tmp_path, rows, label="nvfp4")
    (task,) = compare(base, cand, ComparisonSettings()).tasks
    assert task.analysis is not None and task.analysis.escalated is not None
    assert (task.analysis.delta.value, task.analysis.escalated.delta.value) == (-0.5, 0.0)


def test_secondary_scores_are_compared_by_name(tmp_path: Path, logs: Any) -> None:
    for label, exact in (("int4", 1.0), ("nvfp4", 0.5)):
        rows = [
            logs.summary(f"a{i}", e, secondary={"exact": exact, label: 1}) for i in (1, 2) for e in (1, 2)
        ]
        logs.run(tmp_path, rows, label=label)
    (task,) = compare(tmp_path / "int4", tmp_path / "nvfp4", ComparisonSettings()).tasks
    assert task.analysis is not None
    assert {name: found.delta.value for name, found in task.analysis.secondary.items()} == {
        "exact": -0.5,
        "pass@2": 0.0,
    }


def test_the_document_is_strict_json_with_null_for_unknown(tmp_path: Path) -> None:
    report = _compared(tmp_path, [("a", 1, 0), ("b", 1, 0)], [("a", 1, 0), ("b", 1, 1)])
    text = render_json(report)
    document = json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} in the document"))
    (task,) = document["tasks"]
    assert task["recovery"] is None
    assert task["reasoning_tokens_ratio"] is None


def test_a_response_has_its_place_in_the_run_by_its_start_not_its_end() -> None:
    """Long responses are wrong more often and end late in any run: that is no drift."""
    finished, duration = [100.0, 20.0, 30.0], [95.0, 5.0, 5.0]
    frame = pd.DataFrame({"finished_at": finished, "duration_s": duration})
    assert _placed(frame)["position"].tolist() == [1, 2, 3]
    assert "position" not in _placed(frame.assign(duration_s=[1.0, float("nan"), 1.0]))
