"""One evaluation by Inspect while it runs: how it is connected, what stops it, and what happened."""

import asyncio
import io
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import uvloop
from inspect_ai import Task, eval_async
from inspect_ai.model import Model, get_model
from inspect_ai.util import display_type

from evals.asking_end import AskingEnd, FailedResponse
from evals.client_load import ClientLoad
from evals.interrupts import STOPPING, STOPS, handlers_put_back
from evals.memory import is_memory_error, out_of_memory
from evals.preflight.first_replies import FirstReplies
from evals.progress import ProgressSlot, Watcher
from evals.provider import EndpointAPI
from evals.run_request import RunRequest
from evals.storage.exchange_store import ExchangeStore
from evals.transport.failure import Failure, FailureKind, one_line
from tasks.inspect_task import build_task
from tasks.pairs import Pair

N_FLUSHES = 100  # each copies the whole log: of a large run, after every hundred responses, that is terabytes

GRADING_S = 5.0  # after a stop, at most
QUIET_S = 0.3  # nothing graded for so long: the rest waits for answers


class Evaluation:
    """Asks what a task asks and keeps the answers; ``fatal``, ``failures`` and the counts say what happened.

    ``failures`` holds every request that failed for good, by its key.
    """

    def __init__(self, request: RunRequest, *, store: ExchangeStore, log_dir: Path) -> None:
        self._request = request
        self._store = store
        self._log_dir = log_dir
        self._model = _model(request)
        if not isinstance(self._model.api, EndpointAPI):
            raise TypeError(f"model provider: {type(self._model.api).__name__}, expected EndpointAPI")
        self.api = self._model.api
        self.fatal: Failure | None = None
        self.failures: dict[str, FailedResponse] = {}
        self.was_interrupted = False
        self.is_whole = False
        self.n_retries = 0

    def run(self, task: Task, watcher: Watcher, *, tell: Callable[[str], None]) -> None:
        """Run to the end; ``watcher`` hears of every finished response, ``tell`` of what a person should read."""
        with (
            redirect_stdout(io.StringIO()),  # Inspect greets on stdout, which belongs to --json
            handlers_put_back(),
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop,  # about 0.6 of the CPU per chunk
        ):
            loop.run(self._evaluate(task, watcher, tell))

    def end(self, load: ClientLoad) -> AskingEnd:
        """Return what asking came to; ``load`` was started with it."""
        return AskingEnd(
            n_requests_sent=self.api.n_requests_sent,
            n_retries=self.n_retries,
            failures=self.failures,
            fatal=self.fatal,
            was_interrupted=self.was_interrupted,
            cpu_share=load.cpu_share() if self.api.n_requests_sent else None,
        )

    async def _evaluate(self, task: Task, watcher: Watcher, tell: Callable[[str], None]) -> None:
        """Run Inspect's evaluation until it ends, the endpoint refuses, or Ctrl-C."""
        stop = asyncio.Event()
        self._connect(stop, tell)
        watcher.on_unexpected = lambda message: self._stop_on_bug(message, stop)
        watcher.live_tokens = lambda: self.api.n_live_chunks
        self.api.on_send = watcher.sent
        ProgressSlot.current = watcher
        try:
            evaluation = asyncio.create_task(self._inspect_eval(task))
            stopping = asyncio.create_task(stop.wait())
            await asyncio.wait({evaluation, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if self.was_interrupted:
                await self._grade_answered(evaluation)
            if stop.is_set():
                evaluation.cancel()
            await asyncio.gather(evaluation, return_exceptions=stop.is_set())
            self.is_whole = not stop.is_set() and self.fatal is None
        finally:
            ProgressSlot.current = None
            watcher.close()
            await self.api.aclose()

    async def _grade_answered(self, evaluation: "asyncio.Task[None]") -> None:
        """Send nothing more and let what was answered be graded: partial results hold all that is kept."""
        self.api.is_stopping = True
        until = time.monotonic() + GRADING_S
        n_before = -1
        while ProgressSlot.n_graded != n_before and time.monotonic() < until and not evaluation.done():
            n_before = ProgressSlot.n_graded
            await asyncio.sleep(QUIET_S)

    def _stop_on_bug(self, message: str, stop: asyncio.Event) -> None:
        """End the run loudly on an exception that is no :class:`Failure`: a crash of ours is never a score."""
        message = (
            out_of_memory() if is_memory_error(message) else f"unexpected error, please report it: {message}"
        )
        self.fatal = self.fatal or Failure(kind=FailureKind.CLIENT, message=message, is_retryable=False)
        stop.set()

    def _connect(self, stop: asyncio.Event, tell: Callable[[str], None]) -> None:
        """Let the provider use the journal and stop the run; let Ctrl-C stop it, twice at once."""

        def on_fatal(failure: Failure) -> None:
            self.fatal = self.fatal or failure
            stop.set()

        def on_dead(reason: str) -> None:
            on_fatal(Failure(kind=FailureKind.CHECKPOINT, message=reason, is_retryable=False))

        def on_attempt(_attempt: object) -> None:
            self.n_retries += 1

        def on_failure(key: str, pair: Pair, words: str) -> None:
            self.failures[key] = FailedResponse(pair=pair, words=words)

        def on_interrupt() -> None:
            if self.was_interrupted:
                os._exit(130)
            self.was_interrupted = True
            tell(f"\n{STOPPING}")
            stop.set()

        api, settings = self.api, self._request.settings
        api.endpoint = self._request.endpoint
        api.journal = self._store
        api.waits, api.policy = settings.waits, settings.policy
        api.on_fatal, api.on_attempt = on_fatal, on_attempt
        api.on_failure = on_failure
        first = FirstReplies(tell=tell, stop=on_dead)
        api.on_reply = first.look
        api.on_part = first.look_at_part
        if threading.current_thread() is threading.main_thread():  # signals reach no other thread
            loop = asyncio.get_running_loop()
            for number in STOPS:
                loop.add_signal_handler(number, on_interrupt)

    async def _inspect_eval(self, task: Task) -> None:
        """Call Inspect with everything off that only costs: what users see in the viewer stays the same."""
        n_connections = self._request.settings.max_connections
        os.environ["INSPECT_DISPLAY"] = "none"
        display_type()  # reads the variable; eval_async would otherwise choose a display of its own
        logs = await eval_async(
            task,
            model=self._model,
            log_dir=str(self._log_dir),
            log_format="eval",
            log_realtime=False,  # a second copy of every sample in SQLite; our journal is the safer record
            # what was sent: for prompts the log says it already, a whole request is changed on its way
            log_model_api=any(item.request is not None for item in self._request.items),
            log_level="error",
            log_buffer=max(100, n_connections, self._request.n_expected // N_FLUSHES),
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
                message = (
                    out_of_memory()
                    if is_memory_error(words)
                    else f"the evaluation ended in an error: {one_line(words)}"
                )
                self.fatal = self.fatal or Failure(
                    kind=FailureKind.CLIENT, message=message, is_retryable=False
                )


def task_of(
    request: RunRequest,
    metadata: Mapping[str, Any],
    pairs: Sequence[Pair] | None = None,
    only: Set[Pair] | None = None,
) -> Task:
    """Return the task that a run asks, or only some of its responses (:func:`tasks.inspect_task.build_task`)."""
    return build_task(
        request.spec,
        request.items,
        run_seed=request.settings.run_seed,
        metadata=metadata,
        escalate_to=request.settings.escalate_to,
        send_seed=request.settings.send_seed,
        pairs=pairs,
        only=only,
    )


def _model(request: RunRequest) -> Model:
    endpoint = request.endpoint
    with redirect_stdout(io.StringIO()):  # the first model of a process has Inspect greet as well
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
