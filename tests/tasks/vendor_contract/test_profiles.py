import re
from dataclasses import replace

import pytest

from tasks.spec import SpecError, ThinkMode
from tasks.vendor_contract.clauses import Clause, checked, clauses_of
from tasks.vendor_contract.probe import Budgets, Demand, Group
from tasks.vendor_contract.profiles import PROFILES, Profile, find_profile

BUDGETS = Budgets(context_tokens=2048)


def clauses(profile: Profile) -> dict[str, Clause]:
    found = clauses_of(profile, BUDGETS, think_mode=profile.think_mode)
    return {clause.probe.name: clause for clause in found}


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_probe_says_in_one_sentence_what_it_expects(profile: Profile) -> None:
    for name, clause in clauses(profile).items():
        probe = clause.probe
        assert re.fullmatch(r"[a-z0-9_]+", name)
        assert probe.expectation.endswith(".")
        assert "\n" not in probe.expectation
        assert probe.asks
        assert len({ask.name for ask in probe.asks}) == len(probe.asks)


def test_no_probe_depends_on_one_that_no_profile_has() -> None:
    known = {name for profile in PROFILES.values() for name in clauses(profile)}
    for profile in PROFILES.values():
        for clause in clauses(profile).values():
            assert set(clause.probe.depends_on) <= known


def test_what_only_one_profile_asks() -> None:
    names = ("kimi-k2.6-official", "kimi-k2.6-open", "generic")
    official, opened, generic = (set(clauses(PROFILES[name])) for name in names)
    assert {"fixed_temperature_thinking", "fixed_n_instant", "dynamic_tools"} <= official - opened - generic
    assert {"honoured_temperature", "honoured_n"} <= (opened & generic) - official
    assert {"thinking_off", "recommended_instant", "tool_round_trip_thinking"} <= (
        official & opened
    ) - generic


@pytest.mark.parametrize("group", Group)
def test_each_part_of_the_contract_is_asked_of_kimi(group: Group) -> None:
    for name in ("kimi-k2.6-open", "kimi-k2.6-official"):
        assert any(clause.probe.group is group for clause in clauses(PROFILES[name]).values())


def test_demands() -> None:
    assert clauses(PROFILES["generic"])["image_png"].demand is Demand.OPTIONAL
    assert clauses(PROFILES["kimi-k2.6-open"])["image_png"].demand is Demand.REQUIRED
    assert clauses(PROFILES["kimi-k2.6-official"])["dynamic_tools"].demand is Demand.ADVISORY


def test_without_a_switch_nothing_is_asked_that_needs_one() -> None:
    found = clauses_of(PROFILES["kimi-k2.6-open"], BUDGETS, think_mode=ThinkMode.NONE)
    assert not any(ask.thinking is True for clause in found for ask in clause.probe.asks)


def test_an_unknown_context_length_leaves_out_what_goes_beyond_it() -> None:
    found = clauses_of(PROFILES["generic"], Budgets(), think_mode=ThinkMode.NONE)
    assert not any(clause.probe.name.startswith("context_") for clause in found)


def test_budgets_leave_room_for_the_prompt() -> None:
    assert Budgets(reply=4096, context_tokens=2048).within_context().reply == 1024
    assert Budgets(reply=100, context_tokens=2048).within_context().reply == 100
    assert Budgets(reply=100).within_context() == Budgets(reply=100)


def test_unknown_names_are_refused() -> None:
    with pytest.raises(SpecError, match="kimi-k9"):
        find_profile("kimi-k9")
    profile = replace(PROFILES["generic"], advisory=frozenset({"no_such_probe"}))
    with pytest.raises(SpecError, match="no_such_probe"):
        checked((), profile)
    one = next(iter(clauses(PROFILES["generic"]).values()))
    with pytest.raises(SpecError, match="twice"):
        checked((one, one), None)
