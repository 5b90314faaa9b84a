"""Play a server that is down for a while, the way a restart looks from outside."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from evals.simulator.refusals import RefusedError


class OutageMode(StrEnum):
    """How an endpoint that is down answers."""

    HTTP_503 = "http_503"  # a gateway in front says so
    CLOSED = "closed"  # connections under way are reset, new ones refused


@dataclass(kw_only=True)
class Outage:
    """Whether the endpoint is down. ``close_port`` closes the port for a number of seconds, where it can."""

    until: float = 0.0
    close_port: Callable[[float], None] | None = None

    def start(self, seconds: float, mode: OutageMode) -> None:
        """Go down for ``seconds``."""
        if mode is OutageMode.CLOSED and self.close_port is not None:
            self.close_port(seconds)
        else:
            self.until = time.monotonic() + seconds

    def check(self) -> None:
        """Raise :class:`RefusedError` (503) while the outage lasts."""
        if time.monotonic() < self.until:
            raise RefusedError(503, "Service unavailable: the endpoint restarts (simulated)")
