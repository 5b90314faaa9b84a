"""A straight line through accuracies over time, each weighted by how well it is known."""

import math
from dataclasses import dataclass

import numpy as np

from reports.distributions import normal_tail
from reports.intervals import FloatArray, Interval, critical_value

MIN_RUNS = 4  # fewer points fit a line by chance


@dataclass(frozen=True, kw_only=True)
class Slope:
    """Change a day with its interval; ``spread`` is the scatter about the line over what sampling explains."""

    per_day: float
    interval: Interval
    p_value: float
    spread: float


def weighted_slope(
    days: FloatArray, values: FloatArray, variances: FloatArray, confidence: float
) -> Slope | None:
    """Fit ``values`` by ``days`` with weights 1 / variance; ``None`` for too few runs or one moment.

    The variances are those of sampling, taken as known; where the points scatter more than that about the
    line the standard error is widened by the ratio (Birge 1932), and never narrowed where they scatter less.
    """
    if len(days) < MIN_RUNS or not np.all(variances > 0):
        return None
    weights = 1 / variances
    centred = days - np.average(days, weights=weights)
    information = float(np.sum(weights * centred**2))
    if len(np.unique(days)) < 3 or information <= 0:
        return None
    mean = float(np.average(values, weights=weights))
    slope = float(np.sum(weights * centred * (values - mean)) / information)
    residuals = values - mean - slope * centred
    spread = math.sqrt(float(np.sum(weights * residuals**2)) / (len(days) - 2))
    error = max(spread, 1.0) / math.sqrt(information)
    half = critical_value(confidence) * error
    return Slope(
        per_day=slope,
        interval=Interval(low=slope - half, high=slope + half, confidence=confidence, method="weighted-line"),
        p_value=float(2 * normal_tail(abs(slope) / error)),
        spread=spread,
    )
