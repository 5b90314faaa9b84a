"""The one retry policy: what is tried again, how long is waited, and when a request is given up."""

import random
from asyncio import sleep
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum, auto
from time import monotonic
from typing import TypeVar

from evals.transport.exchange import Attempt
from evals.transport.failure import Failure

MIN_ATTEMPTS = 3  # even of a request that starts when the endpoint has been silent for too long already
Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Patience with a failing endpoint; times in seconds.

    ``outage_s``: how long the endpoint may answer nobody, or ask to slow down (a server restart then costs
    nothing); the time that a request was being answered before it broke does not count. ``cold_s``: the
    same before the endpoint has said anything in this run: a dead endpoint should be named soon.
    ``max_attempts``: tries of one request while others succeed, since then the fault follows the request.
    """

    outage_s: float = 1800.0
    cold_s: float = 120.0
    max_attempts: int = 8
    base_wait_s: float = 0.5
    max_wait_s: float = 60.0


class GivenUp(Enum):
    """Why a request is not tried again."""

    REFUSED = auto()  # and would be again
    OWN_FAULT = auto()  # it failed again and again while others were answered
    TOLD_TO_WAIT = auto()  # for longer than anybody waits
    OUTAGE = auto()  # nobody has been answered for too long, or will be soon enough


class EndpointHealth:
    """Whether the endpoint answers anyone: what all requests of a run know of it (monotonic seconds)."""

    def __init__(self) -> None:
        self.last_success_at: float | None = None
        self.silent_since: float | None = None  # the first failure after the last answer
        self.has_spoken = False

    def spoke(self) -> None:
        """Note that the endpoint has begun to answer someone."""
        self.has_spoken = True

    def succeeded(self) -> None:
        """Note that a request was answered."""
        self.last_success_at = monotonic()
        self.silent_since = None
        self.has_spoken = True

    def failed(self) -> None:
        """Note that an attempt failed."""
        if self.silent_since is None:
            self.silent_since = monotonic()

    def answered_since(self, moment: float) -> bool:
        """Return whether anyone was answered after ``moment``."""
        return self.last_success_at is not None and self.last_success_at > moment

    def silence_s(self) -> float:
        """Return for how long the endpoint has answered nobody."""
        return 0.0 if self.silent_since is None else monotonic() - self.silent_since


async def send_with_retries(
    send: Callable[[], Awaitable[Answer]],
    *,
    policy: RetryPolicy,
    health: EndpointHealth,
    rng: random.Random,
    on_retry: Callable[[Attempt], None] = lambda _attempt: None,
) -> tuple[Answer, tuple[Attempt, ...]]:
    """Return the reply and the failed attempts before it; raise the last :class:`Failure` when giving up."""
    attempts: list[Attempt] = []
    n_own_faults = 0
    started = last_failed_at = monotonic()
    while True:
        attempt_started = monotonic()
        try:
            reply = await send()
        except Failure as failure:
            now = monotonic()
            health.failed()
            if failure.is_rate_limit or now - attempt_started > policy.cold_s:
                health.spoke()  # a dead endpoint neither asks to slow down nor keeps a request for so long
            # In an outage nobody is answered between two failures: it is not this request's own fault.
            n_own_faults += not failure.is_rate_limit and health.answered_since(last_failed_at)
            last_failed_at = now
            wait = _wait(failure, len(attempts), policy, rng)
            reason = _reason_to_give_up(failure, n_own_faults, len(attempts) + 1, wait, policy, health)
            if reason is not None:
                raise _given_up(failure, reason, len(attempts) + 1, now - started) from failure
            attempts.append(
                Attempt(
                    failure=failure.message,
                    status=failure.status,
                    duration_s=now - attempt_started,
                    waited_s=wait,
                    replica=failure.replica,
                )
            )
            on_retry(attempts[-1])
            await sleep(wait)
        else:
            health.succeeded()
            return reply, tuple(attempts)


def _wait(failure: Failure, n_before: int, policy: RetryPolicy, rng: random.Random) -> float:
    """Return the next wait: exponential with full jitter above half, never less than the server asked for."""
    ceiling = min(policy.max_wait_s, policy.base_wait_s * 2.0 ** min(n_before, 30))
    wait = rng.uniform(ceiling / 2, ceiling)
    if failure.retry_after_s is None:
        return wait
    return failure.retry_after_s + rng.uniform(0.0, min(1.0, wait))


def _reason_to_give_up(
    failure: Failure,
    n_own_faults: int,
    n_attempts: int,
    wait: float,
    policy: RetryPolicy,
    health: EndpointHealth,
) -> GivenUp | None:
    """Return why no further attempt is made; ``None`` where one is."""
    if not failure.is_retryable:
        return GivenUp.REFUSED
    if n_own_faults >= policy.max_attempts:
        return GivenUp.OWN_FAULT
    patience = policy.outage_s if health.has_spoken else policy.cold_s
    if failure.retry_after_s is not None and failure.retry_after_s > patience:
        return GivenUp.TOLD_TO_WAIT
    is_over = health.silence_s() + wait > patience and n_attempts >= MIN_ATTEMPTS
    return GivenUp.OUTAGE if is_over or wait > patience else None


def _given_up(failure: Failure, reason: GivenUp, n_attempts: int, after_s: float) -> Failure:
    is_outage = reason is GivenUp.OUTAGE
    if n_attempts == 1:
        failure.is_outage = is_outage
        return failure
    return Failure(
        kind=failure.kind,
        message=f"{failure.message} (given up after {n_attempts} attempts in {_about(after_s)})",
        status=failure.status,
        is_retryable=False,
        replica=failure.replica,
        is_outage=is_outage,
    )


def _about(seconds: float) -> str:
    """Return a time in round words: failures of one outage then read alike, and are logged and counted as one."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
