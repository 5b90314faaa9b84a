"""From an interval and a margin to a verdict, and what missing responses could do to it."""

import math
from dataclasses import dataclass
from enum import StrEnum

from reports.delta import Delta
from reports.intervals import Interval

MIN_OVERLAP = 0.95  # share of a side's items that the other must have too


class Verdict(StrEnum):
    """What a comparison says."""

    PASS = "pass"  # even the worst plausible loss is tolerated
    REGRESSION = "regression"  # even the best plausible loss is not
    INCONCLUSIVE = "inconclusive"  # measure more
    INVALID = "invalid"  # the two sides cannot be compared


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """The verdict if every response missing on one side had been wrong, the other side left as scored."""

    candidate_wrong: Verdict
    baseline_wrong: Verdict


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A verdict with its margin and reason.

    ``is_significantly_lower`` marks a pass whose interval nevertheless lies below 0. ``sensitivity`` is
    ``None`` when no response is missing.
    """

    verdict: Verdict
    margin: float
    reason: str
    is_significantly_lower: bool
    sensitivity: Sensitivity | None


def judge(interval: Interval, margin: float) -> Verdict:
    """Judge the interval of a delta against the largest tolerated loss, both in score units.

    >>> seen = Interval(low=-0.008, high=0.004, confidence=0.95, method="mover-wilson")
    >>> str(judge(seen, 0.01)), str(judge(seen, 0.005))
    ('pass', 'inconclusive')
    """
    check_margin(margin)
    if interval.low > -margin:
        return Verdict.PASS
    if interval.high < -margin:
        return Verdict.REGRESSION
    return Verdict.INCONCLUSIVE


def judge_delta(
    delta: Delta, margin: float, *, interval: Interval | None = None, min_overlap: float = MIN_OVERLAP
) -> Judgement:
    """Judge a delta: the margin, the shared items, and whether missing responses could turn the verdict.

    ``interval`` replaces the delta's headline: a stage-wise one of early stopping, one widened for drift.
    """
    shown = interval if interval is not None else delta.interval
    verdict = judge(shown, margin)
    reason = _reason(verdict, shown, margin)
    sensitivity = _sensitivity(delta, margin, verdict)
    if delta.overlap < min_overlap - 1e-9:
        verdict = Verdict.INVALID
        reason = (
            f"items: {len(delta.only_baseline)} only in the baseline, {len(delta.only_candidate)} only in "
            f"the candidate, {delta.overlap:.1%} shared; expected at least {min_overlap:.0%} of each side"
        )
    elif sensitivity and {sensitivity.candidate_wrong, sensitivity.baseline_wrong} != {verdict}:
        reason = (
            f"missing: {verdict} on the responses scored, but {sensitivity.candidate_wrong} if the "
            f"candidate's missing ones were wrong and {sensitivity.baseline_wrong} if the baseline's were; "
            "rerun them"
        )
        verdict = Verdict.INCONCLUSIVE
    return Judgement(
        verdict=verdict,
        margin=margin,
        reason=reason,
        is_significantly_lower=verdict is Verdict.PASS and shown.high < 0,
        sensitivity=sensitivity,
    )


def judge_recovery(recovery: Interval, floor: float) -> Verdict:
    """Judge the interval of candidate / baseline against the smallest tolerated ratio, such as 0.99."""
    if not 0 < floor <= 1:
        raise ValueError(f"recovery floor: {floor}; expected a ratio above 0 and up to 1, such as 0.99")
    if recovery.low > floor:
        return Verdict.PASS
    return Verdict.REGRESSION if recovery.high < floor else Verdict.INCONCLUSIVE


def _sensitivity(delta: Delta, margin: float, verdict: Verdict) -> Sensitivity | None:
    candidate, baseline = delta.if_candidate_missing_wrong, delta.if_baseline_missing_wrong
    if candidate is None and baseline is None:
        return None
    return Sensitivity(
        candidate_wrong=judge(candidate, margin) if candidate else verdict,
        baseline_wrong=judge(baseline, margin) if baseline else verdict,
    )


def _reason(verdict: Verdict, interval: Interval, margin: float) -> str:
    shown = f"[{interval.low:+.4f}, {interval.high:+.4f}]"
    if verdict is Verdict.PASS and interval.high < 0:
        return f"pass, but significantly lower: {shown} lies above -{margin:g} and below 0"
    if verdict is Verdict.PASS:
        return f"a loss of {margin:g} or more is ruled out: {shown} lies above -{margin:g}"
    if verdict is Verdict.REGRESSION:
        return f"the loss exceeds {margin:g}: {shown} lies below -{margin:g}"
    return f"a loss of {margin:g} is neither shown nor ruled out: {shown} holds -{margin:g}; measure more"


def check_margin(margin: float) -> None:
    """Raise ``ValueError`` unless ``margin`` is a fraction from 0 to below 1."""
    if not (math.isfinite(margin) and 0 <= margin < 1):
        raise ValueError(f"margin: {margin}; expected a fraction from 0 to below 1 (one point is 0.01)")
