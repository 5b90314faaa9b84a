import numpy as np
import pytest

from reports.pairing import Pairing, pair_scores
from reports.sequential import (
    Spending,
    boundaries,
    conditional_power,
    crossing_probabilities,
    decide,
    information_fractions,
    plan_looks,
    spent,
)
from reports.verdict import Verdict
from tests.reports.score_rows import score_matrix, score_rows


def pair(base: list[str], cand: list[str]) -> Pairing:
    return pair_scores(score_rows(base), score_rows(cand))


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        pytest.param((2, 4, 6, 8), (4.333, 2.963, 2.359, 2.014), id="gpqa"),
        pytest.param((8, 16, 32, 64), (6.232, 4.333, 2.963, 1.969), id="doubling"),
        pytest.param((8,), (1.95996,), id="one look is the fixed design"),
    ],
)
def test_bounds(looks: tuple[int, ...], expected: tuple[float, ...]) -> None:
    assert plan_looks(looks).critical_values == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize("spending", Spending)
@pytest.mark.parametrize("error", [0.025, 0.05])
def test_error_is_spent_exactly(spending: Spending, error: float) -> None:
    fractions = [0.1, 0.35, 0.36, 0.8, 1.0]
    crossed = crossing_probabilities(fractions, boundaries(fractions, error, spending))
    assert crossed == pytest.approx([spent(t, error, spending) for t in fractions], abs=1e-8)
    assert crossed[-1] == pytest.approx(error)


def test_crossing_agrees_with_simulated_paths() -> None:
    fractions = [0.25, 0.5, 1.0]
    bounds = boundaries(fractions, 0.05, Spending.POCOCK)
    steps = np.random.default_rng(0).normal(size=(200_000, 3)) * np.sqrt(np.diff([0, *fractions]))
    scores = np.cumsum(steps, axis=1) / np.sqrt(fractions)
    assert np.mean((scores > bounds).any(axis=1)) == pytest.approx(0.05, abs=0.002)


def test_a_finished_baseline_is_known_from_the_first_look() -> None:
    assert information_fractions((8, 16, 32)) == pytest.approx([0.25, 0.5, 1])
    assert information_fractions((8, 16, 32), 32) == pytest.approx([0.4, 2 / 3, 1])
    early = plan_looks((8, 16, 32), baseline_epochs=32).critical_values[0]
    assert early < plan_looks((8, 16, 32)).critical_values[0]


@pytest.mark.parametrize("looks", [(), (1, 2), (4, 4), (8, 4)])
def test_looks_rise_from_two(looks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="looks"):
        plan_looks(looks)


@pytest.mark.parametrize("fractions", [[], [0.5, 0.5], [0.5, 1.2], [0.0, 1.0]])
def test_information_rises_to_one(fractions: list[float]) -> None:
    with pytest.raises(ValueError, match="information"):
        boundaries(fractions)


def test_an_early_look_decides_only_what_is_plain() -> None:
    plan = plan_looks((8, 16, 24, 32))
    equal = decide(plan, 0, pair(["1" * 8] * 30, ["1" * 8] * 30), 0.01)
    assert equal.verdict is Verdict.INCONCLUSIVE and not equal.stop
    broken = decide(plan, 0, pair(["1" * 8] * 30, ["10000000"] * 30), 0.01)
    assert broken.verdict is Verdict.REGRESSION and broken.stop
    assert "look 1 of 4" in broken.reason
    assert broken.interval.confidence == pytest.approx(1 - 2 * 7.37e-6, abs=1e-6)


def test_the_last_look_ends_it() -> None:
    plan = plan_looks((2, 4))
    found = decide(plan, 1, pair(["1100"] * 10, ["1010"] * 10), 0.05)
    assert found.verdict is Verdict.INCONCLUSIVE and found.stop
    assert (found.pass_chance, found.regression_chance) == (0, 0)


@pytest.mark.parametrize("futility", [True, False])
def test_futility_stops_what_sits_on_the_margin(futility: bool) -> None:
    base, cand = ["1" * 8] * 20 + ["1100" * 2] * 20, ["1" * 7 + "0"] * 20 + ["1100" * 2] * 20
    plan = plan_looks((4, 8, 16), futility=futility)
    found = decide(plan, 1, pair(base, cand), 0.0625)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.stop is futility
    assert max(found.pass_chance, found.regression_chance) < 0.1


def test_conditional_power() -> None:
    assert conditional_power(0.0, 0.5, 1.96) == pytest.approx(0.00279, abs=1e-4)
    assert conditional_power(5.0, 0.5, 1.96) > 0.999
    # on the boundary's own trend the chance is even
    assert conditional_power(1.96 * np.sqrt(0.5), 0.5, 1.96) == pytest.approx(0.5)


def test_campaign_holds_its_error_and_saves_epochs() -> None:
    """Equal margins lost: passes stay rare over all looks; a large loss stops early."""
    rng = np.random.default_rng(3)
    plan = plan_looks((4, 8, 16), futility=True)
    p = rng.uniform(0.5, 1, (60, 1))

    def run(loss: float) -> tuple[Verdict, int]:
        base, cand = rng.random((60, 16)) < p, rng.random((60, 16)) < p - loss
        for look, n in enumerate(plan.looks):
            decision = decide(
                plan, look, pair_scores(score_matrix(base[:, :n]), score_matrix(cand[:, :n])), 0.1
            )
            if decision.stop:
                return decision.verdict, n
        raise AssertionError("the last look always stops")

    at_margin, far = [run(0.1) for _ in range(60)], [run(0.4) for _ in range(20)]
    assert sum(verdict is Verdict.PASS for verdict, _ in at_margin) <= 5
    assert all(verdict is Verdict.REGRESSION for verdict, _ in far)
    assert np.mean([n for _, n in far]) < 9
