"""The replicas of one checkpoint: which one is asked next, and which one rests because it fails."""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from evals.transport.failure import Failure, FailureKind

UNHEALTHY_AFTER = 3  # faults in a row: one or two may be a request's own
FIRST_REST_S = 5.0
LONGEST_REST_S = 300.0


@dataclass(kw_only=True)
class Replica:
    """One server and what is known of it: requests in flight, faults in a row, until when it rests.

    A replica that has rested is tried with one request: only an answer brings the others back.
    """

    base_url: str
    n_in_flight: int = 0
    n_faults: int = 0
    rest_s: float = FIRST_REST_S
    rests_until: float = 0.0
    is_on_trial: bool = False

    @property
    def is_unhealthy(self) -> bool:
        """Whether it failed so often in a row that it is not to be trusted with more than one request."""
        return self.n_faults >= UNHEALTHY_AFTER


class ReplicaPool:
    """Replicas that answer alike. Requests go to the one with the fewest in flight; times are monotonic."""

    def __init__(
        self, base_urls: Sequence[str], *, rng: random.Random, clock: Callable[[], float] = monotonic
    ) -> None:
        self.replicas = tuple(Replica(base_url=base_url) for base_url in base_urls)
        self._rng = rng
        self._clock = clock

    @property
    def is_fleet(self) -> bool:
        """Whether there is more than one replica."""
        return len(self.replicas) > 1

    def choose(self, *, after: Replica | None = None) -> Replica:
        """Return the replica to ask: of those that do not rest the least busy, not ``after`` if others are ready.

        Among equals chance decides: taking turns would give the same items to the same replica in every
        epoch, and replicas are compared within items. Where all rest, the one that rests least is asked.
        """
        ready = [replica for replica in self.replicas if self._is_ready(replica)]
        others = [replica for replica in ready if replica is not after]
        if not ready:
            return min(self.replicas, key=lambda replica: replica.rests_until)
        among = others or ready
        fewest = min(replica.n_in_flight for replica in among)
        return self._rng.choice([replica for replica in among if replica.n_in_flight == fewest])

    @contextmanager
    def asking(self, replica: Replica) -> Iterator[None]:
        """Count a request of ``replica`` while it is in flight, and note how it ends."""
        replica.n_in_flight += 1
        replica.is_on_trial = replica.is_unhealthy
        try:
            yield
        except Failure as failure:
            self._failed(replica, failure)
            raise
        else:
            replica.n_faults, replica.rest_s, replica.rests_until = 0, FIRST_REST_S, 0.0
        finally:
            replica.n_in_flight -= 1
            replica.is_on_trial = False

    def has_other(self, replica: Replica) -> bool:
        """Return whether another replica could take over at once."""
        return any(other is not replica and self._is_ready(other) for other in self.replicas)

    def _is_ready(self, replica: Replica) -> bool:
        return not replica.is_on_trial and self._clock() >= replica.rests_until

    def _failed(self, replica: Replica, failure: Failure) -> None:
        """Let the replica rest where it asks for time, or has failed too often; what it refuses is no fault."""
        now = self._clock()
        if failure.is_rate_limit:
            replica.rests_until = max(replica.rests_until, now + (failure.retry_after_s or 0.0))
        elif failure.kind is FailureKind.SERVER:
            replica.n_faults += 1
            if (
                replica.is_unhealthy and now >= replica.rests_until
            ):  # requests that fail together are one fault
                replica.rests_until = now + replica.rest_s
                replica.rest_s = min(2 * replica.rest_s, LONGEST_REST_S)
