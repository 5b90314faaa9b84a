"""Find the runs under a directory that may be followed over time: one series a task, label and protocol."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from reports.arm import IntArray
from reports.dead import dead_reason
from reports.intervals import FloatArray
from reports.log_members import LogError
from reports.manifest import MANIFEST
from reports.run_files import AmbiguousRunError, TaskRun, find_runs
from reports.score_table import TaskFacts
from reports.tallies import count_outcomes

DEPTH = 6  # dates, labels, tasks and keys, and two more
MIN_COVERAGE = 0.95  # share of the expected responses from which a run is judged: a part has other items


@dataclass(frozen=True, kw_only=True)
class HistoryRun:
    """One run in time; ``codes`` are positions of its scored responses' items in the series' ``item_ids``."""

    facts: TaskFacts
    at: datetime
    codes: IntArray
    scores: FloatArray
    expected: int
    truncated: int

    @property
    def coverage(self) -> float:
        """Share of the expected responses that have a score."""
        return len(self.scores) / self.expected if self.expected else 0.0

    @property
    def is_judged(self) -> bool:
        """Say whether the run is whole enough to be compared with others."""
        return len(self.scores) > 0 and self.coverage >= MIN_COVERAGE

    @property
    def server(self) -> str | None:
        """Name engine and version of the server, ``None`` where neither is recorded."""
        known = [self.facts.endpoint.get(name) for name in ("engine", "version")]
        return " ".join(str(part) for part in known if part) or None

    @property
    def quantcheck(self) -> str | None:
        """Name the version of quantcheck that graded."""
        version = self.facts.versions.get("quantcheck")
        return str(version) if version else None


@dataclass(frozen=True, kw_only=True)
class Series:
    """Runs that may be compared over time, oldest first; ``labels`` are several only where so asked."""

    task: str
    labels: tuple[str, ...]
    fingerprint: str
    n_items: int
    item_ids: tuple[str, ...]
    runs: tuple[HistoryRun, ...]


@dataclass(frozen=True, kw_only=True)
class Skipped:
    """A run that is in no series, and why."""

    source: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class History:
    """What a directory holds."""

    series: tuple[Series, ...]
    skipped: tuple[Skipped, ...]


def read_history(directory: Path, *, across_labels: bool = False) -> History:
    """Return the runs with a manifest at or below ``directory``; raises :class:`LogError` for none.

    Runs share a series with one task, label (unless ``across_labels``), fingerprint and number of items.
    One that cannot be read or placed in time is skipped with its reason; a copy of a run counts once.
    """
    manifests = _run_directories(directory)
    if not manifests:
        raise LogError(
            f"{directory}: holds no run (no {MANIFEST} down to {DEPTH} levels); give the directory above the runs"
        )
    runs, skipped = _read(manifests)
    runs, copies = _without_copies(runs)
    groups: dict[tuple[str, str, str, int], list[TaskRun]] = {}
    for run in runs:
        label = "" if across_labels else run.facts.label
        key = (run.facts.task, label, str(run.facts.fingerprint), _n_items(run))
        groups.setdefault(key, []).append(run)
    return History(
        series=tuple(_series(key, groups[key]) for key in sorted(groups)),
        skipped=(*skipped, *copies),
    )


def _run_directories(root: Path) -> list[Path]:
    found: list[Path] = []
    for directory, children, files in os.walk(root):
        depth = len(Path(directory).relative_to(root).parts)
        children[:] = sorted(child for child in children if depth < DEPTH and not child.startswith("."))
        if MANIFEST in files:
            found.append(Path(directory))
            children.clear()  # what lies below belongs to this run
    return found


def _read(directories: Iterable[Path]) -> tuple[list[TaskRun], list[Skipped]]:
    runs: list[TaskRun] = []
    skipped: list[Skipped] = []
    for directory in directories:
        try:
            found = find_runs(directory)
        except (LogError, AmbiguousRunError) as error:
            skipped.append(Skipped(source=str(directory), reason=str(error)))
            continue
        for run in found:
            reason = _reason_to_skip(run)
            if reason is None:
                runs.append(run)
            else:
                skipped.append(Skipped(source=str(directory), reason=f"{directory}: {reason}"))
    return runs, skipped


def _reason_to_skip(run: TaskRun) -> str | None:
    if run.facts.fingerprint is None:
        return "records no fingerprint; which runs it may be compared with is not known"
    if read_time(run.facts.started) is None:
        return f"started is {run.facts.started!r}; a time in ISO 8601 is expected"
    dead = dead_reason(run.facts, run.frame)
    if dead is None and not run.frame["score"].notna().any():
        return "has no scored response; run it again"
    return dead


def read_time(text: str | None) -> datetime | None:
    """Return the time of ISO text, in UTC (which a text without a zone is taken for); ``None`` for no time."""
    try:
        at = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _without_copies(runs: Sequence[TaskRun]) -> tuple[list[TaskRun], list[Skipped]]:
    """Leave out runs of one task, label, protocol and start whose scores are those of another."""
    kept: dict[tuple[object, ...], TaskRun] = {}
    copies: list[Skipped] = []
    for run in runs:
        scores = run.frame[["sample_id", "epoch", "score"]].astype({"sample_id": str})
        digest = int(pd.util.hash_pandas_object(scores, index=False).sum())
        facts = run.facts
        first = kept.setdefault((facts.task, facts.label, facts.fingerprint, facts.started, digest), run)
        if first is not run:
            reason = f"{facts.source}: is a copy of {first.facts.source}; counted once"
            copies.append(Skipped(source=facts.source, reason=reason))
    return list(kept.values()), copies


def _n_items(run: TaskRun) -> int:
    return run.facts.n_items or int(run.frame["sample_id"].nunique())


def _series(key: tuple[str, str, str, int], runs: Sequence[TaskRun]) -> Series:
    task, _, fingerprint, n_items = key
    names = sorted({name for run in runs for name in run.frame["sample_id"].astype(str).unique()})
    index = pd.Index(names)
    placed = [_placed(run, index) for run in runs]
    return Series(
        task=task,
        labels=tuple(sorted({run.facts.label for run in runs})),
        fingerprint=fingerprint,
        n_items=n_items,
        item_ids=tuple(names),
        runs=tuple(sorted(placed, key=lambda run: (run.at, run.facts.source))),
    )


def _placed(run: TaskRun, index: "pd.Index[str]") -> HistoryRun:
    at = read_time(run.facts.started)
    if at is None:
        raise ValueError(f"{run.facts.source}: has no start; such runs are skipped before")
    scored = run.frame[run.frame["score"].notna()]
    counts = count_outcomes(run.frame, run.facts.expected)
    return HistoryRun(
        facts=run.facts,
        at=at,
        codes=index.get_indexer(pd.Index(scored["sample_id"].astype(str))).astype(np.int64),
        scores=scored["score"].to_numpy(dtype=np.float64),
        expected=counts.expected,
        truncated=counts.truncated,
    )
