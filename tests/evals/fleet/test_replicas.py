"""Which replica is asked next: the least busy, none that rests, another one after a failure."""

import random

import pytest

from evals.fleet.replicas import FIRST_REST_S, UNHEALTHY_AFTER, ReplicaPool
from evals.transport.failure import Failure, FailureKind


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def pool_of(clock, names="ab", seed=0):
    return ReplicaPool([f"http://{name}/v1" for name in names], rng=random.Random(seed), clock=clock)


def fail(pool, replica, failure=None):
    with pytest.raises(Failure), pool.asking(replica):
        raise failure or Failure(kind=FailureKind.SERVER, message="reset")


def succeed(pool, replica):
    with pool.asking(replica):
        pass


def wear_out(pool, replica):
    for _ in range(UNHEALTHY_AFTER):
        fail(pool, replica)


def test_the_least_busy_is_asked(clock):
    pool = pool_of(clock, "abc")
    first, second, third = pool.replicas
    first.n_in_flight, second.n_in_flight, third.n_in_flight = 3, 1, 2
    assert {pool.choose().base_url for _ in range(20)} == {"http://b/v1"}


def test_among_equals_chance_decides(clock):
    pool = pool_of(clock)
    firsts = [pool.choose().base_url for _ in range(200)]
    assert 60 < firsts.count("http://a/v1") < 140


def test_in_flight_requests_are_counted_whatever_their_end(clock):
    pool = pool_of(clock)
    with pool.asking(pool.replicas[0]):
        assert pool.replicas[0].n_in_flight == 1
    fail(pool, pool.replicas[0])
    with pytest.raises(KeyError), pool.asking(pool.replicas[0]):
        raise KeyError
    assert pool.replicas[0].n_in_flight == 0


def test_a_retry_goes_to_another_replica_however_busy(clock):
    pool = pool_of(clock)
    first, second = pool.replicas
    second.n_in_flight = 50
    assert pool.choose(after=first) is second


def test_a_retry_goes_to_the_same_replica_where_no_other_is_ready(clock):
    pool = pool_of(clock)
    first, second = pool.replicas
    wear_out(pool, second)
    assert pool.choose(after=first) is first


def test_an_unhealthy_replica_rests_and_is_tried_with_one_request(clock):
    pool = pool_of(clock)
    first, second = pool.replicas
    second.n_in_flight = 9
    wear_out(pool, first)
    assert pool.choose() is second, "it rests although it is the least busy"
    clock.now += FIRST_REST_S
    assert pool.choose() is first
    with pool.asking(first):
        assert pool.choose() is second, "one request at a time while it is on trial"
    assert pool.choose() is first, "an answer brings it back"
    assert first.n_faults == 0


def test_each_rest_is_twice_as_long_until_it_answers(clock):
    pool = pool_of(clock)
    first, _ = pool.replicas
    wear_out(pool, first)
    clock.now += FIRST_REST_S
    fail(pool, first)
    assert first.rests_until == clock.now + 2 * FIRST_REST_S
    clock.now += 2 * FIRST_REST_S
    succeed(pool, first)
    wear_out(pool, first)
    assert first.rests_until == clock.now + FIRST_REST_S


def test_requests_that_fail_together_are_one_rest(clock):
    pool = pool_of(clock)
    for _ in range(40):
        fail(pool, pool.replicas[0])
    assert pool.replicas[0].rests_until == clock.now + FIRST_REST_S


def test_where_all_rest_the_one_that_rests_least_is_asked(clock):
    pool = pool_of(clock)
    first, second = pool.replicas
    wear_out(pool, second)
    clock.now += 1
    wear_out(pool, first)
    assert pool.choose() is second
    assert not pool.has_other(first)


REFUSED = Failure(kind=FailureKind.CONFIGURATION, message="HTTP 400", is_retryable=False)
SLOW_DOWN = Failure(kind=FailureKind.SERVER, message="HTTP 429", is_rate_limit=True, retry_after_s=30.0)
BUSY = Failure(kind=FailureKind.SERVER, message="HTTP 429", is_rate_limit=True)


@pytest.mark.parametrize(
    ("failure", "rest_s"),
    [
        pytest.param(REFUSED, 0, id="a refusal is no fault of the server"),
        pytest.param(SLOW_DOWN, 30, id="it rests as long as it asks for"),
        pytest.param(BUSY, 0, id="a busy one that names no time goes on"),
    ],
)
def test_what_is_no_fault(clock, failure, rest_s):
    pool = pool_of(clock)
    for _ in range(2 * UNHEALTHY_AFTER):
        fail(pool, pool.replicas[0], failure)
    assert pool.replicas[0].n_faults == 0
    assert max(pool.replicas[0].rests_until - clock.now, 0) == rest_s


def test_a_single_server_is_asked_whatever_it_did(clock):
    pool = pool_of(clock, "a")
    wear_out(pool, pool.replicas[0])
    assert pool.choose() is pool.choose(after=pool.replicas[0]) is pool.replicas[0]
    assert not pool.is_fleet
