"""Where a run that may stop early stands, and its delta at the critical value of that look."""

from dataclasses import dataclass, replace

from reports.declaration import looks_taken, read_declaration
from reports.delta import Delta, delta_of
from reports.intervals import Estimate, Interval
from reports.pairing import Pairing
from reports.run_files import TaskRun
from reports.sequential import confidence_at, plan_looks
from reports.tolerance import Tolerance

METHOD = "+looks"  # ends the method's name of an interval that allows for all looks


@dataclass(frozen=True, kw_only=True)
class Stage:
    """How far a run (the ``side`` of a comparison) with declared looks has come.

    ``look`` is the last one its epochs reach (from 1; the first where they reach none). ``critical_value``
    belongs to that look; an interval at it holds with ``confidence`` over all looks together, whenever the
    run was stopped. ``epochs`` is what the run has, ``declared`` when the looks were (ISO time).
    ``is_stopped`` says whether the run decided to end.
    """

    side: str
    looks: tuple[int, ...]
    look: int
    epochs: int
    critical_value: float
    confidence: float
    margin: float
    futility: bool
    declared: str
    is_stopped: bool

    @property
    def n_looks(self) -> int:
        """Number of declared looks."""
        return len(self.looks)

    @property
    def last_epochs(self) -> int:
        """Epochs at the last declared look."""
        return self.looks[-1]

    @property
    def is_at_look(self) -> bool:
        """Say whether the run has exactly the epochs of a declared look."""
        return self.epochs in self.looks

    @property
    def is_early(self) -> bool:
        """Say whether the run has fewer epochs than it declared at most."""
        return self.epochs < self.last_epochs

    @property
    def look_confidence(self) -> float:
        """Two-sided confidence of an interval at this look's critical value, taken alone."""
        return confidence_at(self.critical_value)

    def overall(self, interval: Interval) -> Interval:
        """Return an interval of this look under its confidence over all looks."""
        return replace(interval, confidence=self.confidence, method=interval.method + METHOD)


def stage_of(side: str, run: TaskRun, confidence: float) -> Stage | None:
    """Return where a run stands, ``None`` for one that declared no looks.

    Between two looks the earlier one's critical value is taken: larger, and so on the safe side.
    """
    declaration = read_declaration(run.facts.sequential, run.facts.source)
    if declaration is None:
        return None
    plan, epochs = declaration.plan, int(run.frame["epoch"].nunique())
    look = max(sum(at <= epochs for at in plan.looks), 1)
    error = (1 - confidence) / 2
    if abs(error - plan.error) > 1e-9:
        plan = plan_looks(
            plan.looks, error=error, spending=plan.spending, baseline_epochs=plan.baseline_epochs
        )
    return Stage(
        side=side,
        looks=plan.looks,
        look=look,
        epochs=epochs,
        critical_value=plan.critical_values[look - 1],
        confidence=confidence,
        margin=declaration.margin,
        futility=declaration.plan.futility,
        declared=declaration.declared,
        is_stopped=any(taken.get("stops") is True for taken in looks_taken(run.facts.sequential)),
    )


def stage_of_pair(baseline: TaskRun, candidate: TaskRun, confidence: float) -> Stage | None:
    """Return the stage to judge by: of two runs with declared looks the one with the wider interval."""
    stages = (stage_of("baseline", baseline, confidence), stage_of("candidate", candidate, confidence))
    found = [stage for stage in stages if stage is not None]
    return max(found, key=lambda stage: stage.critical_value) if found else None


def declared_tolerance(run: TaskRun) -> Tolerance | None:
    """Return the margin that a run declared before its first look, ``None`` for one that declared none."""
    declaration = read_declaration(run.facts.sequential, run.facts.source)
    if declaration is None:
        return None
    return Tolerance(margin=declaration.margin, source="declared before the first look")


def at_stage(pairing: Pairing, delta: Delta, stage: Stage) -> Delta:
    """Return the delta with what verdicts are taken from at the look's critical value.

    The intervals carry the look's own confidence: widen them for drift before :meth:`Stage.overall`.
    """
    wide = delta_of(pairing, confidence=stage.look_confidence)
    return replace(
        delta,
        interval=wide.interval,
        recovery=_overall(wide.recovery, stage),
        if_candidate_missing_wrong=wide.if_candidate_missing_wrong,
        if_baseline_missing_wrong=wide.if_baseline_missing_wrong,
    )


def _overall(found: Estimate | None, stage: Stage) -> Estimate | None:
    if found is None:
        return None
    return Estimate(value=found.value, interval=stage.overall(found.interval))
