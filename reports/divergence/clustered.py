"""Ratios of sums over texts with intervals that treat each text as one draw: its tokens depend on each other."""

import math

import numpy as np

from reports.distributions import student_quantile
from reports.divergence.records import Floats
from reports.intervals import Estimate, Interval, critical_value, wilson

METHOD = "clustered-t"
FEW_TEXTS = 10


def mean_per_token(totals: Floats, n_tokens: Floats, confidence: float) -> Estimate | None:
    """Return sum of ``totals`` / sum of ``n_tokens`` with its interval; ``None`` where that has no width.

    Parameters
    ----------
    totals, n_tokens : arrays of one number a text
        What is summed over the text's tokens, and how many those are.

    Notes
    -----
    The linearised (Taylor) error of a ratio with texts as clusters and the factor G / (G - 1), a t with
    G - 1 degrees of freedom (Cochran 1977, 6.4). One text has no interval, nor have equal ones.
    """
    kept = n_tokens > 0
    totals, n_tokens = totals[kept], n_tokens[kept]
    if len(totals) < 2:
        return None
    value = float(totals.sum() / n_tokens.sum())
    residuals = totals - value * n_tokens
    error = _clustered_error(residuals) / float(n_tokens.sum())
    return _estimate(value, error, len(totals), confidence)


def share_of_tokens(hits: Floats, n_tokens: Floats, confidence: float) -> Estimate | None:
    """Return a share in [0, 1] with Wilson's interval on the tokens' effective number; never without width.

    The effective number is the tokens' number over the variance that clustering by text adds, one unseen
    differing token included.
    """
    n = float(n_tokens.sum())
    if n == 0:
        return None
    share = float(hits.sum() / n)
    effective = n
    if 0 < share < 1 and len(hits) > 1:
        variance = (_clustered_error(hits - share * n_tokens) / n) ** 2 + 1 / n**2
        effective = min(n, share * (1 - share) / variance)
    interval = wilson(share, effective, critical_value(confidence)).interval(confidence, "wilson-clustered")
    return Estimate(value=share, interval=interval)


def exponential(found: Estimate | None) -> Estimate | None:
    """Return e to the estimate, limits included: a mean difference of log-probabilities as a ratio."""
    if found is None:
        return None
    low, high = math.exp(min(found.interval.low, 700)), math.exp(min(found.interval.high, 700))
    if not low < high:
        return None
    interval = Interval(low=low, high=high, confidence=found.interval.confidence, method=METHOD)
    return Estimate(value=math.exp(min(found.value, 700)), interval=interval)


def slope_per_unit(moments: Floats, confidence: float) -> Estimate | None:
    """Return the least-squares slope of y on x over all tokens, with an error clustered by text.

    Parameters
    ----------
    moments : array of shape (texts, 5)
        Sums over a text's tokens of 1, x, x^2, y, x y.
    """
    n, sx, sxx, sy, sxy = moments.sum(axis=0)
    spread = sxx - sx * sx / n if n > 0 else 0.0
    if len(moments) < 2 or spread <= 1e-9 * max(sxx, 1.0):
        return None
    mx, my = sx / n, sy / n
    slope = float((sxy - sx * my) / spread)
    ni, xi, xxi, yi, xyi = moments.T
    around_x = xxi - 2 * mx * xi + mx * mx * ni
    scores = xyi - mx * yi - my * xi + mx * my * ni - slope * around_x
    return _estimate(slope, _clustered_error(scores) / float(spread), len(moments), confidence)


def _clustered_error(scores: Floats) -> float:
    groups = len(scores)
    return math.sqrt(groups / (groups - 1) * float(np.square(scores).sum()))


def _estimate(value: float, error: float, groups: int, confidence: float) -> Estimate | None:
    half = student_quantile((1 + confidence) / 2, groups - 1) * error
    if not value - half < value + half:
        return None
    interval = Interval(low=value - half, high=value + half, confidence=confidence, method=METHOD)
    return Estimate(value=value, interval=interval)
