"""Tool calls of a reply, whole or in fragments: raw arguments, order and names are kept."""

from typing import Any

import pytest

from tests.verifiers.completion_frames import END, body, calls, chunk, piece, stream, tools
from verifiers.completion import (
    read_completion,
)
from verifiers.response import ToolCall


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
