from typing import Any

import numpy as np
import pytest

from reports.look import Look, NoLookError, take_look
from reports.pairing import pair_scores
from reports.sequential import decide
from reports.task_comparison import compare_task
from reports.tolerance import Tolerance
from reports.verdict import Verdict
from tests.reports.declared_runs import declaration, declared, drawn, task_run

BASE = task_run(drawn(0.9, 16, seed=1))


def _look(number: int, scores: np.ndarray, *, error_rate: float | None = None, **terms: Any) -> Look:
    what = declaration(**terms)
    run = task_run(scores[:, : what.plan.looks[number - 1]], "nvfp4", max_error_rate=error_rate)
    return take_look(what, number, BASE, declared(run, what))


@pytest.mark.parametrize(
    ("number", "chance", "verdict", "stops"),
    [
        pytest.param(1, 0.9, Verdict.INCONCLUSIVE, False, id="equal: too early to say"),
        pytest.param(1, 0.3, Verdict.REGRESSION, True, id="broken: at once"),
        pytest.param(2, 0.6, Verdict.REGRESSION, True, id="far worse: at the second"),
        pytest.param(3, 0.87, Verdict.INCONCLUSIVE, True, id="the last look ends it undecided"),
    ],
)
def test_a_look_decides_what_is_plain(number: int, chance: float, verdict: Verdict, stops: bool) -> None:
    look = _look(number, drawn(chance, 16, seed=2))
    assert (look.verdict, look.stops) == (verdict, stops)


def test_a_look_says_what_compare_says_afterwards() -> None:
    what = declaration()
    candidate = declared(task_run(drawn(0.8, 8, seed=4), "nvfp4"), what)
    look = take_look(what, 2, BASE, candidate)
    report = compare_task(
        BASE, candidate, tolerance=Tolerance(margin=0.05, source=""), confidence=0.95, allowed=()
    )
    assert report.analysis is not None
    assert (look.verdict, look.interval, look.reason) == (
        report.verdict,
        report.analysis.interval,
        report.reason,
    )


@pytest.mark.parametrize("futility", [True, False])
def test_futility_stops_a_run_that_sits_on_its_margin(futility: bool) -> None:
    scores = drawn(0.9, 16, seed=1)
    scores[: 30 // 2, ::8] = 0.0  # about the margin of 5 points lost
    look = _look(2, scores, futility=futility)
    assert look.verdict is Verdict.INCONCLUSIVE
    assert look.chances.is_futile
    assert (look.stops, look.is_futile) == (futility, futility)
    assert look.why.startswith("futile") is futility


def test_a_decision_in_json() -> None:
    found = _look(1, drawn(0.3, 16, seed=2)).as_dict()
    assert found["verdict"] == "regression" and found["stopped_early"] and found["stops"]
    assert (found["look"], found["epochs"], found["max_epochs"], found["epochs_saved"]) == (1, 4, 16, 12)
    assert found["critical_value"] == declaration().plan.critical_values[0]
    assert found["delta"]["low"] < found["delta"]["value"] < found["delta"]["high"]


def test_failed_responses_beyond_the_limit_use_up_no_look() -> None:
    scores = drawn(0.3, 16, seed=2)
    scores[0, 0] = np.nan
    with pytest.raises(NoLookError, match="look 1: candidate: 1 of 120 responses failed"):
        _look(1, scores)
    assert _look(1, scores, error_rate=0.05).verdict is Verdict.REGRESSION


def test_a_pass_that_missing_responses_could_turn_goes_on() -> None:
    scores = np.ones((30, 16))
    base = task_run(np.ones((30, 16)))
    what = declaration((8, 16), margin=0.05)
    whole = declared(task_run(scores[:, :8], "nvfp4"), what)
    assert take_look(what, 1, base, whole).verdict is Verdict.PASS
    scores[:12, :2] = np.nan
    holed = declared(task_run(scores[:, :8], "nvfp4", max_error_rate=0.5), what)
    look = take_look(what, 1, base, holed)
    assert look.verdict is Verdict.INCONCLUSIVE and not look.stops
    assert look.reason.startswith("missing:")


def test_a_run_that_lost_its_declaration_takes_no_look() -> None:
    with pytest.raises(NoLookError, match="declares no looks"):
        take_look(declaration(), 1, BASE, task_run(drawn(0.9, 4)))


@pytest.mark.parametrize("seed", range(4))
def test_a_look_decides_as_the_simulated_campaigns_do(seed: int) -> None:
    """The rule whose error and savings docs/early_stopping.md shows."""
    what, scores = declaration((4, 8, 16), futility=True), drawn(0.75, 16, seed=seed)
    for number, epochs in enumerate(what.plan.looks, start=1):
        run = task_run(scores[:, :epochs], "nvfp4")
        look = take_look(what, number, BASE, declared(run, what))
        simulated = decide(what.plan, number - 1, pair_scores(BASE.frame, run.frame), what.margin)
        assert (look.verdict, look.stops) == (simulated.verdict, simulated.stop)
        assert (look.interval.low, look.interval.high) == (simulated.interval.low, simulated.interval.high)
        if look.stops:
            break
