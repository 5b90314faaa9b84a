"""Ctrl-C, for whoever looks after processes that ask: what it does, and what a person reads."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM)
STOPPING = "stopping: finished responses are kept; Ctrl-C again to stop at once"


@contextmanager
def handlers_put_back() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM do afterwards what they did before.

    A closed uvloop leaves its own handlers behind, which do nothing: whatever follows could not be stopped.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler is not None:  # one that Python did not set
                signal.signal(number, handler)


@contextmanager
def on_interrupt(*, stop: Callable[[], None], kill: Callable[[], None]) -> Iterator[None]:
    """Call ``stop`` on Ctrl-C and SIGTERM; the second time ``kill``, and end this process at once.

    In another thread than the main one, where no signals arrive, do nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    is_stopping = False

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        nonlocal is_stopping
        if is_stopping:
            kill()
            os._exit(130)
        is_stopping = True
        stop()

    with handlers_put_back():
        for number in STOPS:
            signal.signal(number, on_signal)
        yield
