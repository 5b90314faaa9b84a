"""How far a campaign is, in ``campaign.json``: what is shown as ``--json``, and what a later start passes over."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.campaigns.campaign import Campaign, PlannedRun
from evals.exit_code import ExitCode
from evals.run_state import RunState, RunStatus
from evals.storage.run_directory import read_notes, write_json

SCHEMA = 1
RECORD = "campaign.json"
SUMMARY = "summary.json"


def write_record(
    campaign: Campaign,
    states: Mapping[str, RunState],
    comparisons: Sequence[Mapping[str, Any]] = (),
    code: ExitCode | None = None,
) -> dict[str, Any]:
    """Write the record and return it; ``code`` is that of the whole campaign once it has ended."""
    record = {
        "schema": SCHEMA,
        "campaign": str(campaign.path),
        "baseline": campaign.baseline.label,
        "candidates": [candidate.label for candidate in campaign.candidates],
        "runs": [_entry(run, states[run.identity]) for run in campaign.runs],
        "comparisons": list(comparisons),
        "exit_code": None if code is None else int(code),
    }
    write_json(campaign.out / RECORD, record)
    return record


def _entry(run: PlannedRun, state: RunState) -> dict[str, Any]:
    summary = state.summary
    return {
        "task": run.task.task,
        "preset": run.task.preset,
        "checkpoint": run.checkpoint,
        "identity": run.identity,
        "status": state.status.value,
        "problem": state.problem,
        "exit_code": int(state.code),
        "directory": None if state.directory is None else str(state.directory),
        "completed": summary.get("completed"),
        "expected": summary.get("expected"),
        "accuracy": summary.get("accuracy"),
        "replicas_differ": summary.get("replicas", {}).get("differ"),
    }


def states_so_far(campaign: Campaign) -> dict[str, RunState]:
    """Return the state of every run by identity: complete where an earlier start completed it, else waiting.

    A complete run is taken as it lies on the disk: its endpoint may be gone by now.
    """
    earlier = _directories(campaign.out / RECORD)
    return {run.identity: _kept(earlier.get(run.identity)) for run in campaign.runs}


def _kept(directory: str | None) -> RunState:
    summary = {} if directory is None else read_notes(Path(directory) / SUMMARY)
    if directory is None or summary.get("status") != RunStatus.COMPLETE or not _has_log(directory, summary):
        return RunState()
    return RunState(status=RunStatus.COMPLETE, directory=Path(directory), summary=summary, was_kept=True)


def _has_log(directory: str, summary: Mapping[str, Any]) -> bool:
    return isinstance(summary.get("log"), str) and (Path(directory) / summary["log"]).is_file()


def _directories(path: Path) -> dict[str, str]:
    """Return the directories of complete runs in an earlier record; one that cannot be read says nothing."""
    entries = read_notes(path).get("runs")
    return {
        entry["identity"]: entry["directory"]
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict)
        and entry.get("status") == RunStatus.COMPLETE
        and isinstance(entry.get("identity"), str)
        and isinstance(entry.get("directory"), str)
    }
