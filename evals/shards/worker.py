"""One worker process: asks its shard, and tells the process that started it how it goes."""

import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import TypeAlias

from evals.asking_end import AskingEnd
from evals.run_request import RunRequest
from evals.shards.dealing import Shard
from evals.shards.places import shard_directory
from evals.shards.shard_run import run_shard
from tasks.pairs import Pair

TELL_EVERY_S = 1.0
STDERR = "stderr.txt"  # in the shard's directory: the last words of a worker that crashes


@dataclass(frozen=True, kw_only=True)
class Finished:
    """One response is finished."""

    outcome: str


@dataclass(frozen=True, kw_only=True)
class Streaming:
    """Chunks received since the worker started, also of replies that are still being written."""

    n_chunks: int


@dataclass(frozen=True, kw_only=True)
class Said:
    """A line for people."""

    line: str


Told: TypeAlias = Finished | Streaming | Said | AskingEnd


class Teller:
    """Passes on what an evaluation tells to the process that started this one."""

    def __init__(self, connection: Connection) -> None:
        self.on_unexpected: Callable[[str], None] = lambda _message: None
        self.live_tokens: Callable[[], int] = lambda: 0
        self._connection = connection
        self._one_at_a_time = threading.Lock()
        self._is_closed = threading.Event()
        threading.Thread(target=self._tell_of_streams, daemon=True, name="streams").start()

    def finished(self, outcome: str) -> None:
        """Tell of one finished response."""
        self.tell(Finished(outcome=outcome))

    def tell(self, what: Told) -> None:
        """Send a message; one that nobody hears any more is dropped, the answers are in the journal."""
        try:
            with self._one_at_a_time:
                self._connection.send(what)
        except OSError:
            return

    def close(self) -> None:
        """Stop telling of streams: they are over."""
        self._is_closed.set()

    def _tell_of_streams(self) -> None:
        while not self._is_closed.wait(TELL_EVERY_S):
            self.tell(Streaming(n_chunks=self.live_tokens()))


def work(request: RunRequest, shard: Shard, pairs: Sequence[Pair], connection: Connection) -> None:
    """Be a worker: the whole life of its process."""
    os.setsid()  # Ctrl-C at the terminal reaches the parent alone, which then stops its workers in order
    _stop_with_parent()
    directory = shard_directory(request.directory, shard)
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / STDERR).open("w") as file:
        os.dup2(file.fileno(), 2)
    teller = Teller(connection)
    end = run_shard(request, shard, pairs, teller, tell=lambda line: teller.tell(Said(line=line)))
    teller.tell(end)
    connection.close()


def _stop_with_parent() -> None:
    """Stop this process in order once its parent is gone: nobody would take over what it asks."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()
