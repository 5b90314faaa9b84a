"""Compare two runs: from two paths to the report value, every refusal with its reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from reports.comparability import (
    NotComparableError,
    check_allowed_fields,
    is_protocol_known,
    join_items,
    protocol_mismatches,
)
from reports.delta import Delta, paired_delta
from reports.pairing import NoCommonItemsError
from reports.report import Report, TaskReport, overall_verdict
from reports.run_files import AmbiguousRunError, TaskRun, describe_runs, find_runs, runs_by_task
from reports.tallies import side_report
from reports.verdict import Judgement, Verdict, judge_delta

DEFAULT_CONFIDENCE = 0.95
UNKNOWN_TASK_MARGIN = 0.01
# The smallest loss that the tasks' own budgets can rule out with 80 % power (statistics 9).
TASK_MARGINS = {
    "aime25": 0.014,
    "gpqa_diamond": 0.031,
    "ocrbench": 0.021,
    "mmmu_pro": 0.024,
    "k2_tool_calls": 0.008,
}
NAMELESS_TASK = "scores"


class UnknownTaskError(ValueError):
    """A task that was asked for and that neither side has."""


@dataclass(frozen=True, kw_only=True)
class ComparisonSettings:
    """What to compare and how strictly.

    ``margin`` holds for every task that ``margins`` does not name; without either a task's default does.
    ``max_error_rate`` replaces the runs' own limit (0 where they state none): beyond it a run is invalid.
    """

    tasks: tuple[str, ...] = ()
    margin: float | None = None
    margins: Mapping[str, float] = field(default_factory=dict)
    confidence: float = DEFAULT_CONFIDENCE
    allow_mismatch: tuple[str, ...] = ()
    max_error_rate: float | None = None

    def margin_of(self, task: str) -> tuple[float, str]:
        """Return the task's margin and where it comes from."""
        if task in self.margins:
            return self.margins[task], f"--margin {task}="
        if self.margin is not None:
            return self.margin, "--margin"
        if task in TASK_MARGINS:
            return TASK_MARGINS[task], f"default for {task}"
        return UNKNOWN_TASK_MARGIN, "default for a task without one of its own"


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
    ours, theirs = _same_names(_found(baseline), _found(candidate), settings.tasks)
    tasks = _common_tasks(ours, theirs, settings)
    pairs = {task: _matching_pair(ours[task], theirs[task]) for task in tasks}
    specs = [run.facts.spec for pair in pairs.values() for run in pair]
    check_allowed_fields(specs, settings.allow_mismatch)
    reports = tuple(_compare_task(base, cand, settings) for base, cand in pairs.values())
    return Report(
        verdict=overall_verdict(reports),
        confidence=settings.confidence,
        baseline_label=_label(reports, "baseline"),
        candidate_label=_label(reports, "candidate"),
        tasks=reports,
        only_baseline=tuple(task for task in ours if task not in theirs),
        only_candidate=tuple(task for task in theirs if task not in ours),
        notes=(),
    )


def _found(path: Path) -> dict[str, list[TaskRun]]:
    try:
        return runs_by_task(find_runs(path))
    except AmbiguousRunError as error:
        raise NotComparableError(str(error)) from None


def _label(reports: Sequence[TaskReport], side: str) -> str:
    facts = [getattr(report, side).facts for report in reports]
    return ", ".join(dict.fromkeys(fact.label for fact in facts))


def _same_names(
    ours: dict[str, list[TaskRun]], theirs: dict[str, list[TaskRun]], asked: Sequence[str]
) -> tuple[dict[str, list[TaskRun]], dict[str, list[TaskRun]]]:
    """Name the task of a score file that does not: as asked, else as the other side's only one."""
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
    for task in (*settings.tasks, *settings.margins):
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


def _compare_task(base: TaskRun, cand: TaskRun, settings: ComparisonSettings) -> TaskReport:
    task = base.facts.task
    margin, source = settings.margin_of(task)
    mismatches = protocol_mismatches(base.facts, cand.facts, settings.allow_mismatch)
    joined = join_items(base.frame, cand.frame)
    report = TaskReport(
        task=task,
        verdict=Verdict.INVALID,
        reason="",
        margin=margin,
        margin_source=source,
        baseline=side_report(base.facts, base.frame),
        candidate=side_report(cand.facts, cand.frame),
        mismatches=mismatches,
        delta=None,
        judgement=None,
        completed=None,
        truncation=None,
        joined_by_content=joined.by_content,
        notes=_notes(base, cand),
    )
    refused = [mismatch for mismatch in mismatches if not mismatch.allowed]
    if refused:
        return replace(report, reason=_refusal([str(mismatch) for mismatch in refused]))
    try:
        delta = paired_delta(joined.baseline, joined.candidate, confidence=settings.confidence)
    except NoCommonItemsError as error:
        return replace(report, reason=str(error))
    return _judged(report, delta, joined.baseline, joined.candidate, settings)


def _judged(
    report: TaskReport, delta: Delta, base: pd.DataFrame, cand: pd.DataFrame, settings: ComparisonSettings
) -> TaskReport:
    judgement = judge_delta(delta, report.margin)
    verdict, reason = _with_error_limit(report, judgement, settings.max_error_rate)
    truncated = report.baseline.counts.truncated + report.candidate.counts.truncated > 0
    return replace(
        report,
        verdict=verdict,
        reason=reason,
        delta=delta,
        judgement=judgement,
        completed=_completed_delta(base, cand, settings.confidence) if truncated else None,
        truncation=_truncation_delta(base, cand, settings.confidence) if truncated else None,
    )


def _refusal(differences: Sequence[str]) -> str:
    listed = "; ".join(differences)
    return f"not comparable: {listed}; run both under one protocol, or allow it: --allow-mismatch FIELD"


def _with_error_limit(report: TaskReport, judgement: Judgement, limit: float | None) -> tuple[Verdict, str]:
    """Return the verdict, invalid where a side failed more often than its run allows."""
    for name, side in (("baseline", report.baseline), ("candidate", report.candidate)):
        allowed = limit if limit is not None else side.facts.max_error_rate or 0.0
        counts = side.counts
        if counts.error_rate > allowed:
            return Verdict.INVALID, (
                f"{name}: {counts.errors} of {counts.scored + counts.errors} responses failed; at most a"
                f" share of {allowed:g} is allowed; run it again to retry them, or state --max-error-rate"
            )
    return judgement.verdict, judgement.reason


def _completed_delta(base: pd.DataFrame, cand: pd.DataFrame, confidence: float) -> Delta | None:
    kept = [side[(side["outcome"] != "truncated").to_numpy()] for side in (base, cand)]
    try:
        return paired_delta(*kept, confidence=confidence)
    except NoCommonItemsError:
        return None


def _truncation_delta(base: pd.DataFrame, cand: pd.DataFrame, confidence: float) -> Delta:
    """Return the delta of the share of truncated responses, over those that have a score."""
    marked = [
        side.assign(score=np.where(side["score"].isna(), np.nan, side["outcome"] == "truncated"))
        for side in (base, cand)
    ]
    return paired_delta(*marked, confidence=confidence)


def _notes(base: TaskRun, cand: TaskRun) -> tuple[str, ...]:
    notes = [f"baseline: {note}" for note in base.facts.notes]
    notes += [f"candidate: {note}" for note in cand.facts.notes]
    if not is_protocol_known(base.facts, cand.facts):
        notes.append("protocol: not recorded on both sides, so that it agrees was not checked")
    return tuple(notes)
