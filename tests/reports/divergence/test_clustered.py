"""Clustered ratios against formulas written out by hand, laws, and coverage."""

import numpy as np
import pytest
from scipy import stats

from reports.divergence.clustered import exponential, mean_per_token, share_of_tokens, slope_per_unit


@pytest.fixture
def rng():
    return np.random.default_rng(20)


def test_equal_lengths_give_the_t_interval_of_the_texts_means(rng):
    means = rng.normal(0.3, 0.1, size=25)
    found = mean_per_token(means * 40, np.full(25, 40.0), 0.95)
    low, high = stats.t.interval(0.95, 24, loc=means.mean(), scale=stats.sem(means))
    assert (found.value, found.interval.low, found.interval.high) == pytest.approx((means.mean(), low, high))


def test_the_error_of_a_ratio_is_that_of_its_linearised_residuals(rng):
    n = rng.integers(10, 200, size=30).astype(float)
    totals = 0.2 * n + rng.normal(0, 3, size=30)
    found = mean_per_token(totals, n, 0.9)
    ratio = totals.sum() / n.sum()
    error = np.sqrt(30 / 29 * np.sum((totals - ratio * n) ** 2)) / n.sum()
    assert found.value == pytest.approx(ratio)
    assert found.interval.high - ratio == pytest.approx(stats.t.ppf(0.95, 29) * error)


@pytest.mark.parametrize(
    ("totals", "tokens"),
    [
        pytest.param([1.0], [4.0], id="one text"),
        pytest.param([0.0, 0.0, 0.0], [4.0, 5.0, 6.0], id="no spread"),
        pytest.param([1.0, 0.0], [4.0, 0.0], id="one text with tokens"),
    ],
)
def test_without_spread_there_is_no_interval(totals, tokens):
    assert mean_per_token(np.array(totals), np.array(tokens), 0.95) is None


def test_a_share_never_collapses_and_widens_with_clusters(rng):
    tokens = np.full(20, 50.0)
    assert share_of_tokens(tokens, tokens, 0.95).interval.low < 1
    assert share_of_tokens(np.zeros(20), tokens, 0.95).interval.high > 0
    spread, bunched = np.full(20, 25.0), np.repeat([50.0, 0.0], 10)
    assert (
        share_of_tokens(bunched, tokens, 0.95).interval.width
        > 3 * share_of_tokens(spread, tokens, 0.95).interval.width
    )
    assert share_of_tokens(np.zeros(2), np.zeros(2), 0.95) is None


def test_the_slope_is_least_squares_with_a_clustered_error(rng):
    texts, moments, xs, ys, groups = 12, [], [], [], []
    for text in range(texts):
        x = rng.uniform(0, 10, size=30)
        y = 1 + 0.5 * x + rng.normal(0, 1) + rng.normal(size=30)
        xs, ys, groups = [*xs, *x], [*ys, *y], [*groups, *[text] * 30]
        moments.append([30, x.sum(), (x * x).sum(), y.sum(), (x * y).sum()])
    x, y, group = np.array(xs), np.array(ys), np.array(groups)
    found = slope_per_unit(np.array(moments), 0.95)
    fit = stats.linregress(x, y)
    residuals = y - fit.intercept - fit.slope * x
    scores = [((x - x.mean()) * residuals)[group == text].sum() for text in range(texts)]
    error = np.sqrt(texts / (texts - 1) * np.square(scores).sum()) / ((x - x.mean()) ** 2).sum()
    assert found.value == pytest.approx(fit.slope)
    assert found.interval.high - found.value == pytest.approx(stats.t.ppf(0.975, texts - 1) * error)


def test_one_position_has_no_slope():
    assert slope_per_unit(np.array([[4.0, 8.0, 16.0, 1.0, 2.0]] * 3), 0.95) is None


def test_intervals_cover_as_they_say(rng):
    held = 0
    for _ in range(400):
        n = rng.integers(20, 100, size=30).astype(float)
        totals = 0.1 * n + rng.normal(0, 0.05, size=30) * n + rng.normal(size=30) * np.sqrt(n)
        interval = mean_per_token(totals, n, 0.95).interval
        held += interval.low <= 0.1 <= interval.high
    assert 0.92 <= held / 400 <= 0.98


def test_a_mean_difference_becomes_a_ratio(rng):
    found = exponential(mean_per_token(rng.normal(0.1, 0.01, size=9), np.ones(9), 0.95))
    assert found.interval.low < found.value < found.interval.high
    assert 1.05 < found.value < 1.15
    assert exponential(None) is None
