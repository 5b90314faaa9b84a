"""Fault rates: what is read, what is refused, and when faults strike."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.simulator.fault_kind import FaultKind
from evals.simulator.faults import FaultError, FaultPlan, FaultRate, parse_fault, parse_faults


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("stall=0.25", FaultRate(probability=0.25)),
        ("stall=1", FaultRate(probability=1)),
        ("stall=0", FaultRate()),
        ("stall=10%", FaultRate(probability=0.1)),
        ("stall=first:2", FaultRate(first=2)),
        ("stall=0.5@stream", FaultRate(probability=0.5, stream=True)),
        ("stall=first:1@plain", FaultRate(first=1, stream=False)),
    ],
)
def test_rates(text, rate):
    assert parse_fault(text) == (FaultKind.STALL, rate)


@pytest.mark.parametrize(
    "text",
    [
        "stall",
        "stall=",
        "stall=x",
        "stall=-0.1",
        "stall=1.1",
        "stall=110%",
        "stall=nan",
        "stall=first:",
        "stall=first:-1",
        "stall=first:1.5",
        "stall=first:50%",
        "stall=1@",
        "stall=1@chat",
        "stall=@stream",
    ],
)
def test_rates_that_are_none(text):
    with pytest.raises(FaultError, match="stall=FRACTION"):
        parse_fault(text)


@pytest.mark.parametrize("text", ["nope=1", "=1", "", "STALL=1", "Stall=1"])
def test_an_unknown_kind_is_answered_with_all_kinds(text):
    with pytest.raises(
        FaultError, match=r"unknown kind .*; the kinds are http_400_context, .*tool_choice_ignored"
    ):
        parse_fault(text)


def test_a_kind_given_twice_is_refused():
    with pytest.raises(FaultError, match="stall is given twice"):
        parse_faults(["stall=0.1", "stall=0.2"])


@given(st.text(max_size=20), st.integers(1, 9), st.integers(0, 99))
def test_the_same_attempt_always_draws_the_same(key, attempt, seed):
    rates = parse_faults(["stall=0.5", "crlf=0.5", "http_500=first:3"])
    draws = [FaultPlan(rates=rates, seed=seed).draw(key, attempt, stream=True) for _ in range(2)]
    assert draws[0] == draws[1]
    assert (FaultKind.HTTP_500 in draws[0]) == (attempt <= 3)


def test_the_share_of_attempts_is_the_rate():
    plan = FaultPlan(rates=parse_faults(["stall=0.1"]), seed=1)
    share = sum(bool(plan.draw(f"request {number}", 1, stream=True)) for number in range(5000)) / 5000
    assert share == pytest.approx(0.1, abs=0.02)
