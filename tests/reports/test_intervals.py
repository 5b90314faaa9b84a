import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.intervals import (
    Interval,
    critical_value,
    mover_difference,
    mover_ratio,
    scaled_tango,
    shrunk_correlation,
    tango,
    wilson,
)

Z = critical_value(0.95)
counts = st.integers(1, 3000)
shares = st.floats(0, 1)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        pytest.param(0.5, 0.5, id="no width is no certainty"),
        pytest.param(0.6, 0.5, id="ends swapped"),
        pytest.param(math.nan, 0.5, id="not a number"),
        pytest.param(0.1, math.nan, id="not a number above"),
    ],
)
def test_refuses_an_interval_that_is_none(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="expected low < high"):
        Interval(low=low, high=high, confidence=0.95, method="m")


def test_union_holds_both() -> None:
    one = Interval(low=-0.2, high=0.1, confidence=0.95, method="a")
    other = Interval(low=-0.1, high=0.3, confidence=0.95, method="b")
    assert one.union(other, "c") == Interval(low=-0.2, high=0.3, confidence=0.95, method="c")
    assert one.width == pytest.approx(0.3)


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.1, math.nan])
def test_confidence_is_a_fraction(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        critical_value(confidence)


@given(p=shares, n=st.floats(0.5, 1e6), z=st.floats(0.5, 6))
def test_wilson_holds_its_estimate_and_stays_in_range(p: float, n: float, z: float) -> None:
    low, high = wilson(p, n, z)
    assert 0 <= low <= p <= high <= 1
    assert low < high


@given(x=counts, n=counts)
def test_wilson_mirrors(x: int, n: int) -> None:
    p = min(x, n) / n
    assert wilson(1 - p, n, Z).low == pytest.approx(1 - wilson(p, n, Z).high, abs=1e-12)


@given(pc=shares, pb=shares, nc=counts, nb=counts, rho=st.floats(0, 0.99))
def test_difference_negates_when_sides_swap(pc: float, pb: float, nc: int, nb: int, rho: float) -> None:
    c, b = wilson(pc, nc, Z), wilson(pb, nb, Z)
    low, high = mover_difference(pc, c, pb, b, rho)
    swapped = mover_difference(pb, b, pc, c, rho)
    assert (-swapped.high, -swapped.low) == (pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12))
    assert -1 <= low <= pc - pb <= high <= 1
    assert low < high


@given(pc=st.floats(0.01, 1), pb=st.floats(0.01, 1), nc=counts, nb=counts)
def test_ratio_inverts_when_sides_swap(pc: float, pb: float, nc: int, nb: int) -> None:
    c, b = wilson(pc, nc, Z), wilson(pb, nb, Z)
    low, high = mover_ratio(pc, c, pb, b)
    swapped = mover_ratio(pb, b, pc, c)
    assert swapped.high * low == pytest.approx(1, rel=1e-9)
    assert low <= pc / pb <= high


def test_ratio_to_a_baseline_that_may_be_nothing_has_no_upper_end() -> None:
    c, b = wilson(0.5, 10, Z), wilson(0.0, 10, Z)
    low, high = mover_ratio(0.5, c, 1e-9, b)
    assert high == math.inf
    assert low > 0


def test_ratio_of_nothing_starts_at_nothing() -> None:
    low, high = mover_ratio(0.0, wilson(0.0, 20, Z), 0.5, wilson(0.5, 20, Z))
    assert low == 0 < high < 1


@given(st.data(), st.integers(1, 2000), st.floats(0.5, 6))
def test_tango_negates_and_widens(data: st.DataObject, n: int, z: float) -> None:
    gained = data.draw(st.integers(0, n))
    lost = data.draw(st.integers(0, n - gained))
    low, high = tango(gained, lost, n, z)
    swapped = tango(lost, gained, n, z)
    assert low == pytest.approx(-swapped.high, abs=1e-9)
    assert -1 <= low <= (gained - lost) / n <= high <= 1
    assert low < high
    wider = tango(gained, lost, n, z + 0.5)
    assert wider.low <= low and wider.high >= high


def test_tango_works_on_many_tables_at_once() -> None:
    gained, lost = np.array([0, 3, 10]), np.array([0, 9, 2])
    together = tango(gained, lost, 32, Z)
    alone = [tango(g, lo, 32, Z) for g, lo in zip(gained, lost, strict=True)]
    np.testing.assert_allclose(together.low, [float(v.low) for v in alone])
    np.testing.assert_allclose(together.high, [float(v.high) for v in alone])


@given(
    st.lists(st.sampled_from([-1, -0.5, -0.25, -0.03125, 0, 0.03125, 0.25, 1]), min_size=1, max_size=60),
    st.sampled_from([0.0, 0.25, 1.0]),
    st.sampled_from([0.0, 1.0]),
)
def test_scaled_tango_negates_and_never_collapses(values: list[float], floor: float, unseen: float) -> None:
    d = np.array(values)
    low, high = scaled_tango(d, Z, floor=floor, unseen=unseen)
    swapped = scaled_tango(-d, Z, floor=floor, unseen=unseen)
    assert low == pytest.approx(-swapped.high, abs=1e-9)
    assert -1 <= low <= d.mean() + 1e-12 and d.mean() - 1e-12 <= high <= 1
    assert high - low > 1e-6


@pytest.mark.parametrize("unseen", [0.0, 1.0])
def test_scaled_tango_is_tango_for_whole_items(unseen: float) -> None:
    d = np.array([1.0] * 9 + [-1.0] * 3 + [0.0] * 20)
    np.testing.assert_allclose(scaled_tango(d, Z, unseen=unseen), tango(9, 3, 32, Z))


def test_an_unseen_flip_counts_most_where_only_small_steps_were_seen() -> None:
    d = np.array([1 / 32] + [0.0] * 29)
    plain, allowed = scaled_tango(d, Z), scaled_tango(d, Z, unseen=1)
    assert plain.low > -0.01  # one miss in 32 would rule out a loss of one point
    assert allowed.low < -0.08


def test_a_step_floor_widens() -> None:
    d = np.array([1 / 32, -1 / 32] + [0.0] * 28)
    plain, floored = scaled_tango(d, Z), scaled_tango(d, Z, floor=0.25)
    assert floored.low < plain.low and floored.high > plain.high


@pytest.mark.parametrize(
    ("candidate", "baseline", "low", "high"),
    [
        pytest.param([1, 1, 1, 1], [1, 0, 1, 0], 0, 0, id="a side that does not vary says nothing"),
        pytest.param([1, 0, 1, 0], [1, 0, 1, 0], 0.4, 0.99, id="never certain"),
        pytest.param([0, 1, 0, 1], [1, 0, 1, 0], -1, -0.99, id="against each other"),
    ],
)
def test_correlation_is_shrunk(
    candidate: list[float], baseline: list[float], low: float, high: float
) -> None:
    assert low <= shrunk_correlation(np.array(candidate, float), np.array(baseline, float)) <= high


@pytest.mark.parametrize(("unseen", "falsely"), [(0.0, True), (1.0, False)])
def test_a_rare_whole_miss_among_small_differences_is_allowed_for(unseen: float, falsely: bool) -> None:
    """30 items at one epoch, scores of 0.9 to 1; the candidate misses 3 % of them altogether."""
    rng = np.random.default_rng(1)
    base, cand = (rng.choice(np.linspace(0.9, 1, 5), (800, 30)) for _ in range(2))
    cand = np.where(rng.random(cand.shape) < 0.03, 0, cand)
    limits = scaled_tango(cand - base, critical_value(0.95), unseen=unseen)
    false_pass = float(np.mean(limits.low > -0.03 * 0.95))
    assert (false_pass > 0.2) if falsely else (false_pass <= 0.025)
