"""Run one task against one endpoint, so that nothing finished is ever asked again."""

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from tqdm import tqdm

from evals.asking_end import AskingEnd, together
from evals.client_load import ClientLoad
from evals.evaluation import Evaluation, task_of
from evals.looks.declared_run import check_declared
from evals.progress import Progress, Watcher
from evals.run_request import RunEnd, RunRequest, RunSettings, describe_run
from evals.shards.places import JOURNAL, absorb_shards, shards_directory
from evals.shards.processes import run_processes
from evals.shards.ray_workers import run_on_ray
from evals.storage.exchange_store import SettledStore
from evals.storage.finished_run import finished_log
from evals.storage.journal import Journal
from evals.storage.run_directory import (
    newest_log,
    now_text,
    read_manifest,
    remove_superseded,
    with_reach,
    write_json,
)
from evals.worker_engine import Engine

__all__ = ["RunEnd", "RunRequest", "RunSettings", "run"]


Watch: TypeAlias = Callable[[int, int], Watcher]


def show_progress(expected: int, recorded: int) -> Watcher:
    """Return what shows a run on stderr: ``recorded`` of the ``expected`` responses were there before."""
    return Progress(expected=expected, recorded=recorded)


def run(request: RunRequest, watch: Watch = show_progress) -> RunEnd:
    """Run what is missing and return where it lies.

    ``watch`` is called with what is expected and what is recorded whenever asking begins, with workers twice.

    What shards of this run have asked is taken over first; with several workers they ask what is missing, and
    this process then reads their answers as if it had asked: log and scores are those of one process. Of a run
    that has nothing left to ask, neither answers nor samples are read again: its log is what it was.
    Raises :class:`evals.storage.journal.JournalError` where the directory cannot be used and
    :class:`evals.looks.declared_run.DeclarationError` where it holds a run that declared otherwise. Safe to kill at
    any moment: finished responses are in a journal, and the next run sends only the others.
    """
    directory = request.directory
    with Journal(directory / JOURNAL) as journal:
        earlier = read_manifest(directory)
        check_declared(request.declared, earlier, request.spec.epochs, directory)
        absorb_shards(directory, journal)
        manifest = describe_run(request, earlier)
        if log := finished_log(directory, manifest, earlier, n_recorded=len(journal)):
            return _already_finished(directory, log)
        write_json(directory / "manifest.json", with_reach(manifest, earlier))
        older_logs = sorted(directory.glob("*.eval"))
        workers = AskingEnd()
        if request.settings.n_workers > 1 or request.settings.engine is Engine.RAY:
            workers = _run_workers(request, journal, watch)
            absorb_shards(directory, journal)
        end = _ask(request, journal, workers, manifest, watch)
        log = newest_log(directory, older_logs)
        manifest |= {"finished": now_text(), "log": log.name if log is not None else None}
        manifest |= {"client": {"cpu_share": end.client_cpu_share}, "dead": end.dead}
        write_json(directory / "manifest.json", with_reach(manifest, earlier))
        if end.is_whole:
            remove_superseded(older_logs, manifest)
            shutil.rmtree(shards_directory(directory), ignore_errors=True)
    return replace(end, log=log)


def _already_finished(directory: Path, log: Path) -> RunEnd:
    return RunEnd(
        directory=directory,
        log=log,
        is_whole=True,
        n_requests_sent=0,
        n_retries=0,
        fatal=None,
        was_interrupted=False,
    )


def _ask(
    request: RunRequest, journal: Journal, workers: AskingEnd, manifest: Mapping[str, Any], watch: Watch
) -> RunEnd:
    """Ask what neither journal nor workers have, write the log of everything, and say how it all ended.

    Where the workers were stopped nothing is asked: of thousands of responses the log has the few that there are.
    """
    store = SettledStore(journal, workers.failures, is_stopped=workers.is_stopped)
    evaluation = Evaluation(request, store=store, log_dir=request.directory)
    load = ClientLoad()
    only = None
    if workers.is_stopped:
        only = journal.pairs() | {failed.pair for failed in workers.failures.values()}
    evaluation.run(task_of(request, manifest, only=only), _watcher(request, journal, watch), tell=_tell)
    journal.return_if_lost()
    own = evaluation.end(load)
    both = together([workers, own])
    return RunEnd(
        directory=request.directory,
        log=None,
        is_whole=evaluation.is_whole and not both.is_stopped,
        n_requests_sent=both.n_requests_sent,
        n_retries=both.n_retries,
        fatal=both.fatal,
        was_interrupted=both.was_interrupted,
        client_cpu_share=both.cpu_share,
    )


def _run_workers(request: RunRequest, journal: Journal, watch: Watch) -> AskingEnd:
    watcher = _watcher(request, journal, watch)
    if request.settings.engine is Engine.RAY:
        return run_on_ray(request, journal, watcher, tell=_tell)
    return run_processes(request, watcher, tell=_tell)


def _watcher(request: RunRequest, journal: Journal, watch: Watch) -> Watcher:
    return watch(request.n_expected, min(len(journal), request.n_expected))


def _tell(line: str) -> None:
    tqdm.write(line, file=sys.stderr)
