"""Output whose reader may go away: ``quantcheck run ... | head -1`` finishes its work and ends as it deserves."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class DeafOutput:
    """A text stream that goes on where nobody reads any more: what is written then is lost, nothing else is.

    Without it the first write to a closed pipe would end the command in the middle, with an exit code that
    says something about a checkpoint.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
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
    sys.stdout, sys.stderr = DeafOutput(before[0]), DeafOutput(before[1])
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = before
