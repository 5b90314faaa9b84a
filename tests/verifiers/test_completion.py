import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.completion import (
    CompletionAssembler,
    ErrorFrame,
    MalformedReply,
    NoChoices,
    UnusableReplyError,
    read_completion,
)
from verifiers.response import Response, ToolCall, Usage

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
READ_USAGE = Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15)


def body(message: Any, finish: Any = "stop", usage: Any = USAGE, **choice: Any) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, **choice}],
        "usage": usage,
    }


def chunk(delta: Any = None, finish: Any = None, index: Any = 0, **more: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": {} if delta is None else delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more}


def tools(*items: Any) -> dict[str, Any]:
    return chunk({"tool_calls": list(items)})


def piece(
    arguments: Any = None, *, name: Any = None, id: Any = None, index: Any = 0, **more: Any
) -> dict[str, Any]:
    """One streamed tool-call item; ``None`` leaves the key out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    fields = {"index": index, "id": id, "function": function or None, **more}
    return {key: value for key, value in fields.items() if value is not None}


def stream(*chunks: Any) -> Response:
    assembler = CompletionAssembler()
    for item in chunks:
        assembler.add(item)
    return assembler.finish()


def calls(response: Response) -> list[tuple[str | None, str | None, str | None]]:
    return [(call.id, call.name, call.arguments) for call in response.tool_calls]


END = chunk({}, "tool_calls")


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


@pytest.mark.parametrize(
    ("items", "expected", "flags"),
    [
        pytest.param(
            [piece("", name="f", id="f:0"), piece('{"a"'), piece(":1}")],
            [("f:0", "f", '{"a":1}')],
            (),
            id="fragments",
        ),
        pytest.param(
            [piece('{"a":1}', name="f", id="f:0"), piece('{"a":2}', name="f", id="f:1")],
            [("f:0", "f", '{"a":1}'), ("f:1", "f", '{"a":2}')],
            ("duplicate_index",),
            id="shared index, new id: a new call",
        ),
        pytest.param(
            [
                piece("", name="f", id="x"),
                piece('{"a"'),
                piece(":1}"),
                piece("", name="g", id="y"),
                piece("{}"),
            ],
            [("x", "f", '{"a":1}'), ("y", "g", "{}")],
            ("duplicate_index",),
            id="shared index, fragments after the new id",
        ),
        pytest.param(
            [
                piece("", name="f", id="x"),
                piece("", name="g", id="y"),
                piece('{"a"', id="x"),
                piece("{", id="y"),
                piece(":1}", id="x"),
                piece("}", id="y"),
            ],
            [("x", "f", '{"a":1}'), ("y", "g", "{}")],
            ("duplicate_index",),
            id="shared index, interleaved by id",
        ),
        pytest.param(
            [piece("", name="f", id="x"), piece("", id="y"), piece('{"a":1}', id="z")],
            [("x", "f", '{"a":1}')],
            ("id_changed",),
            id="an id made up per chunk is one call",
        ),
        pytest.param(
            [piece('{"a":1}', name="f", id="x"), piece('{"a":2}', id="y")],
            [("x", "f", '{"a":1}'), ("y", None, '{"a":2}')],
            ("duplicate_index",),
            id="new id without a name after whole arguments",
        ),
        pytest.param(
            [piece('{"a":1}', name="f"), piece('{"b":2}', name="g")],
            [(None, "f", '{"a":1}'), (None, "g", '{"b":2}')],
            ("duplicate_index",),
            id="shared index without ids",
        ),
        pytest.param(
            [piece('{"a":1}', name="f", id="x"), piece('{"a":1}', name="f", id="x")],
            [("x", "f", '{"a":1}')],
            ("call_repeated",),
            id="the whole call sent again",
        ),
        pytest.param(
            [piece('{"a":1}', name="f", id="x", index=None), piece("{}", name="g", id="y", index=None)],
            [("x", "f", '{"a":1}'), ("y", "g", "{}")],
            ("missing_index",),
            id="missing index, ids",
        ),
        pytest.param(
            [piece('{"a":1}', name="f", index=None), piece("{}", name="f", index=None)],
            [(None, "f", '{"a":1}'), (None, "f", "{}")],
            ("missing_index",),
            id="missing index, no ids",
        ),
        pytest.param(
            [piece("", name="f", id="x", index=None), piece('{"a"', index=None), piece(":1}", index=None)],
            [("x", "f", '{"a":1}')],
            ("missing_index",),
            id="missing index, fragments",
        ),
        pytest.param(
            [piece("{}", name="f", id="x"), piece("{}", name="g", id="y", index="1")],
            [("x", "f", "{}"), ("y", "g", "{}")],
            (),
            id="index as digits",
        ),
        pytest.param(
            [piece("{}", name="g", id="y", index=1), piece("{}", name="f", id="x", index=0)],
            [("x", "f", "{}"), ("y", "g", "{}")],
            ("unordered_index",),
            id="unordered",
        ),
        pytest.param(
            [
                piece("", name="f", id="x", index=3),
                piece("", name="g", id="y", index=7),
                piece("{}", index=3),
                piece("{}", index=7),
            ],
            [("x", "f", "{}"), ("y", "g", "{}")],
            (),
            id="indices with gaps, interleaved",
        ),
        pytest.param(
            [piece("{}", name="f", id="x", index=0), piece("{}", name="g", id="x", index=1)],
            [("x", "f", "{}"), ("x", "g", "{}")],
            ("duplicate_id",),
            id="one id for two calls",
        ),
        pytest.param(
            [piece("", name="get_", id="x"), piece("", name="wea"), piece("{}", name="ther")],
            [("x", "get_weather", "{}")],
            ("name_fragmented",),
            id="name in fragments",
        ),
        pytest.param(
            [piece("", name="get_", id="x"), piece("", name="get_weather"), piece("{}")],
            [("x", "get_weather", "{}")],
            ("name_fragmented",),
            id="name ever longer",
        ),
        pytest.param(
            [piece('{"a"', name="f", id="x"), piece(":{}", name="f", id="x"), piece("}", name="f", id="x")],
            [("x", "f", '{"a":{}}')],
            (),
            id="name repeated whole",
        ),
        pytest.param(
            [piece('{"a"', name="f"), piece(":1}", id="x")], [("x", "f", '{"a":1}')], (), id="id late"
        ),
        pytest.param(
            [piece("{", name="f", id=""), piece("}", id="x", name="")],
            [("x", "f", "{}")],
            (),
            id="empty id, empty name",
        ),
        pytest.param(
            [piece({"a": 1}, name="f", id="x")],
            [("x", "f", '{"a": 1}')],
            ("args_not_string",),
            id="object arguments",
        ),
        pytest.param(
            [piece([], name="f", id="x")], [("x", "f", "[]")], ("args_not_string",), id="list arguments"
        ),
        pytest.param(
            [{"index": 0, "id": "x", "function": {"name": "f", "arguments": None}}],
            [("x", "f", None)],
            (),
            id="null arguments",
        ),
        pytest.param([piece(name="f", id="x"), piece("")], [("x", "f", "")], (), id="empty arguments"),
        pytest.param(
            [{"index": 0, "id": "x", "name": "f", "arguments": "{}"}],
            [("x", "f", "{}")],
            ("tool_call_malformed",),
            id="function wrapper forgotten",
        ),
        pytest.param(
            [piece("{}", name="f", id="x"), piece(), {}, None], [("x", "f", "{}")], (), id="empty tail"
        ),
    ],
)
def test_tool_call_fragments(items: list[Any], expected: list[Any], flags: tuple[str, ...]) -> None:
    response = stream(*(tools(item) for item in items), END)
    assert calls(response) == expected
    assert response.flags == flags
    assert calls(stream(tools(*items), END)) == expected, "all in one delta"


@pytest.mark.parametrize(
    ("deltas", "finish", "flags"),
    [
        pytest.param([{"tool_calls": []}] * 2, "tool_calls", ("empty_deltas",), id="empty lists"),
        pytest.param([{"tool_calls": [{}]}], "tool_calls", ("empty_deltas",), id="empty items"),
        pytest.param([{"tool_calls": [None]}], "stop", ("empty_deltas",), id="null items"),
        pytest.param(
            [{"tool_calls": [{"index": 0, "function": {"arguments": ""}}]}],
            "tool_calls",
            ("empty_deltas",),
            id="empty arguments only",
        ),
        pytest.param(
            [{"content": "x", "tool_calls": []}], "tool_calls", ("empty_deltas",), id="beside text, promised"
        ),
        pytest.param([{"content": "x", "tool_calls": []}], "stop", (), id="beside text: a habit, no fault"),
        pytest.param([{"content": "x", "tool_calls": None}], "stop", (), id="null: no fault"),
    ],
)
def test_empty_deltas_are_no_calls(deltas: list[Any], finish: str, flags: tuple[str, ...]) -> None:
    response = stream(*map(chunk, deltas), chunk({}, finish))
    assert (response.tool_calls, response.flags) == ((), flags)


@pytest.mark.parametrize(
    ("value", "expected", "flags"),
    [
        pytest.param([], [], (), id="empty"),
        pytest.param(None, [], (), id="null"),
        pytest.param(
            [{"id": "a", "function": {"name": "f", "arguments": "{}"}}] * 2,
            [("a", "f", "{}")] * 2,
            ("duplicate_id",),
            id="equal calls are two calls",
        ),
        pytest.param(
            {"id": "a", "function": {"name": "f", "arguments": "{}"}},
            [("a", "f", "{}")],
            ("tool_calls_not_list",),
            id="one call without its list",
        ),
        pytest.param([{}, None], [], ("tool_call_malformed",), id="items without anything"),
        pytest.param(["f"], [(None, None, '"f"')], ("tool_call_malformed",), id="item is text"),
        pytest.param(
            [{"id": 7, "function": {"name": None, "arguments": "{}"}}],
            [("7", None, "{}")],
            ("tool_call_malformed",),
            id="id is a number",
        ),
        pytest.param(
            [
                {"id": "a", "index": 1, "function": {"name": "f", "arguments": {"x": "é"}}},
                {"id": "b", "index": 0, "function": {"name": "g", "arguments": None}},
            ],
            [("a", "f", '{"x": "é"}'), ("b", "g", None)],
            ("args_not_string",),
            id="in the order of the list",
        ),
    ],
)
def test_plain_tool_calls(value: Any, expected: list[Any], flags: tuple[str, ...]) -> None:
    response = read_completion(body({"content": "", "tool_calls": value}, "tool_calls"))
    assert (calls(response), response.flags) == (expected, flags)


def test_legacy_function_call() -> None:
    call = {"name": "f", "arguments": "{}"}
    plain = read_completion(body({"content": None, "function_call": call}, "function_call"))
    streamed = stream(
        chunk({"function_call": {"name": "f", "arguments": "{"}}),
        chunk({"function_call": {"arguments": "}"}}),
        chunk({}, "function_call"),
    )
    for response in (plain, streamed):
        assert response.tool_calls == (ToolCall(id=None, name="f", arguments="{}"),)
        assert response.flags == ("legacy_function_call",)


def test_legacy_copy_of_a_tool_call_counts_once() -> None:
    call = {"name": "f", "arguments": "{}"}
    message = {"function_call": call, "tool_calls": [{"id": "f:0", "function": call}]}
    assert calls(read_completion(body(message))) == [("f:0", "f", "{}")]


@pytest.mark.parametrize(
    ("frame", "message", "code", "kind"),
    [
        pytest.param(
            {"error": {"message": "m", "code": 500, "type": "ServerError", "param": None}},
            "m",
            500,
            "ServerError",
            id="object",
        ),
        pytest.param({"error": "m"}, "m", None, None, id="words"),
        pytest.param(
            {"error": {"message": "m"}, "choices": [{"delta": {}}]}, "m", None, None, id="beside choices"
        ),
        pytest.param(
            {"object": "error", "message": "m", "code": 40001, "type": "T"}, "m", 40001, "T", id="old vLLM"
        ),
        pytest.param(
            {"type": "error", "error": {"type": "overloaded", "message": "m"}},
            "m",
            None,
            "overloaded",
            id="event",
        ),
        pytest.param({"detail": "m"}, "m", None, None, id="FastAPI"),
        pytest.param(
            {"detail": [{"loc": ["body"], "msg": "m", "type": "missing"}]},
            "m",
            None,
            "missing",
            id="FastAPI validation",
        ),
        pytest.param({"code": "E1", "msg": "m", "choices": []}, "m", "E1", None, id="msg"),
        pytest.param(
            {"base_resp": {"status_code": 1004, "status_msg": "m"}}, "m", 1004, None, id="base_resp"
        ),
        pytest.param({"error": {"errno": 3}}, '{"errno": 3}', None, None, id="unknown words are shown"),
        pytest.param(
            {"choices": [{"finish_reason": "error", "error": {"message": "m", "code": 502}}]},
            "m",
            502,
            None,
            id="in the choice",
        ),
        pytest.param(
            {"choices": [{"delta": {}, "finish_reason": "error", "error": {"message": "m"}}]},
            "m",
            None,
            None,
            id="in a choice with a delta",
        ),
    ],
)
def test_error_frames_carry_the_servers_words(frame: Any, message: str, code: Any, kind: str | None) -> None:
    assembler = CompletionAssembler()
    assembler.add(chunk({"content": "so far"}))
    for read in (read_completion, assembler.add):
        with pytest.raises(ErrorFrame) as caught:
            read(frame)
        assert (caught.value.message, caught.value.code, caught.value.type) == (message, code, kind)
        assert str(caught.value) == message
    assert assembler.finish().content == "so far"


@pytest.mark.parametrize(
    "frame",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"id": "c", "usage": USAGE},
        {"choices": [], "error": None},
        {"error": {}},
    ],
)
def test_body_without_choices(frame: Any) -> None:
    with pytest.raises(NoChoices, match="no choices in"):
        read_completion(frame)


@pytest.mark.parametrize(
    "frame",
    [
        None,
        [],
        "x",
        3,
        {"choices": {"a": 1}},
        {"choices": "x"},
        {"choices": [None]},
        {"choices": ["x"]},
        {"choices": [{"message": "x"}]},
        {"choices": [{"delta": "x"}]},
        {"choices": [{"delta": []}]},
    ],
)
def test_shapes_that_no_completion_has(frame: Any) -> None:
    for read in (read_completion, CompletionAssembler().add):
        with pytest.raises(MalformedReply, match="expected"):
            read(frame)


@pytest.mark.parametrize(
    ("frame", "flags"),
    [
        pytest.param({"type": "ping"}, ("unknown_frame",), id="no completion chunk"),
        pytest.param({"choices": []}, (), id="no choices yet"),
        pytest.param({"choices": [], "prompt_filter_results": [{}]}, (), id="filter results"),
        pytest.param({"usage": USAGE}, (), id="usage alone"),
        pytest.param({"choices": None, "usage": USAGE}, (), id="usage, choices null"),
        pytest.param({"choices": [], "usage": USAGE, "base_resp": {"status_code": 0}}, (), id="good status"),
    ],
)
def test_chunks_without_choices(frame: Any, flags: tuple[str, ...]) -> None:
    response = stream(chunk({"content": "x"}), frame, chunk({}, "stop"))
    assert (response.content, response.flags) == ("x", flags)


def test_instances_share_nothing() -> None:
    one, two = CompletionAssembler(), CompletionAssembler()
    one.add(tools(piece("{}", name="f", id="x")))
    one.add(chunk({"content": "x"}, "stop", usage=USAGE))
    assert two.finish() == Response()


def test_finish_may_be_asked_twice() -> None:
    assembler = CompletionAssembler()
    for item in (tools({}), tools(piece("{}", name="f")), END):
        assembler.add(item)
    assert assembler.finish() == assembler.finish()


def test_chunks_are_not_changed() -> None:
    frames = [
        tools(piece({"a": [1]}, name="f", id="x")),
        chunk({"content": [{"text": "x"}]}, usage=dict(USAGE)),
        END,
    ]
    before = copy.deepcopy(frames)
    stream(*frames)
    assert frames == before


@settings(deadline=None)
@given(st.text(), st.data())
def test_cutting_a_text_anywhere_changes_nothing(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    response = stream(*(chunk({"content": part, "reasoning": part}) for part in pieces), chunk({}, "stop"))
    assert (response.content, response.reasoning, response.flags) == (text, text, ())


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=4), st.data())
def test_any_fragments_in_any_interleaving_give_the_plain_calls(
    arguments: list[tuple[str, str]], data: st.DataObject
) -> None:
    queues = []
    for index, (first, second) in enumerate(arguments):
        head = piece(first, name=f"tool_{index}", id=f"functions.tool_{index}:{index}", index=index)
        queues.append([head, {"index": index, "function": {"arguments": second}}])
    expected = [
        {"id": q[0]["id"], "function": {"name": q[0]["function"]["name"], "arguments": "".join(pair)}}
        for q, pair in zip(queues, arguments, strict=True)
    ]
    frames = []
    while any(queues):
        queue = data.draw(st.sampled_from([q for q in queues if q]))
        frames.append(tools(queue.pop(0)))
    plain = read_completion(body({"tool_calls": expected}, "tool_calls"))
    assert stream(*frames, END).tool_calls == plain.tool_calls


KEYS = st.sampled_from(
    [
        "choices",
        "index",
        "delta",
        "message",
        "text",
        "finish_reason",
        "usage",
        "error",
        "content",
        "reasoning",
        "reasoning_content",
        "type",
        "id",
        "name",
        "reasoning_details",
        "tool_calls",
        "function",
        "function_call",
        "arguments",
        "refusal",
        "prompt_tokens",
        "completion_tokens",
        "completion_tokens_details",
        "reasoning_tokens",
        "code",
        "detail",
        "summary",
        "thinking",
        "base_resp",
        "status_code",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["stop", "{}", '{"a":1}', "text"])
)
JSONISH = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
CHOICES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "index": LEAVES,
            "delta": st.dictionaries(KEYS, JSONISH, max_size=4),
            "message": st.dictionaries(KEYS, JSONISH, max_size=4),
            "finish_reason": JSONISH,
            "usage": JSONISH,
            "error": JSONISH,
        },
    ),
    max_size=3,
)
FRAMES = JSONISH | st.fixed_dictionaries({"choices": CHOICES}, optional={"usage": JSONISH})


@settings(deadline=None)
@given(st.lists(FRAMES, max_size=5))
def test_any_json_gives_a_response_or_a_named_fault(frames: list[Any]) -> None:
    assembler = CompletionAssembler()
    for frame in frames:
        for read in (read_completion, assembler.add):
            try:
                read(frame)
            except UnusableReplyError as fault:
                assert str(fault)
    response = assembler.finish()
    json.dumps([response.content, response.flags, [call.arguments for call in response.tool_calls]])


def test_nesting_beyond_what_json_can_write() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    for field in ("content", "reasoning", "tool_calls", "refusal", "function_call"):
        read_completion(body({field: deep}))
        stream(chunk({field: deep}))
    with pytest.raises(ErrorFrame):
        read_completion({"error": {"why": deep}})
