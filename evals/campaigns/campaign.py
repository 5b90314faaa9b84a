"""A campaign: checkpoints x tasks x presets, in which order they are run, and how each run stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from evals.exit_code import ExitCode
from reports.tolerance import Tolerance, default_tolerance
from tasks.catalog import find_benchmark

# Worst first, as a comparison ranks its verdicts: a proven loss stays proven beside a run that failed.
SEVERITY = (
    ExitCode.INTERRUPTED,
    ExitCode.REGRESSION,
    ExitCode.ENDPOINT_OR_DATA,
    ExitCode.INVALID,
    ExitCode.USAGE,
    ExitCode.INCONCLUSIVE,
    ExitCode.DONE,
)


def worst(codes: Sequence[ExitCode]) -> ExitCode:
    """Return the worst of exit codes, ``DONE`` for none."""
    return min(codes, key=SEVERITY.index, default=ExitCode.DONE)


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """One checkpoint: the flags of its endpoint, or the directory or URL of runs made before (``runs``)."""

    label: str
    settings: Mapping[str, Any]
    runs: str | None = None


@dataclass(frozen=True, kw_only=True)
class CampaignTask:
    """One task under one preset (``None``: its first). ``name`` is what reports call it."""

    name: str
    task: str
    preset: str | None
    settings: Mapping[str, Any]
    tolerance: Tolerance | None = None

    @property
    def rule(self) -> Tolerance:
        """The tolerated loss: the file's, else the task's default."""
        return self.tolerance or default_tolerance(self.task)


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """One run: what to call ``quantcheck run`` with, and which servers it asks.

    ``identity`` is equal for runs that measure the same.
    """

    checkpoint: str
    task: CampaignTask
    parameters: Mapping[str, Any]
    urls: frozenset[str]
    identity: str

    @property
    def n_tokens_most(self) -> int:
        """The most output tokens it may cost."""
        benchmark, asked = find_benchmark(self.task.task), self.parameters
        preset = benchmark.preset(asked["preset"])
        n_items = benchmark.pin(asked["variant"]).n_items
        n_asked = min(asked["limit"] or n_items, n_items)
        return n_asked * (asked["epochs"] or preset.epochs) * (asked["max_tokens"] or preset.max_tokens)


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A campaign as its file describes it; ``runs`` in the order in which they are made.

    ``parallel`` is the most runs at a time, ``None`` as many as there are endpoints.
    """

    path: Path
    baseline: Checkpoint
    candidates: tuple[Checkpoint, ...]
    tasks: tuple[CampaignTask, ...]
    runs: tuple[PlannedRun, ...]
    out: Path
    confidence: float = 0.95
    allow_mismatch: tuple[str, ...] = ()
    parallel: int | None = None


def in_order(runs: Sequence[PlannedRun]) -> tuple[PlannedRun, ...]:
    """Return the runs, cheapest task first, all checkpoints of a task together, the baseline first.

    A fault of an endpoint then shows within the hour, not after the longest task; runs come in file order.
    """
    by_task: dict[str, list[PlannedRun]] = {}
    for run in runs:
        by_task.setdefault(run.task.name, []).append(run)
    groups = sorted(by_task.values(), key=lambda group: max(run.n_tokens_most for run in group))
    return tuple(run for group in groups for run in group)


def startable(
    waiting: Sequence[PlannedRun], running: Sequence[PlannedRun], most: int | None
) -> list[PlannedRun]:
    """Return which of the runs that wait can start beside those that run, ``most`` at a time.

    No server is asked by two runs at once, and on each server they keep their order: a run that waits for one
    of its servers keeps later runs from the others.
    """
    taken = {url for run in running for url in run.urls}
    found: list[PlannedRun] = []
    for run in waiting:
        if most is not None and len(running) + len(found) >= most:
            break
        if not run.urls & taken:
            found.append(run)
        taken |= run.urls
    return found


def has_parallel_runs(runs: Sequence[PlannedRun], most: int | None) -> bool:
    """Return whether any two of the runs may be made at the same time."""
    return most != 1 and any(not one.urls & other.urls for one, other in combinations(runs, 2))
