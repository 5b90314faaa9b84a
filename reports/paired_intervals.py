"""Intervals of candidate against baseline from two arms over the same items: difference and ratio."""

from reports.arm import Arm
from reports.intervals import (
    Estimate,
    Interval,
    Limits,
    critical_value,
    mover_difference,
    mover_ratio,
    scaled_tango,
    shrunk_correlation,
    wilson,
)

POPULATION_STEP = 0.25  # smallest change believed in when the items are a sample (statistics 3b)


def headline_interval(baseline: Arm, candidate: Arm, confidence: float) -> Interval:
    """Return the interval of candidate - baseline for exactly these items."""
    z = critical_value(confidence)
    if baseline.is_replicated and candidate.is_replicated:
        limits = mover_difference(
            candidate.accuracy,
            _sampling_limits(candidate, z),
            baseline.accuracy,
            _sampling_limits(baseline, z),
        )
        return limits.interval(confidence, "mover-wilson")
    limits = scaled_tango(candidate.means - baseline.means, z, unseen=_unseen_flips(baseline, candidate))
    return limits.interval(confidence, "scaled-tango")


def population_interval(baseline: Arm, candidate: Arm, confidence: float) -> Interval | None:
    """Return the interval of candidate - baseline for items like these; one item says nothing of others."""
    if baseline.n_items < 2:
        return None
    limits = scaled_tango(
        candidate.means - baseline.means,
        critical_value(confidence),
        floor=POPULATION_STEP,
        unseen=_unseen_flips(baseline, candidate),
    )
    return limits.interval(confidence, "scaled-tango-step")


def recovery(baseline: Arm, candidate: Arm, confidence: float) -> Estimate | None:
    """Return candidate / baseline for exactly these items; ``None`` for a baseline of 0.

    With one epoch on a side the limits are those of the items as a sample, correlated as the items are.
    """
    if baseline.accuracy <= 0:
        return None
    z = critical_value(confidence)
    if baseline.is_replicated and candidate.is_replicated:
        c, b, rho = _sampling_limits(candidate, z), _sampling_limits(baseline, z), 0.0
        method = "mover-r"
    else:
        c = wilson(candidate.accuracy, candidate.population_n, z)
        b = wilson(baseline.accuracy, baseline.population_n, z)
        rho = shrunk_correlation(candidate.means, baseline.means)
        method = "mover-r-paired"
    limits = mover_ratio(candidate.accuracy, c, baseline.accuracy, b, rho)
    value = candidate.accuracy / baseline.accuracy
    return Estimate(value=value, interval=limits.interval(confidence, method))


def _sampling_limits(arm: Arm, z: float) -> Limits:
    return wilson(arm.accuracy, arm.effective_n, z)


def _unseen_flips(baseline: Arm, candidate: Arm) -> float:
    """Return the whole-item changes to allow for: one where a side shows each item once.

    With one epoch against many and a near-perfect score, the differences seen are all as small as one miss in
    many, yet the single epoch can move a whole item: without the allowance such a pair at a loss of the
    margin passes half the time (docs/coverage.md). So it is with fractional scores at one epoch that mostly
    differ by little and rarely by all. With 0/1 scores at one epoch it changes nothing.
    """
    return 0.0 if baseline.is_replicated and candidate.is_replicated else 1.0
