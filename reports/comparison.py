"""Compare two runs: from two paths to the report value, every refusal with its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from reports.comparability import NotComparableError, check_allowed_fields
from reports.confidence import DEFAULT_CONFIDENCE
from reports.intervals import Estimate
from reports.multiplicity import holm
from reports.noise_floor import NOTE, judged_as_noise, with_noise_floor
from reports.pooled import pooled_delta
from reports.report import Report, TaskReport, overall_verdict
from reports.run_files import AmbiguousRunError, TaskRun, describe_runs, find_runs, runs_by_task
from reports.stage import declared_tolerance
from reports.task_comparison import compare_task, limit_errors
from reports.tolerance import Tolerance, default_tolerance

NAMELESS_TASK = "scores"

Side = Mapping[str, list[TaskRun]]


class UnknownTaskError(ValueError):
    """A task that was asked for and that neither side has."""


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings:
    """What to compare and how strictly.

    ``tolerance`` holds for every task that ``tolerances`` does not name; without either a task's default
    does. ``max_error_rate`` replaces the runs' own limit (0 where they state none): beyond it a run is
    invalid. ``same_checkpoint`` says that both sides are runs of one checkpoint, whose noise is measured.
    """

    tasks: tuple[str, ...] = ()
    tolerance: Tolerance | None = None
    tolerances: Mapping[str, Tolerance] = field(default_factory=dict)
    confidence: float = DEFAULT_CONFIDENCE
    allow_mismatch: tuple[str, ...] = ()
    max_error_rate: float | None = None
    max_error_rates: Mapping[str, float] = field(default_factory=dict)
    same_checkpoint: bool = False

    def tolerance_of(self, task: str, declared: Tolerance | None = None) -> Tolerance:
        """Return the rule of a task: what is set here, else what the run declared, else the default."""
        return self.tolerances.get(task) or self.tolerance or declared or default_tolerance(task)


def compare(baseline: Path, candidate: Path, settings: ComparisonSettings) -> Report:
    """Return the comparison of the runs at two paths.

    Raises
    ------
    NotComparableError
        The sides have no task in common, or several runs could be meant.
    UnknownTaskError, UnknownFieldError
        The settings name a task or field that does not exist here.
    LogError, ScoreFileError
        A side cannot be read.
    """
    return compare_sides(find_side(baseline), find_side(candidate), settings)


def compare_sides(baseline: Side, candidate: Side, settings: ComparisonSettings) -> Report:
    """Return the comparison of two sides already read; raises as :func:`compare` does."""
    ours, theirs = _same_names(baseline, candidate, settings.tasks)
    tasks = _common_tasks(ours, theirs, settings)
    pairs = {task: _matching_pair(ours[task], theirs[task]) for task in tasks}
    specs = [run.facts.spec for pair in pairs.values() for run in pair]
    check_allowed_fields(specs, settings.allow_mismatch)
    reports = _with_holm([_compare_pair(base, cand, settings) for base, cand in pairs.values()])
    if settings.same_checkpoint:
        reports = judged_as_noise(reports, settings.confidence)
    return Report(
        verdict=overall_verdict(reports),
        confidence=settings.confidence,
        baseline_label=_label(reports, "baseline"),
        candidate_label=_label(reports, "candidate"),
        tasks=reports,
        pooled=_pooled(reports),
        only_baseline=_only(ours, theirs, settings.tasks),
        only_candidate=_only(theirs, ours, settings.tasks),
        notes=(NOTE,) if settings.same_checkpoint else (),
    )


def _only(side: Side, other: Side, asked: Sequence[str]) -> tuple[str, ...]:
    """Return the tasks that one side alone has, of those asked for where any are."""
    return tuple(task for task in side if task not in other and (not asked or task in asked))


def find_side(path: Path) -> Side:
    """Return the runs of every task under a path; raises :class:`NotComparableError` for several labels."""
    try:
        return runs_by_task(find_runs(path))
    except AmbiguousRunError as error:
        raise NotComparableError(str(error)) from None


def _label(reports: Sequence[TaskReport], side: str) -> str:
    facts = [getattr(report, side).facts for report in reports]
    return ", ".join(dict.fromkeys(fact.label for fact in facts))


def _same_names(
    baseline: Side, candidate: Side, asked: Sequence[str]
) -> tuple[dict[str, list[TaskRun]], dict[str, list[TaskRun]]]:
    """Name the task of a score file that does not: as asked, else as the other side's only one."""
    ours, theirs = dict(baseline), dict(candidate)
    name = asked[0] if len(asked) == 1 else None
    for one, other in ((ours, theirs), (theirs, ours)):
        if "" in one:
            single = next(iter(other)) if len(other) == 1 else ""
            one[name or single or NAMELESS_TASK] = [
                replace(run, facts=replace(run.facts, task=name or single or NAMELESS_TASK))
                for run in one.pop("")
            ]
    return ours, theirs


def _common_tasks(
    ours: Mapping[str, object], theirs: Mapping[str, object], settings: ComparisonSettings
) -> list[str]:
    common = [task for task in ours if task in theirs]
    known = sorted({*ours, *theirs})
    for task in (*settings.tasks, *settings.tolerances):
        if task not in known:
            raise UnknownTaskError(f"{task!r} is no task of these runs; they have {', '.join(known)}")
    for task in settings.tasks:
        if task not in common:
            side = "candidate" if task in ours else "baseline"
            raise NotComparableError(f"{task}: the {side} did not run it; run it there first")
    if not common:
        raise NotComparableError(
            f"no task on both sides: the baseline has {', '.join(ours)}, the candidate {', '.join(theirs)};"
            " run the same task on both"
        )
    return [task for task in common if not settings.tasks or task in settings.tasks]


def _matching_pair(ours: Sequence[TaskRun], theirs: Sequence[TaskRun]) -> tuple[TaskRun, TaskRun]:
    """Return the pair to compare: of several runs the two whose fingerprints agree, if only two do."""
    if len(ours) == len(theirs) == 1:
        return ours[0], theirs[0]
    same = [
        (base, cand)
        for base in ours
        for cand in theirs
        if base.facts.fingerprint and base.facts.fingerprint == cand.facts.fingerprint
    ]
    if len(same) == 1:
        return same[0]
    several = [describe_runs(runs) for runs in (ours, theirs) if len(runs) > 1]
    raise NotComparableError(" ".join(several))


def _compare_pair(base: TaskRun, cand: TaskRun, settings: ComparisonSettings) -> TaskReport:
    report = compare_task(
        base,
        cand,
        tolerance=settings.tolerance_of(base.facts.task, declared_tolerance(cand)),
        confidence=settings.confidence,
        allowed=settings.allow_mismatch,
    )
    if settings.same_checkpoint:
        report = with_noise_floor(report, base, cand, settings.confidence)
    return limit_errors(report, settings.max_error_rates.get(report.task, settings.max_error_rate))


def _with_holm(reports: Sequence[TaskReport]) -> tuple[TaskReport, ...]:
    """Return the reports, each with its p-value of being worse adjusted for all of them."""
    compared = [report.analysis for report in reports if report.analysis is not None]
    adjusted = iter(holm([analysis.delta.test.worse_mid_p for analysis in compared]))
    return tuple(
        replace(report, worse_holm=next(adjusted)) if report.analysis is not None else report
        for report in reports
    )


def _pooled(reports: Sequence[TaskReport]) -> Estimate | None:
    """Return the mean delta of the tasks, equal weights; ``None`` unless two or more were compared."""
    deltas = {
        report.task: Estimate(value=report.analysis.delta.value, interval=report.analysis.interval)
        for report in reports
        if report.analysis is not None
    }
    return pooled_delta(deltas) if len(deltas) > 1 else None
