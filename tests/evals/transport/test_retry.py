"""The retry policy under a clock of its own: what is tried again, how long is waited, when it ends."""

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evals.transport.retry
from evals.transport.exchange import Reply
from evals.transport.failure import Failure, FailureKind, http_failure, server_failure
from evals.transport.retry import EndpointHealth, RetryPolicy, send_with_retries
from verifiers.response import Response

REPLY = Reply(response=Response(content="7", finish_reason="stop"), ttft_s=0.1, duration_s=0.2, n_chunks=1)


class Clock:
    """A clock that moves only when somebody waits."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.waits: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(evals.transport.retry, "monotonic", lambda: made.now)
    monkeypatch.setattr(evals.transport.retry, "sleep", made.sleep)
    return made


class Endpoint:
    """Gives its ends one after the other (the last for ever), each after ``takes_s``; others may succeed too."""

    def __init__(self, clock, *ends, takes_s=0.0, health=None, others_every=0):
        self.clock, self.ends, self.takes_s = clock, list(ends), takes_s
        self.health, self.others_every = health, others_every
        self.n = 0

    async def __call__(self):
        end = self.ends[min(self.n, len(self.ends) - 1)]
        self.n += 1
        self.clock.now += self.takes_s
        if self.others_every and self.n % self.others_every == 0:
            self.clock.now += 0.001
            self.health.succeeded()
            self.clock.now += 0.001
        if isinstance(end, Failure):
            raise end
        return end


def fault(status=500, retry_after_s=None):
    return http_failure(status, "words", retry_after_s)


def attempt(endpoint, *, policy=None, health=None, seed=0, on_retry=lambda _: None):
    return asyncio.run(
        send_with_retries(
            endpoint,
            policy=policy or RetryPolicy(),
            health=health or EndpointHealth(),
            rng=random.Random(seed),
            on_retry=on_retry,
        )
    )


def warm(clock, *, seconds_ago=0.0):
    health = EndpointHealth()
    health.succeeded()
    health.last_success_at -= seconds_ago
    clock.now += 0.001
    return health


def test_an_answer_needs_no_attempt_before_it(clock):
    assert attempt(Endpoint(clock, REPLY)) == (REPLY, ())
    assert clock.waits == []


@pytest.mark.parametrize(
    "failure",
    [
        *(fault(status) for status in (408, 409, 425, 429, 500, 502, 503, 504, 529)),
        server_failure("connection: reset"),
    ],
    ids=str,
)
def test_what_may_pass_is_tried_again_and_recorded(clock, failure):
    told = []
    reply, attempts = attempt(Endpoint(clock, failure, failure, REPLY), on_retry=told.append)
    assert reply == REPLY
    assert [one.failure for one in attempts] == [failure.message] * 2
    assert [one.status for one in attempts] == [failure.status] * 2
    assert [one.waited_s for one in attempts] == clock.waits
    assert told == list(attempts)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
def test_a_refusal_is_never_tried_again(clock, status):
    endpoint = Endpoint(clock, fault(status), REPLY)
    with pytest.raises(Failure) as caught:
        attempt(endpoint)
    assert endpoint.n == 1
    assert caught.value.kind is FailureKind.CONFIGURATION
    assert "attempts" not in caught.value.message


def test_a_clients_own_fault_is_never_tried_again(clock):
    endpoint = Endpoint(clock, Failure(kind=FailureKind.CLIENT, message="disk", is_retryable=False))
    with pytest.raises(Failure, match="disk"):
        attempt(endpoint)
    assert endpoint.n == 1


def test_an_exception_that_is_no_failure_is_not_swallowed(clock):
    async def broken():
        raise KeyError("bug")

    with pytest.raises(KeyError):
        attempt(broken)


@given(st.integers(0, 10_000), st.integers(1, 12))
def test_waits_grow_by_doubling_with_jitter_up_to_the_longest(seed, n_faults):
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock()
        patch.setattr(evals.transport.retry, "monotonic", lambda: clock.now)
        patch.setattr(evals.transport.retry, "sleep", clock.sleep)
        attempt(Endpoint(clock, *[fault()] * n_faults, REPLY), health=warm(clock), seed=seed)
    ceilings = [min(60.0, 0.5 * 2**n) for n in range(n_faults)]
    assert all(ceiling / 2 <= wait <= ceiling for wait, ceiling in zip(clock.waits, ceilings, strict=True))


def test_jitter_parts_requests_that_failed_together(clock):
    firsts = set()
    for seed in range(20):
        clock.waits.clear()
        attempt(Endpoint(clock, fault(), REPLY), seed=seed)
        firsts.add(clock.waits[0])
    assert len(firsts) == 20


@pytest.mark.parametrize("asked", [0.0, 3.0, 90.0, 1200.0])
@pytest.mark.parametrize("status", [429, 503, 500])
def test_retry_after_is_honoured_and_hardly_overdone(clock, status, asked):
    attempt(Endpoint(clock, fault(status, asked), REPLY), health=warm(clock))
    assert asked <= clock.waits[0] <= asked + 1.0


@pytest.mark.parametrize("asked", [1801.0, 86_400.0, float("inf")])
def test_a_wait_longer_than_the_patience_is_not_begun(clock, asked):
    endpoint = Endpoint(clock, fault(429, asked), REPLY)
    with pytest.raises(Failure):
        attempt(endpoint, health=warm(clock))
    assert endpoint.n == 1 and clock.waits == []


def test_a_fault_that_follows_the_request_is_given_up_while_others_succeed(clock):
    health = warm(clock)
    endpoint = Endpoint(clock, fault(), health=health, others_every=1)
    with pytest.raises(Failure, match=r"given up after 8 attempts in \d+ (s|min)") as caught:
        attempt(endpoint, health=health)
    assert endpoint.n == 8
    assert caught.value.kind is FailureKind.SERVER


def test_a_rate_limit_is_never_counted_against_the_request(clock):
    health = warm(clock)
    ends = [fault(429)] * 50 + [REPLY]
    reply, attempts = attempt(Endpoint(clock, *ends, health=health, others_every=1), health=health)
    assert reply == REPLY and len(attempts) == 50


@pytest.mark.parametrize(
    ("status", "retry_after_s"), [(429, None), (429, 1.0), (503, 1.0)], ids=["429", "429 after", "503 after"]
)
def test_a_rate_limit_alone_lasts_as_long_as_an_outage(clock, status, retry_after_s):
    started = clock.now
    with pytest.raises(Failure):
        attempt(Endpoint(clock, fault(status, retry_after_s)))  # cold: but it speaks
    assert 1800 - 62 <= clock.now - started <= 1800


@pytest.mark.parametrize("outage_s", [10.0, 300.0, 1700.0])
def test_an_outage_shorter_than_the_patience_costs_nothing(clock, outage_s):
    """Many requests at once, each in the middle of a long answer, when the server restarts."""
    health = warm(clock, seconds_ago=1.0)
    over_at = clock.now + 3000.0 + outage_s

    async def send():
        if clock.now < over_at:
            raise server_failure("connection: refused")
        return REPLY

    clock.now += 3000.0  # the answer had been coming for 50 minutes
    reply, attempts = attempt(send, health=health)
    assert reply == REPLY
    assert len(attempts) > RetryPolicy().max_attempts or outage_s < 100


def test_an_outage_longer_than_the_patience_is_given_up(clock):
    started = clock.now
    with pytest.raises(Failure, match="given up"):
        attempt(Endpoint(clock, fault()), health=warm(clock))
    assert 1800 - 62 <= clock.now - started <= 1800


@pytest.mark.parametrize(
    ("fails", "others_every", "is_outage"),
    [
        pytest.param(fault(), 0, True, id="nobody is answered"),
        pytest.param(fault(429), 0, True, id="everybody is to slow down"),
        pytest.param(fault(), 1, False, id="others are answered"),
        pytest.param(fault(400), 0, False, id="refused"),
        pytest.param(fault(503, 3600.0), 0, False, id="told to wait for too long"),
    ],
)
def test_only_a_request_given_up_for_silence_speaks_of_an_outage(clock, fails, others_every, is_outage):
    health = warm(clock)
    with pytest.raises(Failure) as caught:
        attempt(Endpoint(clock, fails, health=health, others_every=others_every), health=health)
    assert caught.value.is_outage is is_outage


def test_a_dead_endpoint_is_named_soon(clock):
    started = clock.now
    with pytest.raises(Failure, match="given up"):
        attempt(Endpoint(clock, fault()))
    assert 120 - 62 <= clock.now - started <= 120


def test_an_endpoint_that_has_begun_to_answer_is_not_dead(clock):
    health = EndpointHealth()
    health.spoke()
    started = clock.now
    with pytest.raises(Failure):
        attempt(Endpoint(clock, fault()), health=health)
    assert clock.now - started > 1700


@pytest.mark.parametrize("takes_s", [200.0, 2700.0, 7200.0], ids=["minutes", "45 minutes", "two hours"])
def test_a_long_answer_that_breaks_is_asked_again(clock, takes_s):
    """The time that an answer took before it broke is no patience used up."""
    reply, attempts = attempt(Endpoint(clock, server_failure("connection: reset"), REPLY, takes_s=takes_s))
    assert reply == REPLY and len(attempts) == 1


def test_long_answers_that_break_again_and_again_are_given_up_in_the_end(clock):
    health = warm(clock)
    endpoint = Endpoint(clock, server_failure("incomplete"), takes_s=3000.0, health=health, others_every=1)
    with pytest.raises(Failure, match="8 attempts"):
        attempt(endpoint, health=health)
    assert endpoint.n == 8


def test_after_an_outage_that_lasted_too_long_later_requests_are_not_patient_again(clock):
    health = warm(clock)
    with pytest.raises(Failure):
        attempt(Endpoint(clock, fault()), health=health)
    clock.now += 100
    started, second = clock.now, Endpoint(clock, fault())
    with pytest.raises(Failure):
        attempt(second, health=health)
    assert second.n == 3
    assert clock.now - started < 5


def test_they_are_answered_where_the_endpoint_has_come_back(clock):
    health = warm(clock)
    with pytest.raises(Failure):
        attempt(Endpoint(clock, fault()), health=health)
    assert attempt(Endpoint(clock, fault(), REPLY), health=health)[0] == REPLY
    started = clock.now
    with pytest.raises(Failure):
        attempt(Endpoint(clock, fault()), health=health)
    assert clock.now - started > 1700, "patience is whole again"


def test_a_short_policy_makes_short_tests(clock):
    policy = RetryPolicy(outage_s=1.0, cold_s=0.5, base_wait_s=0.001, max_wait_s=0.01)
    with pytest.raises(Failure):
        attempt(Endpoint(clock, fault()), policy=policy)
    assert sum(clock.waits) <= 0.5


def test_a_cancelled_request_stops_at_once():
    async def scenario():
        task = asyncio.create_task(
            send_with_retries(
                lambda: _fail(), policy=RetryPolicy(), health=EndpointHealth(), rng=random.Random(0)
            )
        )
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return task.cancelled()

    async def _fail():
        raise fault()

    assert asyncio.run(scenario())
