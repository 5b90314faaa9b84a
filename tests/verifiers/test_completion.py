"""A reply as text: content, reasoning, usage, finish reason and choices, plain and streamed alike."""

from typing import Any

import pytest

from tests.verifiers.completion_frames import END, READ_USAGE, USAGE, body, calls, chunk, piece, stream, tools
from verifiers.completion import (
    CompletionAssembler,
    read_completion,
)
from verifiers.response import Usage


@pytest.mark.parametrize(
    ("message", "reasoning", "content"),
    [
        pytest.param({"content": "C", "reasoning": "r"}, "r", "C", id="reasoning (vLLM)"),
        pytest.param({"content": "C", "reasoning_content": "r"}, "r", "C", id="reasoning_content (SGLang)"),
        pytest.param({"content": "C", "thinking": "r"}, "r", "C", id="thinking"),
        pytest.param(
            {"content": "C", "reasoning": "r", "reasoning_content": "r"}, "r", "C", id="both alike count once"
        ),
        pytest.param(
            {"content": "C", "reasoning": None, "reasoning_content": "r"}, "r", "C", id="one null, one filled"
        ),
        pytest.param(
            {"content": "C", "reasoning": "r", "reasoning_content": ""}, "r", "C", id="one empty, one filled"
        ),
        pytest.param(
            {"content": "C", "reasoning_details": [{"type": "reasoning.text", "text": "r"}]},
            "r",
            "C",
            id="details alone",
        ),
        pytest.param(
            {"content": "C", "reasoning_details": [{"type": "reasoning.summary", "summary": "r"}]},
            "r",
            "C",
            id="details hold a summary",
        ),
        pytest.param(
            {
                "content": "C",
                "reasoning": "a\nb",
                "reasoning_details": [
                    {"text": "a"},
                    {"text": "b"},
                    {"type": "reasoning.encrypted", "data": "x"},
                ],
            },
            "a\nb",
            "C",
            id="details repeat the field in other white space",
        ),
        pytest.param({"content": None, "reasoning": "r"}, "r", None, id="content null"),
        pytest.param({"reasoning": "r"}, "r", None, id="content absent"),
        pytest.param({"content": "", "reasoning": ""}, "", "", id="empty is not null"),
        pytest.param({"content": [{"type": "text", "text": "C"}]}, None, "C", id="content as parts"),
        pytest.param({"content": ["a", {"text": "b"}]}, None, "ab", id="parts without type"),
        pytest.param({"content": {"type": "text", "text": "C"}}, None, "C", id="content as one part"),
        pytest.param({"content": []}, None, "", id="no parts"),
        pytest.param(
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]}, {"text": "C"}]},
            "r",
            "C",
            id="thinking part",
        ),
        pytest.param(
            {"content": "a\r\nb\u2028\ud83d"}, None, "a\r\nb\u2028\ud83d", id="every character kept"
        ),
    ],
)
def test_texts_are_read_alike_plain_and_streamed(
    message: dict[str, Any], reasoning: str | None, content: str | None
) -> None:
    for response in (read_completion(body(message)), stream(chunk(message), chunk({}, "stop"))):
        assert (response.reasoning, response.content, response.flags) == (reasoning, content, ())


def test_fields_that_differ_are_all_kept_in_order() -> None:
    response = stream(
        chunk({"reasoning": "one "}), chunk({"reasoning_content": "two"}), chunk({"content": "C"}, "stop")
    )
    assert response.reasoning == "one two"
    assert response.flags == ("reasoning_fields_differ",)


def test_closing_reasoning_details_do_not_double_the_text() -> None:
    details = [{"type": "reasoning.text", "text": "ab", "signature": "s"}]
    response = stream(
        chunk({"reasoning": "a"}), chunk({"reasoning": "b"}), chunk({"reasoning_details": details})
    )
    assert response.reasoning == "ab"


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        pytest.param([USAGE], READ_USAGE, id="once"),
        pytest.param([None, USAGE], READ_USAGE, id="null before"),
        pytest.param([{"prompt_tokens": 0, "completion_tokens": 0}, USAGE], READ_USAGE, id="zeros before"),
        pytest.param([USAGE, {"prompt_tokens": 0, "completion_tokens": 0}], READ_USAGE, id="zeros after"),
        pytest.param(
            [{**USAGE, "completion_tokens": n} for n in (1, 3, 5)], READ_USAGE, id="running counts: the last"
        ),
        pytest.param(
            [USAGE, {"completion_tokens": 6}, {"completion_tokens": 0}],
            Usage(prompt_tokens=10, completion_tokens=6, total_tokens=15),
            id="fields told apart",
        ),
        pytest.param([None], None, id="null"),
        pytest.param([{}], None, id="empty"),
        pytest.param(
            [{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}], None, id="zeros only"
        ),
        pytest.param([{"prompt_tokens": None, "completion_tokens": None}], None, id="null fields"),
        pytest.param(
            [{"prompt_tokens": 10, "completion_tokens": 0}],
            Usage(prompt_tokens=10),
            id="zero for a text is unknown",
        ),
        pytest.param(
            [{**USAGE, "completion_tokens_details": {"reasoning_tokens": None}}],
            READ_USAGE,
            id="null reasoning",
        ),
        pytest.param([{**USAGE, "completion_tokens_details": None}], READ_USAGE, id="null details"),
        pytest.param(
            [{**USAGE, "completion_tokens_details": {"reasoning_tokens": 3}}],
            Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15, reasoning_tokens=3),
            id="reasoning in details",
        ),
        pytest.param(
            [{**USAGE, "reasoning_tokens": 0}],
            Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15, reasoning_tokens=0),
            id="zero reasoning is believed where none came",
        ),
        pytest.param(
            [{"input_tokens": 10, "output_tokens": 5}],
            Usage(prompt_tokens=10, completion_tokens=5),
            id="names of other dialects",
        ),
        pytest.param(
            [{"prompt_tokens": 10.0, "completion_tokens": 5.0}],
            Usage(prompt_tokens=10, completion_tokens=5),
            id="whole floats",
        ),
    ],
)
def test_usage_is_what_was_said_and_never_a_zero_for_unknown(
    usages: list[Any], expected: Usage | None
) -> None:
    tail = [{"choices": [], "usage": usage} for usage in usages]
    assert stream(chunk({"content": "hi"}), chunk({}, "stop"), *tail).usage == expected
    on_chunks = [chunk({"content": "hi"}, usage=usage) for usage in usages]
    assert stream(*on_chunks, chunk({}, "stop")).usage == expected
    if len(usages) == 1:
        assert read_completion(body({"content": "hi"}, usage=usages[0])).usage == expected


def test_usage_absent_stays_absent() -> None:
    plain = body({"content": "hi"})
    del plain["usage"]
    assert read_completion(plain).usage is None
    assert stream(chunk({"content": "hi"}), chunk({}, "stop")).usage is None


def test_usage_inside_the_finish_choice_is_found() -> None:
    finish = chunk({}, "stop")
    finish["choices"][0]["usage"] = USAGE
    assert stream(chunk({"content": "hi"}), finish).usage == READ_USAGE


def test_zero_completion_tokens_of_an_empty_reply_are_known() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10}
    response = read_completion(body({"content": ""}, usage=usage))
    assert response.usage == Usage(prompt_tokens=10, completion_tokens=0, total_tokens=10)


def test_zero_reasoning_tokens_beside_reasoning_text_are_unknown() -> None:
    response = read_completion(
        body({"content": "", "reasoning": "r"}, usage={**USAGE, "reasoning_tokens": 0})
    )
    assert response.usage == READ_USAGE


@pytest.mark.parametrize(
    "usage",
    [
        "5",
        [5],
        {"completion_tokens": "5"},
        {"prompt_tokens": -1},
        {"prompt_tokens": 1.5},
        {"prompt_tokens": True},
        {"prompt_tokens": float("nan")},
    ],
)
def test_senseless_usage_is_flagged(usage: Any) -> None:
    response = read_completion(body({"content": "hi"}, usage=usage))
    assert (response.usage, response.flags) == (None, ("usage_malformed",))


@pytest.mark.parametrize(
    ("reasons", "expected", "flags"),
    [
        pytest.param(["stop"], "stop", (), id="once"),
        pytest.param([None, "length"], "length", (), id="null before"),
        pytest.param(["", "stop"], "stop", (), id="empty before"),
        pytest.param(["null", "null", "stop"], "stop", (), id="the word null before"),
        pytest.param([None], None, (), id="never: incomplete"),
        pytest.param([""], None, (), id="only empty: incomplete"),
        pytest.param(["tool_calls", "stop"], "tool_calls", ("finish_reason_twice",), id="two: the first"),
        pytest.param(["stop", "stop"], "stop", ("finish_reason_twice",), id="the same twice"),
        pytest.param(["repetition"], "repetition", (), id="outside the standard"),
        pytest.param(["abort"], "abort", (), id="server abort"),
        pytest.param([7], "7", ("finish_reason_not_string",), id="a number"),
        pytest.param([["stop"]], '["stop"]', ("finish_reason_not_string",), id="a list"),
    ],
)
def test_first_terminal_finish_reason_is_kept(
    reasons: list[Any], expected: str | None, flags: tuple[str]
) -> None:
    response = stream(chunk({"content": "x"}), *(chunk({}, reason) for reason in reasons))
    assert (response.finish_reason, response.flags) == (expected, flags)
    if len(reasons) == 1:
        plain = read_completion(body({"content": "x"}, reasons[0]))
        assert (plain.finish_reason, plain.flags) == (expected, flags)


def test_a_budget_spent_thinking_is_truncated_and_holds_no_answer() -> None:
    message = {"content": None, "reasoning": "... so C seems right but"}
    for response in (read_completion(body(message, "length")), stream(chunk(message), chunk({}, "length"))):
        assert (response.content, response.is_truncated) == (None, True)


def test_finish_on_the_last_text_or_without_delta() -> None:
    assert stream(chunk({"content": "x"}, "stop")).content == "x"
    no_delta = {"choices": [{"index": 0, "finish_reason": "stop"}]}
    null_delta = {"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]}
    for last in (no_delta, null_delta):
        response = stream(chunk({"content": "x"}), last)
        assert (response.content, response.finish_reason, response.flags) == ("x", "stop", ())


def test_text_after_the_finish_is_kept_and_flagged() -> None:
    response = stream(chunk({"content": "a"}, "stop"), chunk({"content": "b"}))
    assert (response.content, response.flags) == ("ab", ("text_after_finish",))


@pytest.mark.parametrize(
    "extra",
    [
        {"stop_reason": 163586},
        {"stop_reason": "</s>"},
        {"matched_stop": 2},
        {"stop_reason": None, "logprobs": None, "token_ids": None},
    ],
)
def test_engine_specific_stop_fields_change_nothing(extra: dict[str, Any]) -> None:
    assert read_completion(body({"content": "x"}, **extra)) == read_completion(body({"content": "x"}))


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        pytest.param({"role": "assistant"}, False, id="role"),
        pytest.param({"role": "assistant", "content": ""}, False, id="role and empty text"),
        pytest.param({}, False, id="nothing"),
        pytest.param({"content": None, "tool_calls": []}, False, id="empty list of calls"),
        pytest.param({"tool_calls": [{"index": 0, "function": {}}]}, False, id="empty call"),
        pytest.param({"content": "x"}, True, id="text"),
        pytest.param({"reasoning": "x"}, True, id="reasoning"),
        pytest.param({"reasoning_details": [{"text": "x"}]}, True, id="details"),
        pytest.param({"tool_calls": [piece(name="f")]}, True, id="name"),
        pytest.param({"tool_calls": [piece("{")]}, True, id="arguments"),
        pytest.param({"refusal": "no"}, True, id="refusal"),
    ],
)
def test_add_says_whether_something_was_generated(delta: dict[str, Any], expected: bool) -> None:
    assembler = CompletionAssembler()
    assert assembler.add(chunk(delta)) is expected
    assert assembler.add(chunk(delta)) is expected
    assert assembler.add({"choices": [], "usage": USAGE}) is False


def test_refusal_is_not_content() -> None:
    for response in (
        read_completion(body({"content": None, "refusal": "I cannot"})),
        stream(chunk({"content": None, "refusal": "I "}), chunk({"refusal": "cannot"}, "stop")),
    ):
        assert (response.content, response.refusal, response.flags) == (None, "I cannot", ("refusal",))


def test_other_choices_are_left_out_and_flagged() -> None:
    plain = body({"content": "mine"})
    plain["choices"].insert(0, {"index": 1, "message": {"content": "other"}, "finish_reason": "length"})
    streamed = stream(
        chunk({"content": "ot"}, index=1),
        {
            "choices": [
                chunk({"content": "mine"})["choices"][0],
                chunk({"content": "her"}, index=1)["choices"][0],
            ]
        },
        chunk({}, "length", index=1),
        chunk({}, "stop"),
    )
    for response in (read_completion(plain), streamed):
        assert (response.content, response.finish_reason) == ("mine", "stop")
        assert response.flags == ("several_choices",)


def test_an_endpoint_that_counts_choices_from_one_loses_nothing() -> None:
    plain = body({"content": "x"}, index=1)
    for response in (
        read_completion(plain),
        stream(chunk({"content": "x"}, "stop", index=1), {"choices": [], "usage": USAGE}),
    ):
        assert (response.content, response.usage) == ("x", READ_USAGE)
        assert response.flags == ("choice_index_not_zero",)


def test_choice_without_index_is_the_choice() -> None:
    frame = chunk({"content": "x"}, "stop")
    del frame["choices"][0]["index"]
    assert stream(frame).content == "x"


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(["a", "b", "c"], id="fragments"),
        pytest.param(["a", "ab", "abc"], id="ever longer"),
        pytest.param(["abc"], id="whole"),
    ],
)
def test_message_in_place_of_delta(texts: list[str]) -> None:
    chunks = [{"choices": [{"index": 0, "message": {"content": text}}]} for text in texts]
    response = stream(*chunks, chunk({}, "stop"))
    assert (response.content, response.flags) == ("abc", ("message_in_chunk",))


def test_closing_message_does_not_double_what_the_deltas_gave() -> None:
    call = {"id": "f:0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    closing = {
        "choices": [
            {"index": 0, "finish_reason": "tool_calls", "message": {"content": "ab", "tool_calls": [call]}}
        ]
    }
    response = stream(chunk({"content": "a"}), chunk({"content": "b"}), tools({**call, "index": 0}), closing)
    assert response.content == "ab"
    assert calls(response) == [("f:0", "f", "{}")]


def test_message_chunks_may_hold_call_fragments() -> None:
    frames = [
        {"choices": [{"message": {"tool_calls": [item]}}]}
        for item in (piece('{"a"', name="f", id="f:0"), piece(":1}"))
    ]
    assert calls(stream(*frames, END)) == [("f:0", "f", '{"a":1}')]


def test_legacy_text_completion() -> None:
    plain = {"choices": [{"index": 0, "text": "abab", "finish_reason": "stop"}]}
    chunks = [{"choices": [{"index": 0, "text": text, "finish_reason": None}]} for text in ("ab", "ab")]
    for response in (read_completion(plain), stream(*chunks, chunk({}, "stop"))):
        assert (response.content, response.finish_reason, response.flags) == ("abab", "stop", ())


def test_chunk_object_as_a_plain_body() -> None:
    response = read_completion(chunk({"content": "x", "tool_calls": [piece("{}", name="f")]}, "stop"))
    assert (response.content, calls(response)) == ("x", [(None, "f", "{}")])
    assert response.flags == ("delta_in_body",)
