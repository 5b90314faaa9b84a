"""Output whose reader may go away: ``quantcheck run ... | head -1`` finishes its work and ends as it deserves."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, AnyStr, Generic, TextIO


class DeafOutput(Generic[AnyStr]):
    """A stream that goes on where nobody reads any more: what is written then is lost, nothing else is.

    Without it the first write to a closed pipe would end the command in the middle, with an exit code that
    says something about a checkpoint.
    """

    def __init__(self, stream: IO[AnyStr]) -> None:
        self._stream: IO[AnyStr] = stream

    @property
    def buffer(self) -> "DeafOutput[bytes]":
        """The stream of bytes below a stream of text."""
        text: Any = self._stream  # of bytes there is none below
        return DeafOutput(text.buffer)

    def write(self, text: AnyStr) -> int:
        """Write ``text``."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            self._let_go()
            return len(text)

    def flush(self) -> None:
        """Pass on what is held back."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._let_go()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _let_go(self) -> None:
        """Point the file descriptor at nothing: what is still buffered goes there too, when Python exits."""
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self._stream.fileno())
        os.close(nothing)


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Let stdout and stderr be closed by whoever reads them."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = map(_deaf, before)
    try:
        yield
    finally:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()
        sys.stdout, sys.stderr = before


def _deaf(stream: TextIO | None) -> DeafOutput[str] | None:
    """Return the stream made deaf; Python has none (``>&-``) where a process was started without."""
    return None if stream is None else DeafOutput(stream)
