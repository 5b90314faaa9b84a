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

    before = {number: signal.signal(number, on_signal) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
