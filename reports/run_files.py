"""Find the runs behind a path (label, task or run directory, a log, a score file) and read their scores."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from reports.eval_log import EvalLog, read_eval_log
from reports.foreign import foreign_files, read_foreign, sniff
from reports.log_members import LogError
from reports.manifest import MANIFEST, read_manifest
from reports.score_file import read_score_file
from reports.score_loading import SCORE_SUFFIXES
from reports.score_table import ScoreTable, TaskFacts, concat_frames
from reports.server_starts import server_starts

LOG_SUFFIX = ".eval"
_DEPTH = 3  # runs directory / label / task / key


class AmbiguousRunError(Exception):
    """A path under which several runs answer the question; the message lists them."""


@dataclass(frozen=True, kw_only=True)
class TaskRun:
    """One run of one task: its facts and its rows."""

    facts: TaskFacts
    frame: pd.DataFrame


def read_scores(path: Path) -> ScoreTable:
    """Return the one run of every task under ``path``.

    Raises
    ------
    LogError, ScoreFileError
        Something under the path cannot be read, or there is nothing to read.
    AmbiguousRunError
        Some task has more than one run there.
    """
    return table_of_runs([only_run(runs) for runs in runs_by_task(find_runs(path)).values()])


def table_of_runs(runs: Sequence[TaskRun]) -> ScoreTable:
    """Return the score table of runs of different tasks."""
    frame = concat_frames([run.frame for run in runs])
    return ScoreTable(frame=frame, facts={run.facts.task: run.facts for run in runs})


def runs_by_task(runs: Iterable[TaskRun]) -> dict[str, list[TaskRun]]:
    """Return the runs under their task's name, tasks in order of name."""
    grouped: dict[str, list[TaskRun]] = {}
    for run in sorted(runs, key=lambda run: (run.facts.task, run.facts.source)):
        grouped.setdefault(run.facts.task, []).append(run)
    return grouped


def only_run(runs: Sequence[TaskRun]) -> TaskRun:
    """Return the single run of a task; raises :class:`AmbiguousRunError` with the choices."""
    if len(runs) == 1:
        return runs[0]
    raise AmbiguousRunError(describe_runs(runs))


def describe_runs(runs: Sequence[TaskRun]) -> str:
    """Return one sentence naming several runs of one task and the way out."""
    listed = "; ".join(f"{run.facts.source} (fingerprint {run.facts.fingerprint})" for run in runs)
    return f"{runs[0].facts.task}: {len(runs)} runs are here: {listed}; name one of these directories"


def find_runs(path: Path) -> list[TaskRun]:
    """Return every run under ``path``: of all tasks, but of one label only."""
    if path.is_file():
        return _runs_of_file(path)
    if not path.exists():
        raise LogError(f"{path}: no such file or directory; give a run directory, a log or a score file")
    directories = _run_directories(path)
    runs = [run for directory in directories for run in _runs_of_directory(directory)]
    if not directories:
        runs = _foreign_runs(foreign_files(path))
    if not runs:
        raise LogError(f"{path}: holds no log ({LOG_SUFFIX}); give a run directory, a log or a score file")
    labels = sorted({run.facts.label for run in runs if not run.facts.is_foreign})
    if len(labels) > 1:
        raise AmbiguousRunError(
            f"{path}: holds runs of {len(labels)} labels ({', '.join(labels)}); name one: {path / labels[0]}"
        )
    return runs


def _runs_of_file(path: Path) -> list[TaskRun]:
    if path.suffix == ".jsonl" and sniff(path) is not None:
        return _foreign_runs([path])
    if path.suffix in SCORE_SUFFIXES:
        table = read_score_file(path)
        return [
            TaskRun(facts=facts, frame=table.frame[table.frame["task"] == task].reset_index(drop=True))
            for task, facts in table.facts.items()
        ]
    manifest = read_manifest(path.parent / MANIFEST)
    log = read_eval_log(path)
    return [_united([log], path, manifest if manifest.get("task") == log.facts.task else {})]


def _foreign_runs(paths: Sequence[Path]) -> list[TaskRun]:
    return [TaskRun(facts=run.facts, frame=run.frame) for run in read_foreign(paths)]


def _run_directories(path: Path) -> list[Path]:
    """Return the directories at or below ``path`` that hold logs, in order of name."""
    found: list[Path] = []
    for directory, children, files in os.walk(path):
        depth = len(Path(directory).relative_to(path).parts)
        children[:] = sorted(child for child in children if depth < _DEPTH and not child.startswith("."))
        if MANIFEST in files or any(name.endswith(LOG_SUFFIX) for name in files):
            found.append(Path(directory))
    return found


def _runs_of_directory(directory: Path) -> list[TaskRun]:
    """Return the runs of one directory: logs of one fingerprint (ours) or task id (others') are one run."""
    paths = sorted(directory.glob(f"*{LOG_SUFFIX}"))
    manifest = read_manifest(directory / MANIFEST)
    if not paths and manifest.get("dead"):
        raise LogError(f"{directory}: {manifest['dead']}")
    if not paths:
        raise LogError(f"{directory}: has a manifest and no log; run the task again, it resumes")
    groups: dict[tuple[str, str], list[EvalLog]] = {}
    for log in _readable(paths):
        identity = log.run_group if log.facts.is_foreign else str(log.facts.fingerprint)
        groups.setdefault((log.facts.task, identity), []).append(log)
    if len(groups) > 1 and manifest:
        names = ", ".join(sorted({f"{task} {identity}" for task, identity in groups}))
        raise LogError(f"{directory}: its logs are of different runs ({names}); keep one run a directory")
    return [_united(logs, directory, manifest) for logs in groups.values()]


def _readable(paths: Sequence[Path]) -> list[EvalLog]:
    """Read the logs; one that a kill left unusable is passed over where another holds the run."""
    logs: list[EvalLog] = []
    failures: list[LogError] = []
    for path in paths:
        try:
            logs.append(read_eval_log(path))
        except LogError as error:
            failures.append(error)
    if not logs:
        raise failures[0]
    newest = max(logs, key=lambda log: log.created)
    notes = tuple(f"passed over: {error}" for error in failures)
    logs[logs.index(newest)] = replace(
        newest, facts=replace(newest.facts, notes=(*newest.facts.notes, *notes))
    )
    return logs


def _united(logs: Sequence[EvalLog], source: Path, manifest: Mapping[str, Any]) -> TaskRun:
    """Return one run from its logs: each (sample, epoch) once, answered before failed, then newest first."""
    ordered = sorted(logs, key=lambda log: log.created, reverse=True)
    frame = concat_frames([log.frame for log in ordered])
    failed = frame["score"].isna().to_numpy()
    order = failed.argsort(kind="stable")
    repeated = frame.iloc[order].duplicated(["sample_id", "epoch"]).to_numpy()
    keep = sorted(order[~repeated])
    frame = frame.iloc[keep].reset_index(drop=True)
    facts = _with_manifest(ordered[0].facts, manifest)
    expected = max((log.facts.expected or 0 for log in ordered), default=0)
    notes = tuple(note for log in ordered for note in log.facts.notes)
    return TaskRun(
        facts=replace(
            facts, source=str(source), expected=max(expected, facts.expected or 0) or None, notes=notes
        ),
        frame=frame,
    )


def _with_manifest(facts: TaskFacts, manifest: Mapping[str, Any]) -> TaskFacts:
    """Return the facts with what only the manifest knows; the log's own word wins."""
    if not manifest:
        return facts
    if facts.fingerprint and manifest.get("fingerprint") not in (None, facts.fingerprint):
        raise LogError(
            f"{facts.source}: the log's fingerprint {facts.fingerprint} is not its manifest's"
            f" {manifest['fingerprint']}; the directory was mixed up"
        )
    return replace(
        facts,
        fingerprint=facts.fingerprint or manifest.get("fingerprint"),
        spec=facts.spec if not facts.is_foreign else manifest.get("spec") or facts.spec,
        endpoint=facts.endpoint or manifest.get("endpoint") or {},
        versions=manifest.get("versions") or facts.versions,
        git_revision=manifest.get("git_revision") or facts.git_revision,
        started=manifest.get("started") or facts.started,
        finished=manifest.get("finished") or facts.finished,
        client=manifest.get("client") or {},
        n_items=_or_else(manifest.get("n_items"), facts.n_items),
        epochs=_or_else(manifest.get("epochs"), facts.epochs),
        expected=_or_else(manifest.get("expected"), facts.expected),
        max_error_rate=_or_else(manifest.get("max_error_rate"), facts.max_error_rate),
        sequential=manifest.get("sequential") or facts.sequential,
        starts=server_starts(manifest.get("starts")),
        dead=manifest.get("dead"),
    )


def _or_else(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value
