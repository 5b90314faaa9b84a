"""Ctrl-C, for whoever looks after processes that ask: what it does, and what a person reads."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

STOPS = (signal.SIGINT, signal.SIGTERM)
STOPPING = "stopping: finished responses are kept; Ctrl-C again to stop at once"


@contextmanager
def on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Call ``act`` on Ctrl-C and SIGTERM; in another thread than the main one, where none arrive, do nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        act()

    before = {number: signal.signal(number, on_signal) for number in STOPS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
