"""Several processes of this machine ask one run: start them, hear them, start a dead one again."""

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import FrameType

from evals.asking_end import AskingEnd, together
from evals.progress import Watcher
from evals.run_request import RunRequest
from evals.shards.dealing import Shard
from evals.shards.places import shard_directory
from evals.shards.shard_run import deal_run
from evals.shards.worker import STDERR, Finished, Said, Streaming, Told, work
from tasks.pairs import Pair

MOST_STARTS = 3  # of one worker; what it has not asked by then, the run's own process asks
STOPPING_S = 20.0  # for a worker to close its connections and its journal
_PROCESSES = multiprocessing.get_context("spawn")  # fork would copy an event loop and its sockets


class Worker:
    """One process and what it has told so far; ``end`` once it is over in good order."""

    def __init__(self, request: RunRequest, shard: Shard, pairs: Sequence[Pair]) -> None:
        self.shard = shard
        self.end: AskingEnd | None = None
        self.n_starts = 0
        self.n_chunks = 0  # of the process that runs now
        self._request, self._pairs = request, pairs
        self.start()

    def start(self) -> None:
        """Start the process; what an earlier one finished is in the shard's journal."""
        self.n_starts += 1
        self.n_chunks = 0
        self.connection, theirs = _PROCESSES.Pipe(duplex=False)
        self.process: SpawnProcess = _PROCESSES.Process(
            target=work,
            args=(self._request, self.shard, self._pairs, theirs),
            name=f"shard {self.shard.name}",
        )
        self.process.start()
        theirs.close()

    def hear(self) -> list[Told]:
        """Return what it has told since; a message that its death cut off is lost, not what it asked."""
        heard: list[Told] = []
        try:
            while self.connection.poll():
                heard.append(self.connection.recv())
        except (EOFError, OSError):
            self.connection.close()
        return heard

    def death(self) -> str | None:
        """Return how the process died, ``None`` while it runs or where it ended in good order."""
        code = self.process.exitcode
        if code is None or self.end is not None:
            return None
        if code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}{_last_words(self._request, self.shard)}"


class Workers:
    """The workers of one run."""

    def __init__(
        self, request: RunRequest, watcher: Watcher, *, n_workers: int, tell: Callable[[str], None]
    ) -> None:
        self._watcher, self._tell = watcher, tell
        self._told: set[str] = set()
        self._was_interrupted = False
        self._stopped_at: float | None = None
        dealt = deal_run(request, n_workers)
        self._workers = [
            Worker(request, Shard(number=number, n_shards=n_workers), pairs)
            for number, pairs in enumerate(dealt, start=1)
            if pairs
        ]

    def run(self) -> AskingEnd:
        """Hear them until all are over and return what they came to together."""
        self._watcher.live_tokens = lambda: sum(worker.n_chunks for worker in self._workers)
        with _on_interrupt(self._interrupt):
            while running := [worker for worker in self._workers if worker.end is None]:
                wait([source for worker in running for source in _sources(worker)], timeout=1.0)
                for worker in running:
                    self._look_after(worker)
                self._kill_who_hangs()
        self._watcher.close()
        end = together(worker.end for worker in self._workers if worker.end is not None)
        return replace(end, was_interrupted=self._was_interrupted)

    def _look_after(self, worker: Worker) -> None:
        has_ended = worker.process.exitcode is not None  # asked first: whatever it told then is there to hear
        for told in worker.hear():
            self._take(worker, told)
        if not has_ended:
            return
        worker.process.join()
        if (death := worker.death()) is not None:
            self._replace(worker, death)

    def _take(self, worker: Worker, told: Told) -> None:
        if isinstance(told, Finished):
            self._watcher.finished(told.outcome)
        elif isinstance(told, Streaming):
            worker.n_chunks = told.n_chunks
        elif isinstance(told, Said):
            if told.line not in self._told:  # every worker sees the same endpoint
                self._told.add(told.line)
                self._tell(told.line)
        else:
            worker.end = told
            if told.fatal is not None:
                self._stop()

    def _replace(self, worker: Worker, death: str) -> None:
        """Start a dead worker again, so that it goes on where it died; else leave its share to the run."""
        if self._stopped_at is not None:
            worker.end = AskingEnd()
            return
        if worker.n_starts >= MOST_STARTS:
            worker.end = AskingEnd()
            self._tell(
                f"note: worker {worker.shard.name} {death}; the rest of its share is asked by the run itself"
            )
            return
        self._tell(f"note: worker {worker.shard.name} {death}; started again, what it had finished is kept")
        worker.start()

    def _interrupt(self) -> None:
        if self._was_interrupted:
            for worker in self._workers:
                worker.process.kill()
            os._exit(130)
        self._was_interrupted = True
        self._tell("\nstopping: finished responses are kept; Ctrl-C again to stop at once")
        self._stop()

    def _stop(self) -> None:
        self._stopped_at = self._stopped_at or time.monotonic()
        for worker in self._workers:
            if worker.end is None:
                worker.process.terminate()

    def _kill_who_hangs(self) -> None:
        if self._stopped_at is None or time.monotonic() - self._stopped_at < STOPPING_S:
            return
        for worker in self._workers:
            if worker.end is None:
                worker.process.kill()


def run_workers(request: RunRequest, watcher: Watcher, *, tell: Callable[[str], None]) -> AskingEnd:
    """Let ``n_workers`` processes ask the run and return what they came to.

    A worker that dies is started again where it stopped, at most :data:`MOST_STARTS` times in all. Ctrl-C
    stops all of them in order, and so does what is fatal to one: the endpoint refuses the settings of all.
    """
    return Workers(request, watcher, n_workers=request.settings.n_workers, tell=tell).run()


def _sources(worker: Worker) -> Iterator[Connection | int]:
    if not worker.connection.closed:
        yield worker.connection
    yield worker.process.sentinel


def _last_words(request: RunRequest, shard: Shard) -> str:
    path = shard_directory(request.directory, shard) / STDERR
    lines = path.read_text(errors="replace").split("\n") if path.exists() else []
    said = [line.strip() for line in lines if line.strip()]
    return f" ({said[-1][:300]})" if said else ""


@contextmanager
def _on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Call ``act`` on Ctrl-C and SIGTERM; in another thread than the main one, where none arrive, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        act()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
