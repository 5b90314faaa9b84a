"""How much loss a task tolerates: so many score units, or so small a share of the baseline's score."""

from dataclasses import dataclass, replace

from reports.default_power import DEFAULT_MARGINS
from reports.delta import Delta
from reports.intervals import Interval
from reports.verdict import Judgement, Verdict, judge_delta, judge_recovery

UNKNOWN_TASK_MARGIN = 0.01


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """The rule one task is judged by and where it comes from; exactly one of the two is set.

    ``margin`` is the largest tolerated loss in score units, ``min_recovery`` the smallest tolerated
    candidate / baseline.
    """

    margin: float | None = None
    min_recovery: float | None = None
    source: str

    def margin_at(self, baseline: float) -> float:
        """Return the rule as a loss in score units for a baseline accuracy."""
        if self.margin is not None:
            return self.margin
        return (1 - (self.min_recovery or 0.0)) * baseline


def default_tolerance(task: str) -> Tolerance:
    """Return the published-power margin of a task, 1 point for a task that has none."""
    if task in DEFAULT_MARGINS:
        return Tolerance(margin=DEFAULT_MARGINS[task], source=f"default for {task}")
    return Tolerance(margin=UNKNOWN_TASK_MARGIN, source="default for a task without one of its own")


def judge_tolerance(delta: Delta, tolerance: Tolerance, interval: Interval) -> Judgement:
    """Judge a delta by a task's rule; ``interval`` is the delta's, widened where epochs drift.

    A floor on recovery is judged by the interval of the ratio, after the same checks of shared items and
    missing responses.
    """
    judgement = judge_delta(delta, tolerance.margin_at(delta.baseline.accuracy), interval=interval)
    floor = tolerance.min_recovery
    if floor is None or judgement.verdict is Verdict.INVALID or judgement.reason.startswith("missing:"):
        return judgement
    if delta.recovery is None:
        reason = "recovery: the baseline's accuracy is 0, a share of it says nothing; give an absolute margin"
        return replace(judgement, verdict=Verdict.INVALID, reason=reason)
    ratio = delta.recovery.interval
    verdict = judge_recovery(ratio, floor)
    relation = {Verdict.PASS: "lies above", Verdict.REGRESSION: "lies below"}.get(verdict, "holds")
    reason = f"recovery: [{ratio.low:.4f}, {ratio.high:.4f}] {relation} {floor:g}"
    return replace(judgement, verdict=verdict, reason=reason)
