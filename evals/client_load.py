"""How busy this process is: whether the client, not the endpoint, sets the pace of a run."""

import time

BUSY_SHARE = 0.85  # of one core: one event loop cannot use more, and queues well before it is full
SHORTEST_S = 10.0  # below, start-up is most of what is measured


class ClientLoad:
    """Measures the CPU time of this process against the clock from its making on."""

    def __init__(self) -> None:
        self._cpu_s, self._clock_s = time.process_time(), time.perf_counter()

    def cpu_share(self) -> float | None:
        """Return CPU seconds a second of the clock, in cores; ``None`` where too little time has passed."""
        clock_s = time.perf_counter() - self._clock_s
        if clock_s < SHORTEST_S:
            return None
        return (time.process_time() - self._cpu_s) / clock_s


def is_bottleneck(cpu_share: float | None) -> bool:
    """Return whether a client this busy slows the run down."""
    return cpu_share is not None and cpu_share > BUSY_SHARE


def bottleneck_note(cpu_share: float) -> str:
    """Return what to tell a person about a client that was the limit."""
    return (
        f"this client used {cpu_share:.0%} of a core: it, not the endpoint, was the limit; "
        "speeds are the client's (--workers N lets N processes ask; the next run can use it)"
    )
