"""The player: one request and one seed give one reply, budgets cut it, and the truth shows in many."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.simulator.answers import AnswerBook, AnswerEntry, AnswerKind
from evals.simulator.player import Player, Terms
from evals.simulator.profile import BROKEN, FailureWeights, Lengths, Profile, TaskProfile
from evals.simulator.reply import Played, Reply
from evals.simulator.request import ChatRequest, read_request
from evals.simulator.truth import Truth

HALF = AnswerEntry(task="t", sample_id="s", prompt_text="Q", target=("70",), kind=AnswerKind.INTEGER)
TOOL = dataclasses.replace(
    HALF, sample_id="tool", prompt_text="T", target=("tool_calls",), kind=AnswerKind.TOOL
)
PROFILE = Profile(
    name="p",
    tasks={"t": TaskProfile(default=0.5, reasoning=Lengths(median=40, sigma=0.5))},
    answer=Lengths(median=12, sigma=0.3),
)
FUNCTION = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}


def made(profile: Profile = PROFILE, seed: int = 0) -> Player:
    truth = Truth.of(AnswerBook.from_entries([HALF, TOOL]), profile, seed=seed)
    return Player(profile=profile, truth=truth, seed=seed)


def request(prompt: str = "Q", **more: object) -> ChatRequest:
    return read_request(json.dumps({"messages": [{"role": "user", "content": prompt}], **more}).encode())


def play(
    seed: int, *, budget: int = 10_000, thinks: bool = True, player: Player | None = None, **more: object
) -> Reply:
    terms = Terms(seed=seed, budget=budget, thinks=thinks)
    return (player or made()).play(request(**more), HALF, terms)


@given(st.integers(0, 2**31), st.booleans(), st.sampled_from([None, 0.6, 1.0]))
def test_one_seed_gives_one_reply(seed, thinks, temperature):
    replies = [play(seed, thinks=thinks, temperature=temperature) for _ in range(2)]
    assert replies[0] == replies[1]


def test_whatever_is_drawn_from_changes_the_reply():
    others = [
        play(2),
        play(1, temperature=0.6),
        play(1, top_p=0.9),
        play(1, thinks=False),
        play(1, player=made(seed=1)),
        play(1, player=made(dataclasses.replace(PROFILE, name="q"))),
    ]
    assert all(other != play(1) for other in others)


def test_greedy_decoding_knows_no_seed():
    assert play(1, temperature=0) == play(2, temperature=0)


@given(st.integers(0, 200), st.integers(1, 120), st.booleans())
def test_a_smaller_budget_cuts_the_same_reply(seed, budget, thinks):
    whole, cut = play(seed, thinks=thinks).choices[0], play(seed, thinks=thinks, budget=budget).choices[0]
    if whole.n_tokens <= budget:
        assert cut == whole
    elif whole.played not in (Played.LOOP, Played.FLOOD):
        assert cut.n_tokens == budget and cut.finish_reason == "length" and cut.played is Played.TRUNCATED
        said = [*whole.reasoning, *whole.content]
        assert [*cut.reasoning, *cut.content] == said[:budget]
        assert not cut.content or list(cut.reasoning) == list(whole.reasoning)


def test_the_share_of_right_replies_is_the_truth():
    played = [play(seed).choices[0].played for seed in range(600)]
    assert played.count(Played.CORRECT) / 600 == pytest.approx(0.5, abs=0.06)
    assert played.count(Played.NO_ANSWER) / 600 == pytest.approx(0.025, abs=0.02)
    for seed in range(40):
        choice = play(seed).choices[0]
        assert (r"\boxed{70}" in "".join(choice.content)) == (choice.played is Played.CORRECT)
        assert not any("boxed" in token for token in choice.reasoning)


@pytest.mark.parametrize("thinks", [True, False], ids=["thinking", "instant"])
@pytest.mark.parametrize("way", ["loop", "flood"])
def test_endless_replies_fill_any_budget(way, thinks):
    weights = FailureWeights(**{**dict.fromkeys(("wrong", "no_answer", "loop", "flood"), 0.0), way: 1.0})
    never = dataclasses.replace(PROFILE, tasks={"t": TaskProfile(default=0.0)}, failures=weights)
    choice = play(1, budget=777, thinks=thinks, player=made(never)).choices[0]
    assert (choice.n_tokens, choice.finish_reason, choice.played) == (777, "length", Played(way))
    assert bool(choice.reasoning) is thinks and bool(choice.content) is not thinks


def test_the_broken_profile_floods_whatever_is_asked():
    player = made(BROKEN)
    for entry, prompt in ((HALF, "Q"), (None, "What is 3x7?")):
        reply = player.play(request(prompt), entry, Terms(seed=1, budget=9, thinks=True))
        assert "".join(reply.choices[0].reasoning) == "!" * 9


def test_effort_stretches_the_reasoning():
    lengths = {effort: play(1, reasoning_effort=effort).reasoning_tokens for effort in ("low", "high", "max")}
    assert lengths["low"] < lengths["high"] < lengths["max"]
    assert play(1).reasoning_tokens == lengths["high"]


@pytest.mark.parametrize(
    ("more", "calls"),
    [
        pytest.param({}, {True, False}, id="auto: as the truth has it"),
        pytest.param({"tool_choice": "none"}, {False}, id="none"),
        pytest.param({"tool_choice": "required"}, {True}, id="required"),
        pytest.param({"tool_choice": {"type": "function", "function": {"name": "f"}}}, {True}, id="named"),
    ],
)
def test_tool_samples_call_as_often_as_the_truth_says(more, calls):
    choices = [
        made()
        .play(request("T", tools=[FUNCTION], **more), TOOL, Terms(seed=seed, budget=9999, thinks=True))
        .choices[0]
        for seed in range(60)
    ]
    spoken = [choice for choice in choices if choice.played in (Played.CORRECT, Played.WRONG)]
    assert {bool(choice.calls) for choice in spoken} == calls
    assert all(bool(choice.calls) == (choice.played is Played.CORRECT) for choice in spoken)


def test_a_call_cut_by_the_budget_is_left_as_native_text():
    asked = request("hi", tools=[FUNCTION], tool_choice="required")
    choice = made().play(asked, None, Terms(seed=1, budget=6, thinks=False)).choices[0]
    assert not choice.calls and choice.finish_reason == "length"
    assert "".join(choice.content).startswith("<|tool_calls_section")


def test_call_ids_count_over_the_conversation_and_results_are_answered():
    call = {"id": "functions.f:0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Call both of them"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]

    def answer(*more: object, **settings: object) -> object:
        body = {"messages": [*messages, *more], "tools": [FUNCTION], **settings}
        return (
            made()
            .play(read_request(json.dumps(body).encode()), None, Terms(seed=1, budget=999, thinks=True))
            .choices[0]
        )

    assert [each.id for each in answer().calls] == ["functions.f:1", "functions.f:2"]
    assert [each.id for each in answer(parallel_tool_calls=False).calls] == ["functions.f:1"]
    result = {"role": "tool", "tool_call_id": "functions.f:0", "content": "7 degrees"}
    assert "7 degrees" in "".join(answer(result).content)
