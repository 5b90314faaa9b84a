import numpy as np
import pytest

from reports.delta import paired_delta
from reports.intervals import Interval
from reports.verdict import Verdict, judge, judge_delta, judge_recovery
from tests.reports.score_rows import score_matrix, score_rows, spread_misses

PASS, REGRESSION, INCONCLUSIVE = Verdict.PASS, Verdict.REGRESSION, Verdict.INCONCLUSIVE


def interval(low: float, high: float) -> Interval:
    return Interval(low=low, high=high, confidence=0.95, method="m")


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        pytest.param(-0.009, 0.02, PASS, id="the worst plausible loss is tolerated"),
        pytest.param(-0.009, -0.001, PASS, id="lower, but tolerated"),
        pytest.param(-0.03, -0.011, REGRESSION, id="the best plausible loss is not tolerated"),
        pytest.param(-0.03, 0.02, INCONCLUSIVE, id="both plausible"),
        pytest.param(-0.01, 0.02, INCONCLUSIVE, id="exactly the margin is not ruled out"),
        pytest.param(-0.03, -0.01, INCONCLUSIVE, id="exactly the margin is not exceeded"),
    ],
)
def test_margin_of_one_point(low: float, high: float, verdict: Verdict) -> None:
    assert judge(interval(low, high), 0.01) is verdict


@pytest.mark.parametrize("margin", [-0.01, 1, 1.5, float("nan"), float("inf")])
def test_margin_is_a_fraction(margin: float) -> None:
    with pytest.raises(ValueError, match=r"margin: .*one point is 0\.01"):
        judge(interval(-0.1, 0.1), margin)


@pytest.mark.parametrize(
    ("misses", "verdict"),
    [
        *[pytest.param(n, PASS, id=f"{n} misses pass") for n in (0, 5, 10)],
        *[pytest.param(n, INCONCLUSIVE, id=f"{n} misses are undecided") for n in (11, 22, 32)],
        *[pytest.param(n, REGRESSION, id=f"{n} misses are a regression") for n in (33, 60)],
    ],
)
def test_aime_with_950_of_960(misses: int, verdict: Verdict) -> None:
    """30 items, 32 epochs, baseline 950 of 960, margin one point, misses spread over items."""
    delta = paired_delta(score_rows(spread_misses(30, 32, 10)), score_rows(spread_misses(30, 32, misses)))
    assert judge_delta(delta, 0.01).verdict is verdict


def test_ten_misses_just_pass() -> None:
    delta = paired_delta(score_rows(spread_misses(30, 32, 10)), score_rows(spread_misses(30, 32, 10)))
    assert delta.interval.low == pytest.approx(-0.0099, abs=1e-4)
    assert delta.interval.high == pytest.approx(0.0099, abs=1e-4)


def test_33_misses_just_fail() -> None:
    delta = paired_delta(score_rows(spread_misses(30, 32, 10)), score_rows(spread_misses(30, 32, 33)))
    assert delta.interval.low == pytest.approx(-0.0383, abs=3e-4)
    assert delta.interval.high == pytest.approx(-0.0109, abs=2e-4)


@pytest.mark.parametrize("misses", [21, 22])
def test_22_misses_are_also_significantly_lower(misses: int) -> None:
    delta = paired_delta(score_rows(spread_misses(30, 32, 10)), score_rows(spread_misses(30, 32, misses)))
    assert (delta.interval.high < 0) is (misses == 22)


def test_a_pass_below_zero_is_marked() -> None:
    delta = paired_delta(score_rows(spread_misses(30, 32, 0)), score_rows(spread_misses(30, 32, 20)))
    found = judge_delta(delta, 0.05)
    assert found.verdict is PASS and found.is_significantly_lower
    assert "significantly lower" in found.reason


def test_a_floor_on_30_questions_decides_nothing() -> None:
    """Runs of one build: 25, 28, 28 and 25 right of 30; four epochs against a like baseline."""
    rows = ["1" * 4] * 25 + ["0110"] * 3 + ["0" * 4] * 2
    delta = paired_delta(score_rows(rows), score_rows(rows))
    assert judge_delta(delta, 0.014).verdict is INCONCLUSIVE


@pytest.mark.parametrize(
    ("margin", "verdict", "said"),
    [
        pytest.param(0.014, INCONCLUSIVE, "missing: pass on the responses scored", id="could turn it"),
        pytest.param(0.5, PASS, "ruled out", id="cannot turn it"),
    ],
)
def test_missing_responses_that_could_turn_the_verdict(margin: float, verdict: Verdict, said: str) -> None:
    base = score_rows(["1" * 32] * 30)
    cand = score_rows(["1" * 32] * 25 + ["1" * 28 + "." * 4] * 5)
    found = judge_delta(paired_delta(base, cand), margin)
    assert found.verdict is verdict and said in found.reason
    assert found.sensitivity is not None
    assert found.sensitivity.baseline_wrong is PASS


def test_missing_in_the_baseline_could_excuse_a_regression() -> None:
    base = score_rows(["1" * 32] * 24 + ["1" * 16 + "." * 16] * 6)
    cand = score_rows(["1" * 30 + "00"] * 30)
    found = judge_delta(paired_delta(base, cand), 0.03)
    assert found.verdict is INCONCLUSIVE
    assert found.sensitivity is not None and found.sensitivity.candidate_wrong is REGRESSION


def test_an_item_one_side_never_answered_is_missing_too() -> None:
    base = score_rows(["1111"] * 40)
    delta = paired_delta(base, base.query("sample_id != 'item-3'"))
    assert delta.if_candidate_missing_wrong is not None and delta.if_baseline_missing_wrong is None
    assert delta.if_candidate_missing_wrong.high < 0.01


def test_complete_runs_have_no_sensitivity() -> None:
    table = score_rows(["11"] * 5)
    assert judge_delta(paired_delta(table, table), 0.3).sensitivity is None


@pytest.mark.parametrize(
    ("shared", "verdict"),
    [
        pytest.param(19, INCONCLUSIVE, id="95 percent shared is enough"),
        pytest.param(18, Verdict.INVALID, id="fewer is another exam"),
    ],
)
def test_other_item_sets(shared: int, verdict: Verdict) -> None:
    base = score_rows(["1111"] * 20)
    kept = [f"item-{i}" for i in range(shared)]
    found = judge_delta(paired_delta(base, base[base["sample_id"].isin(kept)]), 0.05)
    assert found.verdict is verdict


def test_another_interval_may_be_judged() -> None:
    table = score_rows(["1" * 32] * 30)
    found = judge_delta(paired_delta(table, table), 0.01, interval=interval(-0.2, 0.2))
    assert found.verdict is INCONCLUSIVE and "-0.2000" in found.reason


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        pytest.param(0.991, 1.01, PASS, id="recovers"),
        pytest.param(0.9, 0.98, REGRESSION, id="does not"),
        pytest.param(0.98, 1.0, INCONCLUSIVE, id="may"),
        pytest.param(0.995, float("inf"), PASS, id="no upper end"),
    ],
)
def test_recovery_floor(low: float, high: float, verdict: Verdict) -> None:
    assert judge_recovery(interval(low, high), 0.99) is verdict


def test_recovery_floor_is_a_ratio() -> None:
    with pytest.raises(ValueError, match=r"recovery floor: 99"):
        judge_recovery(interval(0.9, 1.0), 99)


def test_equal_checkpoints_are_rarely_failed_and_a_loss_of_the_margin_rarely_passes() -> None:
    rng = np.random.default_rng(11)
    p = np.array([0.7, 0.9, 0.95, *[0.999] * 27])[:, None]
    verdicts = {
        loss: [
            judge_delta(
                paired_delta(
                    score_matrix(rng.random((30, 8)) < p),
                    score_matrix(rng.random((30, 8)) < np.clip(p - loss, 0, 1)),
                ),
                0.05,
            ).verdict
            for _ in range(30)
        ]
        for loss in (0.0, 0.05)
    }
    assert verdicts[0.0].count(REGRESSION) == 0
    assert verdicts[0.05].count(PASS) <= 4  # one expected at 2.5 %
