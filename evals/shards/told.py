"""What a worker tells whoever started it, and how: one message after another, from any of its threads."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from evals.asking_end import AskingEnd
from evals.memory import memory_bytes
from evals.transport.exchange import Exchange

TELL_EVERY_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One request goes out; ``is_retry``: it repeats a failed one."""

    is_retry: bool


@dataclass(frozen=True, kw_only=True)
class Finished:
    """One response is finished."""

    outcome: str


@dataclass(frozen=True, kw_only=True)
class Streaming:
    """Chunks received since the worker started, also of replies that are still being written, and its memory."""

    n_chunks: int
    memory_bytes: int | None


@dataclass(frozen=True, kw_only=True)
class Said:
    """A line for people."""

    line: str


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A finished exchange, from a worker that shares no disk with the run."""

    key: str
    exchange: Exchange
    facts: Mapping[str, Any]


Told: TypeAlias = Sent | Finished | Streaming | Said | Recorded | AskingEnd


class Teller:
    """Watches an evaluation and passes on what it tells."""

    def __init__(self, send: Callable[[Told], None]) -> None:
        self.on_unexpected: Callable[[str], None] = lambda _message: None
        self.live_tokens: Callable[[], int] = lambda: 0
        self._send = send
        self._one_at_a_time = threading.Lock()
        self._is_closed = threading.Event()
        threading.Thread(target=self._tell_of_streams, daemon=True, name="streams").start()

    def sent(self, is_retry: bool) -> None:
        """Tell of one request before it goes out: of a worker that is killed nothing else is known."""
        self.tell(Sent(is_retry=is_retry))

    def finished(self, outcome: str) -> None:
        """Tell of one finished response."""
        self.tell(Finished(outcome=outcome))

    def say(self, line: str) -> None:
        """Tell a line for people."""
        self.tell(Said(line=line))

    def tell(self, what: Told) -> None:
        """Send a message; messages of several threads follow each other whole."""
        with self._one_at_a_time:
            self._send(what)

    def close(self) -> None:
        """Stop telling of streams: they are over."""
        self._is_closed.set()

    def _tell_of_streams(self) -> None:
        while not self._is_closed.wait(TELL_EVERY_S):
            self.tell(Streaming(n_chunks=self.live_tokens(), memory_bytes=memory_bytes()))
