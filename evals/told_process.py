"""A process that tells whoever started it how it goes: the side that starts it, and its own."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Generic, TypeVar

_PROCESSES = multiprocessing.get_context("spawn")  # fork would copy an event loop and its sockets
LEAVING_S = 20.0  # for a process to be gone after its last word

Message = TypeVar("Message")


class ToldProcess(Generic[Message]):
    """A running process that calls ``work`` with ``arguments`` and the connection to tell over."""

    def __init__(self, work: Callable[..., None], arguments: tuple[Any, ...], *, name: str) -> None:
        self._connection, theirs = _PROCESSES.Pipe(duplex=False)
        self._process: SpawnProcess = _PROCESSES.Process(target=work, args=(*arguments, theirs), name=name)
        self._start()
        theirs.close()

    def _start(self) -> None:
        """Start it with SIGINT held back: Ctrl-C while it is still importing would be a stack trace of it."""
        resource_tracker.ensure_running()  # which would let SIGINT through again
        held_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held_before)

    @property
    def exit_code(self) -> int | None:
        """How it ended, negative the signal that killed it; ``None`` while it runs."""
        return self._process.exitcode

    def hear(self) -> list[Message]:
        """Return what it has told since; a message that its death cut off is lost."""
        heard: list[Message] = []
        try:
            while not self._connection.closed and self._connection.poll():
                heard.append(self._connection.recv())
        except (EOFError, OSError):
            self._connection.close()
        return heard

    def terminate(self) -> None:
        """Send it SIGTERM."""
        self._process.terminate()

    def interrupt(self) -> None:
        """Send it SIGINT, as Ctrl-C does."""
        if self._process.pid is not None and self._process.exitcode is None:
            os.kill(self._process.pid, signal.SIGINT)

    def kill(self) -> None:
        """Stop it at once."""
        self._process.kill()

    def leave(self) -> None:
        """Wait until it is gone after its last word, so that no process outlives its starter."""
        self._process.join(LEAVING_S)

    def sources(self) -> Iterator[Connection | int]:
        """Yield what becomes ready when it tells something or dies."""
        if not self._connection.closed:
            yield self._connection
        yield self._process.sentinel


class Sender(Generic[Message]):
    """The process's own side: sends one message after another, from any of its threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._one_at_a_time = threading.Lock()

    def __call__(self, message: Message) -> None:
        """Send a message; where nobody hears it any more, nothing happens."""
        with self._one_at_a_time:
            try:
                self._connection.send(message)
            except OSError:
                return  # the answers are in the journal


def stop_with_parent(number: signal.Signals) -> None:
    """Stop this process in order by a signal once its parent is gone: nobody would take over what it does."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), number)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()
