"""A run in a process of its own, beside others: what it tells, and its own side."""

import io
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TypeAlias

from evals.commands.one_run import INTERRUPTED
from evals.progress import Watcher
from evals.run_state import RunState
from evals.runner import Watch
from evals.shards.told import Said, Teller, Told
from evals.told_process import Sender, stop_with_parent


@dataclass(frozen=True, kw_only=True)
class Began:
    """Asking begins: ``recorded`` of the ``expected`` responses are there from before."""

    expected: int
    recorded: int


RunTold: TypeAlias = Began | Told | RunState
RunWork: TypeAlias = Callable[[Watch], RunState]  # makes one run to its end


def make_run(work: RunWork, connection: Connection) -> None:
    """Do the work of one run: the whole life of its process, which ends by telling how the run stands.

    SIGINT, held back until here, stops the run in order. An exception that is not foreseen is a crash of this
    process; its stack trace is told like everything that is written to stderr.
    """
    send: Sender[RunTold] = Sender(connection)
    sys.stderr = ToldLines(lambda line: send(Said(line=line)))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        os.setsid()  # Ctrl-C at the terminal reaches the starter alone, which then stops its runs in order
        stop_with_parent(signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        state = work(lambda expected, recorded: _begin(send, expected, recorded))
    except KeyboardInterrupt:
        state = INTERRUPTED
    send(state)
    connection.close()


def _begin(send: Sender[RunTold], expected: int, recorded: int) -> Watcher:
    send(Began(expected=expected, recorded=recorded))
    return Teller(send)


class ToldLines(io.TextIOBase):
    """A text stream that tells every line written to it, whole."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__()
        self._tell = tell
        self._begun = ""
        self._one_at_a_time = threading.Lock()

    def writable(self) -> bool:
        """Return that it can be written to."""
        return True

    def write(self, text: str) -> int:
        """Take text, and tell the lines that it ends; empty ones say nothing."""
        with self._one_at_a_time:
            *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            if line.strip():
                self._tell(line)
        return len(text)
