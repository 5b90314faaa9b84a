"""What asking an endpoint came to: of one process, or of several together."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from evals.transport.failure import Failure
from tasks.pairs import Pair


@dataclass(frozen=True, kw_only=True)
class FailedResponse:
    """A response that failed for good, and why."""

    pair: Pair
    words: str


@dataclass(frozen=True, kw_only=True)
class AskingEnd:
    """What asking came to. ``failures`` is what failed for good, by request key.

    ``cpu_share`` is in cores, ``None`` where too little time was measured.
    """

    n_requests_sent: int = 0
    n_retries: int = 0
    failures: Mapping[str, FailedResponse] = field(default_factory=dict)
    fatal: Failure | None = None
    was_interrupted: bool = False
    cpu_share: float | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether something kept it from asking the rest."""
        return self.was_interrupted or self.fatal is not None


def together(ends: Iterable[AskingEnd]) -> AskingEnd:
    """Return what several shards came to: counts added, the busiest client, the first that was fatal."""
    all_ends = list(ends)
    shares = [end.cpu_share for end in all_ends if end.cpu_share is not None]
    return AskingEnd(
        n_requests_sent=sum(end.n_requests_sent for end in all_ends),
        n_retries=sum(end.n_retries for end in all_ends),
        failures={key: failed for end in all_ends for key, failed in end.failures.items()},
        fatal=next((end.fatal for end in all_ends if end.fatal is not None), None),
        was_interrupted=any(end.was_interrupted for end in all_ends),
        cpu_share=max(shares, default=None),
    )
