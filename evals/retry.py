"""The one retry policy: what is tried again, how long is waited, and when a request is given up."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from evals.exchange import Attempt
from evals.failure import Failure

Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """Patience with a failing endpoint; times in seconds.

    ``outage_s``: how long a request is tried again while the endpoint answers nobody, or asks to slow down
    (a server restart then costs nothing). ``cold_s``: the same before the endpoint has answered anything
    in this run: a dead endpoint should be named soon. ``max_attempts``: tries of one request while others
    succeed, since then the fault follows the request.
    """

    outage_s: float = 1800.0
    cold_s: float = 120.0
    max_attempts: int = 8
    base_wait_s: float = 0.5
    max_wait_s: float = 60.0


class EndpointHealth:
    """When the endpoint last gave an answer to anyone (monotonic seconds)."""

    def __init__(self) -> None:
        self.last_success_at: float | None = None

    def succeeded(self) -> None:
        """Note that a request was answered."""
        self.last_success_at = time.monotonic()

    def answered_since(self, moment: float) -> bool:
        """Return whether anyone was answered after ``moment``."""
        return self.last_success_at is not None and self.last_success_at > moment


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
    started = time.monotonic()
    while True:
        attempt_started = time.monotonic()
        try:
            reply = await send()
        except Failure as failure:
            n_own_faults += not failure.is_rate_limit
            now = time.monotonic()
            wait = _wait(failure, len(attempts), policy, rng)
            if not _is_worth_retrying(failure, n_own_faults, now - started + wait, started, policy, health):
                raise _with_history(failure, len(attempts) + 1, now - started) from failure
            attempts.append(
                Attempt(
                    failure=failure.message,
                    status=failure.status,
                    duration_s=now - attempt_started,
                    waited_s=wait,
                )
            )
            on_retry(attempts[-1])
            await asyncio.sleep(wait)
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


def _is_worth_retrying(
    failure: Failure,
    n_own_faults: int,
    patience_used_s: float,
    started: float,
    policy: RetryPolicy,
    health: EndpointHealth,
) -> bool:
    if not failure.is_retryable:
        return False
    if n_own_faults >= policy.max_attempts and health.answered_since(started):
        return False
    is_cold = health.last_success_at is None
    return patience_used_s <= (policy.cold_s if is_cold else policy.outage_s)


def _with_history(failure: Failure, n_attempts: int, after_s: float) -> Failure:
    if n_attempts == 1:
        return failure
    return Failure(
        kind=failure.kind,
        message=f"{failure.message} (given up after {n_attempts} attempts in {after_s:.0f} s)",
        status=failure.status,
        is_retryable=False,
    )
