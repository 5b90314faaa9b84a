"""Run one task against one endpoint through Inspect, so that nothing finished is ever asked again."""

import asyncio
import io
import os
import signal
import sys
import threading
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import uvloop
from inspect_ai import Task, eval_async
from inspect_ai.model import Model, get_model
from inspect_ai.util import display_type
from tqdm import tqdm

from evals.client_load import ClientLoad
from evals.declared_run import check_declared
from evals.failure import Failure, FailureKind, one_line
from evals.journal import Journal
from evals.preflight.first_replies import FirstReplies
from evals.progress import Progress, ProgressSlot
from evals.provider import EndpointAPI
from evals.run_directory import (
    newest_log,
    now_text,
    read_manifest,
    remove_superseded,
    with_reach,
    write_json,
)
from evals.run_request import RunEnd, RunRequest, RunSettings, describe_run
from tasks.inspect_task import build_task

__all__ = ["RunEnd", "RunRequest", "RunSettings", "run"]


def run(request: RunRequest) -> RunEnd:
    """Run what is missing and return where it lies.

    Raises :class:`evals.journal.JournalError` where the directory cannot be used and
    :class:`evals.declared_run.DeclarationError` where it holds a run that declared otherwise. Safe to kill at
    any moment: finished responses are in the journal, and the next run sends only the others.
    """
    directory = request.directory
    with Journal(directory / "journal.zst") as journal:
        earlier = read_manifest(directory)
        check_declared(request.declared, earlier, request.spec.epochs, directory)
        manifest = describe_run(request, earlier)
        write_json(directory / "manifest.json", with_reach(manifest, earlier))
        older_logs = sorted(directory.glob("*.eval"))
        with redirect_stdout(io.StringIO()):  # Inspect greets on stdout, which belongs to --json
            run_under_way = _RunUnderWay(request, directory, journal)
            load = ClientLoad()
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop:  # about 0.6 of the CPU per chunk
                loop.run(run_under_way.evaluate(manifest))
        journal.return_if_lost()
        log = newest_log(directory, older_logs)
        cpu_share = load.cpu_share() if run_under_way.api.n_requests_sent else None
        manifest |= {"finished": now_text(), "log": log.name if log is not None else None}
        manifest["client"] = {"cpu_share": cpu_share}
        write_json(directory / "manifest.json", with_reach(manifest, earlier))
        if run_under_way.is_whole:
            remove_superseded(older_logs, manifest)
    return RunEnd(
        directory=directory,
        log=log,
        is_whole=run_under_way.is_whole,
        n_requests_sent=run_under_way.api.n_requests_sent,
        n_retries=run_under_way.n_retries,
        fatal=run_under_way.fatal,
        was_interrupted=run_under_way.was_interrupted,
        client_cpu_share=cpu_share,
    )


class _RunUnderWay:
    """One evaluation while it runs: what to stop it by, and what happened."""

    def __init__(self, request: RunRequest, directory: Path, journal: Journal) -> None:
        self._request = request
        self._directory = directory
        self._journal = journal
        self._model = _model(request)
        if not isinstance(self._model.api, EndpointAPI):
            raise TypeError(f"model provider: {type(self._model.api).__name__}, expected EndpointAPI")
        self.api = self._model.api
        self.fatal: Failure | None = None
        self.was_interrupted = False
        self.is_whole = False
        self.n_retries = 0

    async def evaluate(self, manifest: dict[str, Any]) -> None:
        """Run Inspect's evaluation until it ends, the endpoint refuses, or Ctrl-C."""
        stop = asyncio.Event()
        self._connect(stop)
        request = self._request
        task = build_task(
            request.spec,
            request.items,
            run_seed=request.settings.run_seed,
            metadata=manifest,
            escalate_to=request.settings.escalate_to,
            send_seed=request.settings.send_seed,
        )
        progress = Progress(
            expected=request.n_expected,
            recorded=min(len(self._journal), request.n_expected),
            live_tokens=lambda: self.api.n_live_chunks,
            on_unexpected=lambda message: self._stop_on_bug(message, stop),
        )
        ProgressSlot.current = progress
        try:
            evaluation = asyncio.create_task(self._inspect_eval(task))
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait({evaluation, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if stop.is_set():
                evaluation.cancel()
            await asyncio.gather(evaluation, return_exceptions=stop.is_set())
            self.is_whole = not stop.is_set() and self.fatal is None
        finally:
            ProgressSlot.current = None
            progress.close()
            await self.api.aclose()

    def _stop_on_bug(self, message: str, stop: asyncio.Event) -> None:
        """End the run loudly on an exception that is no :class:`Failure`: a crash of ours is never a score."""
        message = f"unexpected error, please report it: {message}"
        self.fatal = self.fatal or Failure(kind=FailureKind.CLIENT, message=message, is_retryable=False)
        stop.set()

    def _connect(self, stop: asyncio.Event) -> None:
        """Let the provider use the journal and stop the run; let Ctrl-C stop it, twice at once."""

        def on_fatal(failure: Failure) -> None:
            self.fatal = self.fatal or failure
            stop.set()

        def on_attempt(_attempt: object) -> None:
            self.n_retries += 1

        def on_interrupt() -> None:
            if self.was_interrupted:
                os._exit(130)
            self.was_interrupted = True
            print("\nstopping: finished responses are kept; Ctrl-C again to stop at once", file=sys.stderr)
            stop.set()

        api, settings = self.api, self._request.settings
        api.endpoint = self._request.endpoint
        api.journal = self._journal
        api.waits, api.policy = settings.waits, settings.policy
        api.on_fatal, api.on_attempt = on_fatal, on_attempt
        first = FirstReplies(tell=lambda line: tqdm.write(line, file=sys.stderr))
        api.on_reply = lambda asked, reply: first.look(asked.body, reply, stream=asked.stream)
        if threading.current_thread() is threading.main_thread():  # signals reach no other thread
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, on_interrupt)

    async def _inspect_eval(self, task: Task) -> None:
        """Call Inspect with everything off that only costs: what users see in the viewer stays the same."""
        n_connections = self._request.settings.max_connections
        os.environ["INSPECT_DISPLAY"] = "none"
        display_type()  # reads the variable; eval_async would otherwise choose a display of its own
        logs = await eval_async(
            task,
            model=self._model,
            log_dir=str(self._directory),
            log_format="eval",
            log_realtime=False,  # a second copy of every sample in SQLite; our journal is the safer record
            # what was sent: for prompts the log says it already, a whole request is changed on its way
            log_model_api=any(item.request is not None for item in self._request.items),
            log_level="error",
            log_buffer=max(100, n_connections),
            ctl_server=False,
            acp_server=False,
            score_display=False,
            fail_on_error=False,
            max_samples=n_connections,
            max_connections=n_connections,
        )
        for log in logs:
            if log.status == "error":  # a full disk, a metric that crashes: its log ends anywhere
                words = log.error.message if log.error is not None else "no words"
                message = f"the evaluation ended in an error: {one_line(words)}"
                self.fatal = self.fatal or Failure(
                    kind=FailureKind.CLIENT, message=message, is_retryable=False
                )


def _model(request: RunRequest) -> Model:
    endpoint = request.endpoint
    return get_model(
        f"endpoint/{endpoint.model}",
        base_url=endpoint.base_url,
        memoize=False,
        api_key_env=endpoint.api_key_env,
        think_mode=str(endpoint.think_mode),
        thinking=endpoint.thinking,
        effort=endpoint.effort,
        extra_body=dict(endpoint.extra_body),
        stream=request.settings.stream,
    )
