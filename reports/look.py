"""One look of a run that may stop early: compare, judge, and say whether to go on."""

from dataclasses import dataclass
from typing import Any

from reports.comparability import join_items
from reports.declaration import Declaration
from reports.intervals import Interval
from reports.pairing import pair_scores
from reports.run_files import TaskRun
from reports.sequential import FUTILE, Chances, chances_at
from reports.stage import declared_tolerance
from reports.task_comparison import compare_task, limit_errors
from reports.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class Look:
    """What a look found. ``number`` counts from 1; ``interval`` is the one at this look's critical value.

    ``chances`` are those of a verdict at the last look on the current trend.
    """

    declaration: Declaration
    number: int
    verdict: Verdict
    reason: str
    value: float
    interval: Interval
    chances: Chances

    @property
    def epochs(self) -> int:
        """Epochs of the run at this look."""
        return self.declaration.plan.looks[self.number - 1]

    @property
    def is_last(self) -> bool:
        """Say whether no look follows."""
        return self.epochs == self.declaration.last_epochs

    @property
    def is_futile(self) -> bool:
        """Say whether the run stops because hardly any verdict is left to hope for."""
        undecided = self.verdict is Verdict.INCONCLUSIVE and not self.is_last
        return self.declaration.plan.futility and undecided and self.chances.is_futile

    @property
    def stops(self) -> bool:
        """Say whether the run ends here."""
        return self.verdict is not Verdict.INCONCLUSIVE or self.is_last or self.is_futile

    @property
    def why(self) -> str:
        """Say why the verdict is what it is, and why the run stops where it stops undecided."""
        if not self.is_futile:
            return self.reason
        return f"futile: on the current trend either verdict has a chance below {FUTILE:.0%}; {self.reason}"

    def as_dict(self) -> dict[str, Any]:
        """Return the look as plain JSON values, for the manifest and the summary."""
        plan = self.declaration.plan
        return {
            "verdict": self.verdict.value,
            "reason": self.why,
            "look": self.number,
            "looks": list(plan.looks),
            "epochs": self.epochs,
            "max_epochs": self.declaration.last_epochs,
            "epochs_saved": self.declaration.last_epochs - self.epochs,
            "critical_value": plan.critical_values[self.number - 1],
            "margin": self.declaration.margin,
            "delta": {
                "value": self.value,
                "low": self.interval.low,
                "high": self.interval.high,
                "confidence": self.interval.confidence,
                "method": self.interval.method,
            },
            "pass_chance": self.chances.of_pass,
            "regression_chance": self.chances.of_regression,
            "stops": self.stops,
            "stopped_early": self.stops and not self.is_last,
            "futile": self.is_futile,
        }


class NoLookError(Exception):
    """A look that cannot be taken: the two runs cannot be compared as they are."""


def take_look(declaration: Declaration, number: int, baseline: TaskRun, candidate: TaskRun) -> Look:
    """Take look ``number`` (from 1) with the candidate's responses so far.

    The same comparison, refusals, drift check and view of missing responses as ``quantcheck compare``
    afterwards. Raises :class:`NoLookError` where it says invalid: nothing is decided then, nor used up.
    """
    plan, tolerance = declaration.plan, declared_tolerance(candidate)
    if tolerance is None:
        raise NoLookError(f"{candidate.facts.source}: declares no looks; its manifest was changed")
    report = limit_errors(
        compare_task(baseline, candidate, tolerance=tolerance, confidence=1 - 2 * plan.error, allowed=()),
        None,
    )
    if report.analysis is None or report.verdict is Verdict.INVALID:
        raise NoLookError(f"look {number}: {report.reason}")
    joined = join_items(baseline.frame, candidate.frame)
    pairing = pair_scores(joined.baseline, joined.candidate)
    return Look(
        declaration=declaration,
        number=number,
        verdict=report.verdict,
        reason=report.reason,
        value=report.analysis.delta.value,
        interval=report.analysis.interval,
        chances=chances_at(plan, number - 1, pairing, declaration.margin),
    )
