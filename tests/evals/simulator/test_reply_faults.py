"""Faults of what is said, streamed and plain: usage, reasoning out of place, requests ignored."""

import pytest

from evals.simulator.answers import AnswerBook

USAGES = {
    "usage_missing": lambda usage, _: usage is None,
    "usage_zero": lambda usage, _: usage["prompt_tokens"] == usage["completion_tokens"] == 0,
    "usage_wrong": lambda usage, _: (
        usage["total_tokens"] != usage["prompt_tokens"] + usage["completion_tokens"]
    ),
    "usage_prompt_inflated": lambda usage, right: usage["prompt_tokens"] > 1.3 * right["prompt_tokens"],
    "usage_null_first": lambda usage, right: usage == right,
    "usage_every_chunk": lambda usage, right: usage == right,
    "usage_on_finish": lambda usage, right: usage == right,
}


@pytest.mark.parametrize("kind", USAGES)
def test_usage_faults(start, kind, shape):
    right = start().ask("Problem always", seed=1).json()["usage"]
    answer = start(f"{kind}=1").ask("Problem always", seed=1, **shape)
    chunks = answer.chunks() if shape else [answer.json()]
    told = [chunk["usage"] for chunk in chunks if "usage" in chunk]
    usage = told[-1] if told else None
    assert USAGES[kind](usage, right)
    if kind == "usage_null_first" and shape:
        assert len(told) == len(chunks) and not any(told[:-1])
    if kind == "usage_every_chunk" and shape:
        counts = [usage["completion_tokens"] for usage in told]
        assert len(told) == len(chunks) and counts == sorted(counts)
    if kind == "usage_on_finish" and shape:
        assert "usage" in chunks[-1] and chunks[-1]["choices"][0]["finish_reason"] == "stop"


def test_two_choices_though_one_was_asked_for(start, shape):
    answer = start("several_choices=1").ask("Problem always", seed=1, **shape)
    chunks = answer.chunks() if shape else [answer.json()]
    assert {choice["index"] for chunk in chunks for choice in chunk["choices"]} == {0, 1}


def test_content_null(start, shape):
    answer = start("content_null=1").ask("Problem always", seed=1, **shape)
    assert answer.said("reasoning") and not answer.said("content")
    assert shape or answer.message["content"] is None


THOUGHTS = {
    "think_in_content": lambda text: text.startswith("<think>\n") and "\n</think>\n\n" in text,
    "think_unclosed": lambda text: text.startswith("<think>\n") and "</think>" not in text,
    "think_bare_closer": lambda text: "<think>" not in text and "\n</think>\n\n" in text,
}


@pytest.mark.parametrize("kind", THOUGHTS)
def test_thinking_in_the_content(start, kind, shape):
    right = start().ask("Problem always", seed=1).message
    answer = start(f"{kind}=1").ask("Problem always", seed=1, **shape)
    content = answer.said("content")
    assert THOUGHTS[kind](content) and not answer.said("reasoning")
    assert right["reasoning"] in content and content.endswith(right["content"])


def test_both_reasoning_fields_at_once(start, shape):
    answer = start("both_reasoning=1").ask("Problem always", seed=1, **shape)
    assert answer.said("reasoning") == answer.said("reasoning_content") != ""


def test_reasoning_in_details_only(start, shape):
    right = start().ask("Problem always", seed=1).message["reasoning"]
    answer = start("reasoning_details=1").ask("Problem always", seed=1, **shape)
    parts = [c["delta"] for chunk in answer.chunks() for c in chunk["choices"]] if shape else [answer.message]
    details = [detail for part in parts for detail in part.get("reasoning_details", ())]
    assert "".join(detail["text"] for detail in details) == right and not answer.said("reasoning")


def test_degenerate_output_fills_the_budget(start, shape):
    flood = start("flood=1").ask("Problem always", seed=1, max_tokens=50, **shape)
    assert flood.said("reasoning") == "!" * 50 and not flood.said("content")
    loop = start("loop=1").ask("Problem always", seed=1, max_tokens=400, **shape)
    tail = loop.said("reasoning")[-60:]
    assert loop.said("reasoning").count(tail) > 3
    instant = start("flood=1").ask(max_tokens=20, thinking={"type": "disabled"}, **shape)
    assert instant.said("content") == "!" * 20


def test_what_is_asked_is_ignored(start, shape):
    off = start("thinking_ignored=1").ask(thinking={"type": "disabled"}, **shape)
    assert off.said("reasoning")
    client = start("seed_ignored=1")
    assert client.ask(seed=1, **shape).said("reasoning") != client.ask(seed=1, **shape).said("reasoning")
    long = start("max_tokens_ignored=1").ask("Problem always", max_tokens=2, **shape)
    assert long.said("content")
    unstopped = start("stop_ignored=1").ask("Count from 1 to 9", stop=["5"], **shape)
    assert unstopped.said("content").endswith("9")
    loose = start("format_ignored=1").ask(response_format={"type": "json_object"}, **shape)
    assert loose.said("content").startswith("3 x 7 = 21")


def test_a_finish_reason_of_no_standard(start, shape):
    answer = start("finish_odd=1").ask("Problem always", seed=1, **shape)
    finish = answer.finishes()[-1] if shape else answer.json()["choices"][0]["finish_reason"]
    assert finish == "eos" and answer.said("content")


def test_content_as_a_list_of_parts(start):
    right = start().ask("Problem always", seed=1).message["content"]
    client = start("content_parts=1")
    assert client.ask("Problem always", seed=1).message["content"] == [{"type": "text", "text": right}]
    chunks = client.ask("Problem always", seed=1, stream=True).chunks()
    parts = [c["delta"].get("content") for chunk in chunks for c in chunk["choices"]]
    assert "".join(part[0]["text"] for part in parts if part) == right


def test_thinking_aloud_though_thinking_is_off(start, shape):
    client = start("cot_in_content=1")
    off = client.ask("What is 3x7?", thinking={"type": "disabled"}, **shape)
    assert off.said("content").startswith("The user asks") and off.said("content").endswith(r"\boxed{21}.")
    assert not client.ask("What is 3x7?", **shape).said("content").startswith("The user")


def test_images_that_are_not_looked_at(start, entry, show, png):
    client = start("image_ignored=1", book=AnswerBook.from_entries([entry("a", n_images=1)]))
    assert "red" not in show(client, "Which colour is this image?", png("red")).message["content"]
    assert client.ask("Problem a").status == 400
    assert show(client, "Problem a", png("red")).status == 200
    assert client.ledger()["items"][-1]["played"] == ["wrong"]


def test_bad_values_that_are_not_refused(start, shape):
    client = start("bad_values_accepted=1")
    assert client.ask(temperature=-1, top_p=7, n=0, **shape).status == 200
    assert client.ask(messages=[], **shape).status == 400


def test_refusals_of_the_wrong_kind(start, shape):
    client = start("refused_with_500=1", max_model_len=500)
    bad = [
        {"temperature": -1},
        {"model": "other"},
        {"max_tokens": 501},
        {"max_tokens": 499},
        {"messages": []},
    ]
    assert [client.ask(**more, **shape).status for more in bad] == [500] * 5
    assert client.ask(**shape).status == 200


def test_a_fault_confined_to_streams_or_to_plain_replies(start):
    client = start("flood=1@stream", "http_500=first:1@plain")
    assert client.ask("Problem always", max_tokens=9, stream=True).said("reasoning") == "!" * 9
    assert [client.ask("Problem always").status for _ in range(2)] == [500, 200]
