import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.completion import CompletionAssembler, UnusableReplyError, read_completion
from verifiers.native_tokens import with_native_calls
from verifiers.response import Response
from verifiers.tool_calls import ToolCallGrade, describe, grade_tool_calls

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
LIST_USERS = {
    "type": "function",
    "function": {"name": "list_users", "parameters": {"type": "object", "properties": {}}},
}
PING = {"type": "function", "function": {"name": "ping"}}
BROKEN = {"type": "function", "function": {"name": "broken", "parameters": {"type": "objekt"}}}
TOOLS = [WEATHER, LIST_USERS, PING, BROKEN]
OSLO = '{"city":"Oslo"}'
NATIVE = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    + OSLO
    + "<|tool_call_end|><|tool_calls_section_end|>"
)


def call(
    arguments: Any = OSLO, name: Any = "get_weather", id: Any = "functions.get_weather:0"
) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def plain(message: dict[str, Any], finish: str | None = "tool_calls") -> Response:
    return read_completion({"choices": [{"index": 0, "message": message, "finish_reason": finish}]})


def streamed(message: dict[str, Any], finish: str | None = "tool_calls") -> Response:
    """The message as a well-behaved server streams it: texts in pieces, then the calls in pieces."""
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for key in ("reasoning", "content"):
        deltas += [{key: sign} for sign in message.get(key) or ""]
    for index, item in enumerate(message.get("tool_calls", [])):
        function = item["function"]
        arguments = function["arguments"]
        pieces = list(arguments) if isinstance(arguments, str) else []
        first = arguments if not isinstance(arguments, str) else ""
        head = {**item, "index": index, "function": {**function, "arguments": first}}
        deltas.append({"tool_calls": [head]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": sign}}]} for sign in pieces]
    assembler = CompletionAssembler()
    for delta in deltas:
        assembler.add({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    assembler.add({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    return assembler.finish()


@pytest.mark.parametrize("read", [plain, streamed])
@pytest.mark.parametrize(
    ("item", "valid", "lenient", "flags"),
    [
        pytest.param(call(), True, True, [], id="valid"),
        pytest.param(call('{"city":"Oslo","zz":1}'), True, True, [], id="extra property allowed"),
        pytest.param(call('{"city":"Oslo","days":"2"}'), False, False, ["schema"], id="wrong type"),
        pytest.param(call('{"days":2}'), False, False, ["schema"], id="required missing"),
        pytest.param(
            call("{}", "nope", "functions.nope:0"), False, False, ["unknown_tool"], id="unknown tool"
        ),
        pytest.param(
            call("{", "nope", "functions.nope:0"),
            False,
            False,
            ["unknown_tool", "args_truncated"],
            id="both wrong",
        ),
        pytest.param(
            call("{}", "Get_Weather", "functions.Get_Weather:0"),
            False,
            False,
            ["unknown_tool"],
            id="case counts",
        ),
        pytest.param(
            call(OSLO, "functions.get_weather"),
            False,
            True,
            ["unknown_tool", "name_malformed", "id_not_native"],
            id="prefix left on the name",
        ),
        pytest.param(
            call(OSLO, " get_weather:0"),
            False,
            True,
            ["unknown_tool", "name_malformed", "id_not_native"],
            id="counter and blank left on the name",
        ),
        pytest.param(
            call("", "list_users", "functions.list_users:0"), False, True, ["args_empty_string"], id="empty"
        ),
        pytest.param(call(""), False, False, ["args_empty_string"], id="empty, but required"),
        pytest.param(call(None, "ping", "functions.ping:0"), False, True, ["args_null"], id="null"),
        pytest.param(
            call("null", "ping", "functions.ping:0"), False, True, ["args_null"], id="the text null"
        ),
        pytest.param(call(json.dumps(OSLO)), False, True, ["args_double_encoded"], id="double encoded"),
        pytest.param(
            call(json.dumps("{}")), False, False, ["args_double_encoded"], id="double encoded and wrong"
        ),
        pytest.param(call({"city": "Oslo"}), False, True, ["args_not_string"], id="an object, not its text"),
        pytest.param(call('["Oslo"]'), False, False, ["args_not_object"], id="an array"),
        pytest.param(call("{city: Oslo}"), False, False, ["args_not_json"], id="not JSON"),
        pytest.param(call('{"city":NaN}'), False, False, ["args_not_json"], id="NaN"),
        pytest.param(call('{"city":"Os'), False, False, ["args_truncated"], id="cut"),
        pytest.param(
            call('{"city":"Oslo","city":"Bonn"}'), True, True, ["args_duplicate_keys"], id="key twice"
        ),
        pytest.param(
            call(OSLO + "<|tool_call_end|>"),
            False,
            True,
            ["args_not_json", "leak_arguments"],
            id="token in arguments",
        ),
        pytest.param(
            call("{}", "broken", "functions.broken:0"), None, None, ["data_fault"], id="schema at fault"
        ),
        pytest.param(
            call("[]", "broken", "functions.broken:0"),
            False,
            False,
            ["args_not_object"],
            id="schema at fault, yet no object at all",
        ),
        pytest.param(
            call("", "broken", "functions.broken:0"),
            False,
            None,
            ["args_empty_string"],
            id="schema at fault, meaning open",
        ),
        pytest.param(call(id="call_abc123"), True, True, ["id_not_native"], id="id in OpenAI's style"),
        pytest.param(call(id="functions_get_weather_0"), True, True, ["id_not_native"], id="id sanitised"),
        pytest.param(call(id="functions.other:0"), True, True, ["id_not_native"], id="id of another tool"),
        pytest.param(
            call(id="functions.get_weather"), True, True, ["id_not_native"], id="id without counter"
        ),
        pytest.param(call(id="get_weather:0"), True, True, ["id_not_native"], id="id without prefix"),
        pytest.param(call(id=None), True, True, ["id_not_native"], id="no id"),
        pytest.param(
            call(id="functions.get_weather:17"), True, True, [], id="counter of a long conversation"
        ),
        pytest.param(
            call(OSLO, None), False, False, ["unknown_tool", "name_missing", "id_not_native"], id="no name"
        ),
    ],
)
def test_one_call(read: Any, item: Any, valid: bool | None, lenient: bool | None, flags: list[str]) -> None:
    grade = grade_tool_calls(read({"content": "", "tool_calls": [item]}), TOOLS)
    assert grade.triggered
    assert [(one.valid, one.lenient_valid) for one in grade.calls] == [(valid, lenient)]
    assert list(grade.flags) == flags
    assert (grade.valid, grade.lenient_valid) == (valid, lenient)
    assert grade.calls[0].reason == ("" if valid else next(flag for flag in flags if flag != "id_not_native"))


@pytest.mark.parametrize("read", [plain, streamed])
@pytest.mark.parametrize(
    ("calls", "finish", "flags"),
    [
        pytest.param([call()], "tool_calls", [], id="agrees"),
        pytest.param([call()], "stop", ["finish_reason_mismatch"], id="stop with a call"),
        pytest.param([call()], "content_filter", ["finish_reason_mismatch"], id="any other with a call"),
        pytest.param([call()], "length", [], id="budget ended behind a call"),
        pytest.param([call()], None, [], id="stream cut: nothing promised"),
        pytest.param([], "tool_calls", ["tool_calls_empty"], id="promised and absent"),
        pytest.param([], "stop", [], id="no call, none promised"),
        pytest.param([], "length", [], id="budget ended"),
    ],
)
def test_finish_reason_is_a_contract_of_its_own(read: Any, calls: Any, finish: str, flags: list[str]) -> None:
    grade = grade_tool_calls(read({"content": "", "tool_calls": calls}, finish), TOOLS)
    assert (grade.triggered, list(grade.flags)) == (bool(calls), flags)
    assert grade.valid is (True if calls else None)
    assert grade.truncated is (finish == "length")


def test_a_tool_forced_by_name_may_end_with_stop() -> None:
    response = plain({"tool_calls": [call()]}, "stop")
    forced = {"type": "function", "function": {"name": "get_weather"}}
    assert grade_tool_calls(response, TOOLS, tool_choice=forced).flags == ()
    for choice in ("required", "auto", None):
        assert grade_tool_calls(response, TOOLS, tool_choice=choice).flags == ("finish_reason_mismatch",)


def test_the_call_that_the_budget_cut_is_truncated() -> None:
    items = [
        call("", "list_users", "functions.list_users:0"),
        call("", "list_users", "functions.list_users:1"),
    ]
    grade = grade_tool_calls(plain({"tool_calls": items}, "length"), TOOLS)
    assert [(one.reason, one.lenient_valid) for one in grade.calls] == [
        ("args_empty_string", True),
        ("args_truncated", False),
    ]
    assert grade.truncated


@pytest.mark.parametrize("read", [plain, streamed])
@pytest.mark.parametrize(
    ("message", "flags", "recoverable"),
    [
        pytest.param({"content": NATIVE}, ["leak_content"], 1, id="content"),
        pytest.param({"content": None, "reasoning": NATIVE}, ["leak_reasoning"], 1, id="reasoning"),
        pytest.param(
            {"content": NATIVE, "reasoning": NATIVE}, ["leak_content", "leak_reasoning"], 2, id="both"
        ),
        pytest.param({"content": NATIVE + NATIVE}, ["leak_content"], 2, id="several sections"),
        pytest.param(
            {"content": NATIVE.replace("functions.get_weather:0", "functionsget_weather5")},
            ["leak_content", "malformed_id"],
            1,
            id="id without separators",
        ),
        pytest.param({"content": "<|tool_calls_section_begin|>"}, ["leak_content"], 0, id="lone token"),
        pytest.param(
            {"content": '<tool_call>{"name": "ping", "arguments": {}}</tool_call>'},
            ["leak_content"],
            1,
            id="another model's dialect",
        ),
        pytest.param({"content": "Sunny in Oslo."}, [], 0, id="plain text"),
    ],
)
def test_leaked_calls(read: Any, message: dict[str, Any], flags: list[str], recoverable: int) -> None:
    grade = grade_tool_calls(read(message, "stop"), TOOLS)
    assert (grade.triggered, list(grade.flags), grade.recoverable_calls) == (False, flags, recoverable)


def test_a_leak_where_a_call_was_promised() -> None:
    grade = grade_tool_calls(plain({"content": NATIVE}, "tool_calls"), TOOLS)
    assert grade.flags == ("tool_calls_empty", "leak_content")


@pytest.mark.parametrize(
    ("ids", "flags"),
    [
        pytest.param(["functions.get_weather:0", "functions.ping:1"], [], id="in order"),
        pytest.param(["functions.get_weather:4", "functions.ping:5"], [], id="later in the conversation"),
        pytest.param(["functions.get_weather:1", "functions.ping:0"], ["id_out_of_order"], id="backwards"),
        pytest.param(
            ["functions.get_weather:0", "functions.ping:0"], ["id_out_of_order"], id="counted per tool"
        ),
        pytest.param(["functions.get_weather:0", "functions.ping:2"], ["id_out_of_order"], id="gap"),
        pytest.param(["functions.get_weather:0", "call_1"], ["id_not_native"], id="one of them off the form"),
        pytest.param(["x", "x"], ["id_not_native", "duplicate_id"], id="the same id twice"),
    ],
)
def test_ids_of_parallel_calls(ids: list[str], flags: list[str]) -> None:
    items = [call(id=ids[0]), call("{}", "ping", ids[1])]
    for read in (plain, streamed):
        grade = grade_tool_calls(read({"tool_calls": items}), TOOLS)
        assert [one.name for one in grade.calls] == ["get_weather", "ping"]
        assert list(grade.flags) == flags


def test_faults_of_the_wire_are_kept() -> None:
    response = Response(finish_reason="tool_calls", flags=("empty_deltas", "finish_reason_twice"))
    assert grade_tool_calls(response, TOOLS).flags == (
        "tool_calls_empty",
        "empty_deltas",
        "finish_reason_twice",
    )


def test_the_legacy_call_has_no_id_to_judge() -> None:
    response = plain({"function_call": {"name": "ping", "arguments": "{}"}}, "function_call")
    grade = grade_tool_calls(response, TOOLS)
    assert (grade.valid, grade.flags) == (True, ("legacy_function_call",))


def test_verdict_over_several_calls() -> None:
    good, bad = call(), call("{}")
    open_ = call("{}", "broken", "functions.broken:1")

    def valid(*items: Any) -> bool | None:
        return grade_tool_calls(plain({"tool_calls": list(items)}), TOOLS).valid

    assert valid(good, good) is True
    assert valid(good, bad) is False
    assert valid(good, open_) is None
    assert valid(open_, bad) is False


def test_a_declaration_without_name_leaves_an_unknown_tool_open() -> None:
    response = plain({"tool_calls": [call("{}", "nope", "functions.nope:0")]})
    grade = grade_tool_calls(response, [WEATHER, {"type": "function"}])
    assert (grade.calls[0].valid, grade.calls[0].reason, grade.flags) == (None, "data_fault", ("data_fault",))
    assert len(grade.tool_faults) == 1


def test_no_tools_declared_makes_every_call_unknown() -> None:
    undeclared: tuple[list[Any] | None, ...] = (None, [])
    for tools in undeclared:
        assert grade_tool_calls(plain({"tool_calls": [call()]}), tools).calls[0].reason == "unknown_tool"


def test_raw_completion_is_graded_like_a_parsed_one() -> None:
    raw = with_native_calls(Response(content=NATIVE, finish_reason="stop"), ["get_weather"])
    assert grade_tool_calls(raw, TOOLS) == grade_tool_calls(plain({"tool_calls": [call()]}), TOOLS)


def test_describe_is_json_with_the_names_of_the_interface() -> None:
    response = plain({"tool_calls": [call(), call("", "list_users", "functions.list_users:1")]}, "stop")
    described = json.loads(json.dumps(describe(grade_tool_calls(response, TOOLS))))
    assert described["triggered"] is True
    assert [
        {key: one[key] for key in ("name", "arguments", "valid", "reason")} for one in described["calls"]
    ] == [
        {"name": "get_weather", "arguments": OSLO, "valid": True, "reason": None},
        {"name": "list_users", "arguments": "", "valid": False, "reason": "args_empty_string"},
    ]
    assert described["flags"] == ["finish_reason_mismatch", "args_empty_string"]
    assert described["recoverable_calls"] == 0


@settings(deadline=None)
@given(st.data())
def test_fragments_never_change_the_grade(data: st.DataObject) -> None:
    texts = st.sampled_from([OSLO, "", "{", '{"city":"x}{y"}', json.dumps(OSLO), "[1]", '{"city":"Oslo"}{}'])
    names = st.sampled_from(["get_weather", "ping", "nope"])
    chosen = data.draw(st.lists(st.tuples(names, texts), min_size=1, max_size=3))
    items = [call(text, name, f"functions.{name}:{n}") for n, (name, text) in enumerate(chosen)]
    queues: list[list[dict[str, Any]]] = []
    for index, item in enumerate(items):
        text = item["function"]["arguments"]
        cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=3)))
        pieces = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        head = {**item, "index": index, "function": {**item["function"], "arguments": pieces[0]}}
        queues.append([head, *({"index": index, "function": {"arguments": piece}} for piece in pieces[1:])])
    assembler = CompletionAssembler()
    while any(queues):
        fragment = data.draw(st.sampled_from([queue for queue in queues if queue])).pop(0)
        assembler.add({"choices": [{"index": 0, "delta": {"tool_calls": [fragment]}}]})
    assembler.add({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    expected = grade_tool_calls(plain({"tool_calls": items}), TOOLS)
    found = grade_tool_calls(assembler.finish(), TOOLS)
    assert (found.calls, set(found.flags) - {"unordered_index"}) == (expected.calls, set(expected.flags))


JSONISH = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-1, 2)
    | st.sampled_from(["", "{}", "get_weather", NATIVE, "tool_calls"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["function", "name", "arguments", "parameters", "id", "index", "type", "properties", "$ref"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@settings(deadline=None)
@given(
    message=st.fixed_dictionaries(
        {}, optional={"content": JSONISH, "reasoning": JSONISH, "tool_calls": JSONISH}
    ),
    finish=JSONISH,
    tools=JSONISH,
    choice=JSONISH,
)
def test_any_message_and_any_tools_are_graded(message: Any, finish: Any, tools: Any, choice: Any) -> None:
    try:
        response = plain(message, finish)
    except UnusableReplyError:
        return
    grade = grade_tool_calls(response, tools, tool_choice=choice)
    assert isinstance(grade, ToolCallGrade)
    json.dumps(describe(grade))
    assert grade.triggered is bool(response.tool_calls)
