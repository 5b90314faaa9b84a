import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import curve_fit

from reports.slope import weighted_slope

DAYS = np.array([0.0, 1.0, 2.0, 4.0, 7.0, 8.0])


def test_slope_and_error_are_those_of_a_weighted_fit() -> None:
    values = np.array([0.98, 0.975, 0.981, 0.97, 0.969, 0.972])
    variances = np.array([1, 2, 1, 4, 1, 3]) * 1e-4
    (slope, _), covariance = curve_fit(
        lambda day, a, b: a * day + b, DAYS, values, sigma=np.sqrt(variances), absolute_sigma=True
    )
    found = weighted_slope(DAYS, values, variances, 0.95)
    assert found is not None
    assert found.per_day == pytest.approx(slope, rel=1e-5)
    assert found.interval.width == pytest.approx(2 * 1.959964 * np.sqrt(covariance[0, 0]), rel=1e-5)
    assert found.spread < 1  # so that nothing is widened


def test_more_scatter_than_sampling_explains_widens_the_interval() -> None:
    values = np.array([0.9, 0.99, 0.9, 0.99, 0.9, 0.99])
    calm, wild = (weighted_slope(DAYS, values, np.full(6, v), 0.95) for v in (1e-2, 1e-6))
    assert calm is not None and wild is not None
    assert calm.spread < 1 < wild.spread
    assert wild.interval.low < 0 < wild.interval.high


@pytest.mark.parametrize(
    "days",
    [
        pytest.param([0.0, 1.0, 2.0], id="three runs"),
        pytest.param([1.0] * 6, id="one moment"),
        pytest.param([1.0, 1.0, 2.0, 2.0], id="two dates"),
    ],
)
def test_no_line_through_too_few_points(days: list[float]) -> None:
    n = len(days)
    assert weighted_slope(np.array(days), np.linspace(0.9, 0.8, n), np.full(n, 1e-4), 0.95) is None


@given(st.lists(st.integers(-20, 20).map(lambda n: n / 1000), min_size=6, max_size=6), st.floats(-0.01, 0.01))
def test_a_line_added_to_the_values_adds_to_the_slope(noise: list[float], step: float) -> None:
    values, variances = np.array(noise), np.full(6, 1e-4)
    one = weighted_slope(DAYS, values, variances, 0.95)
    other = weighted_slope(DAYS, values + step * DAYS, variances, 0.95)
    assert one is not None and other is not None
    assert other.per_day == pytest.approx(one.per_day + step, abs=1e-9)
    assert other.interval.width == pytest.approx(one.interval.width, rel=1e-6)


def test_a_series_without_a_trend_is_flagged_as_often_as_said() -> None:
    rng = np.random.default_rng(7)
    days, n = np.arange(12.0), 400
    found = [weighted_slope(days, rng.normal(0.9, 0.01, 12), np.full(12, 1e-4), 0.95) for _ in range(n)]
    assert sum(slope is not None and slope.p_value < 0.05 for slope in found) / n < 0.07
