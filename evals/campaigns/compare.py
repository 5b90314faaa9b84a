"""Compare each candidate of a campaign with its baseline, on every task and preset that both have."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evals.campaigns.campaign import Campaign, CampaignTask, Checkpoint
from evals.run_state import RunState, RunStatus
from evals.storage.mirror import run_path
from evals.storage.object_store import StoreError
from reports.comparability import NotComparableError
from reports.comparison import ComparisonSettings, Side, compare_sides, find_side
from reports.log_members import LogError
from reports.report import Report
from reports.run_files import AmbiguousRunError, TaskRun, find_runs, only_run
from reports.score_columns import ScoreFileError


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One candidate: its report, or why there is none."""

    candidate: str
    report: Report | None
    problem: str | None = None


def compare_all(campaign: Campaign, states: Mapping[str, RunState]) -> list[Compared]:
    """Return a comparison for every candidate, in the order of the file."""
    return [_compared(campaign, candidate, states) for candidate in campaign.candidates]


def _compared(campaign: Campaign, candidate: Checkpoint, states: Mapping[str, RunState]) -> Compared:
    try:
        theirs = _side(campaign, candidate, states, like={})
        ours = _side(campaign, campaign.baseline, states, like=theirs)
        if campaign.baseline.runs is None and candidate.runs is not None:
            theirs = _side(campaign, candidate, states, like=ours)
        settings = ComparisonSettings(
            tolerances={task.name: task.rule for task in campaign.tasks if task.name in {*ours, *theirs}},
            confidence=campaign.confidence,
            allow_mismatch=campaign.allow_mismatch,
        )
        for label, side in ((campaign.baseline.label, ours), (candidate.label, theirs)):
            if not side:
                raise NotComparableError(
                    f"{label}: none of its runs has been graded yet; run the campaign again"
                )
        return Compared(candidate=candidate.label, report=compare_sides(ours, theirs, settings))
    except (NotComparableError, AmbiguousRunError, LogError, ScoreFileError, StoreError) as error:
        return Compared(candidate=candidate.label, report=None, problem=str(error))


def _side(
    campaign: Campaign, checkpoint: Checkpoint, states: Mapping[str, RunState], *, like: Side
) -> dict[str, list[TaskRun]]:
    """Return a checkpoint's runs by the campaign's names for its tasks; ``like`` is the other side, if read."""
    if checkpoint.runs is not None:
        found = find_side(run_path(checkpoint.runs))
        runs = {
            task.name: _fitting(found.get(task.task, []), like.get(task.name, [])) for task in campaign.tasks
        }
        return {name: _called(name, some) for name, some in runs.items() if some}
    return {
        run.task.name: _called(run.task.name, [_read(run.task, states[run.identity])])
        for run in campaign.runs
        if run.checkpoint == checkpoint.label and states[run.identity].has_scores
    }


def _fitting(runs: list[TaskRun], like: list[TaskRun]) -> list[TaskRun]:
    """Return of several runs of a task those of the other side's protocol, all where none is."""
    wanted = {run.facts.fingerprint for run in like}
    return [run for run in runs if run.facts.fingerprint in wanted] or runs


def _read(task: CampaignTask, state: RunState) -> TaskRun:
    if state.directory is None:
        raise LogError(f"{task.name}: has no directory; run the campaign again")
    return only_run(find_runs(_source(state.directory, state)))


def _source(directory: Path, state: RunState) -> Path:
    """Return what to read of a run: its own log where it is whole, since others of its directory may hold more.

    A run of fewer items or epochs shares its directory with a larger one before it. Two presets that say the
    same share theirs too, and then one log, of whichever was last.
    """
    log = directory / (state.summary.get("log") or "")
    return log if log.is_file() and state.status is RunStatus.COMPLETE else directory


def _called(name: str, runs: list[TaskRun]) -> list[TaskRun]:
    return [replace(run, facts=replace(run.facts, task=name)) for run in runs]
