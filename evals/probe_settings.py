"""How patiently probes are sent: apart from what sends them, so that help can name the defaults without it."""

from dataclasses import dataclass, field

from evals.transport.retry import RetryPolicy

PROBE_RETRIES = RetryPolicy(outage_s=60.0, cold_s=5.0, max_attempts=3, max_wait_s=8.0)


@dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """How patiently requests are sent: seconds for a whole reply, requests in flight, the retry policy."""

    timeout_s: float = 600.0
    max_connections: int = 8
    policy: RetryPolicy = field(default_factory=lambda: PROBE_RETRIES)
