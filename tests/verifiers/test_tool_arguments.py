import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.response import ToolCall
from verifiers.tool_arguments import ArgumentFault, HugeInteger, parse_integer, parse_json, read_arguments


def call(arguments: str | None, *, is_text: bool = True) -> ToolCall:
    return ToolCall(id="functions.f:0", name="f", arguments=arguments, is_text=is_text)


@pytest.mark.parametrize(
    ("arguments", "fault", "meant"),
    [
        pytest.param('{"a": 1}', None, {"a": 1}, id="an object"),
        pytest.param(" \n{}\t", None, {}, id="white space around"),
        pytest.param('{"a": "\\ud83d"}', None, {"a": "\ud83d"}, id="half a surrogate pair"),
        pytest.param(None, ArgumentFault.NULL, {}, id="null"),
        pytest.param("null", ArgumentFault.NULL, {}, id="the text null"),
        pytest.param("", ArgumentFault.EMPTY, {}, id="empty"),
        pytest.param(" \n", ArgumentFault.EMPTY, {}, id="blank"),
        pytest.param('"{\\"a\\": 1}"', ArgumentFault.DOUBLE_ENCODED, {"a": 1}, id="encoded twice"),
        pytest.param(
            json.dumps(json.dumps('{"a": 1}')), ArgumentFault.DOUBLE_ENCODED, {"a": 1}, id="three times"
        ),
        pytest.param('""', ArgumentFault.DOUBLE_ENCODED, {}, id="empty, encoded twice"),
        pytest.param('"{\\"a\\": "', ArgumentFault.DOUBLE_ENCODED, None, id="encoded twice, cut inside"),
        pytest.param('"Oslo"', ArgumentFault.NOT_OBJECT, None, id="a string"),
        pytest.param('["Oslo"]', ArgumentFault.NOT_OBJECT, None, id="an array"),
        pytest.param('[{"a": 1}]', ArgumentFault.NOT_OBJECT, None, id="an object in an array"),
        pytest.param("3", ArgumentFault.NOT_OBJECT, None, id="a number"),
        pytest.param("true", ArgumentFault.NOT_OBJECT, None, id="a boolean"),
        pytest.param('"[1]"', ArgumentFault.NOT_OBJECT, None, id="an array, encoded twice"),
        pytest.param("{'a': 1}", ArgumentFault.NOT_JSON, None, id="single quotes"),
        pytest.param('{"a": 1,}', ArgumentFault.NOT_JSON, None, id="trailing comma"),
        pytest.param('{"a": 1}{"a": 1}', ArgumentFault.NOT_JSON, None, id="two objects"),
        pytest.param('{"a": 1}""', ArgumentFault.NOT_JSON, None, id="quotes behind"),
        pytest.param('{"a": "x\ny"}', ArgumentFault.NOT_JSON, None, id="raw line break"),
        pytest.param('{"a": NaN}', ArgumentFault.NOT_JSON, None, id="NaN"),
        pytest.param('{"a": -Infinity}', ArgumentFault.NOT_JSON, None, id="Infinity"),
        pytest.param('{"a": 01}', ArgumentFault.NOT_JSON, None, id="leading zero"),
        pytest.param('{"a": "\\x"}', ArgumentFault.NOT_JSON, None, id="no escape of JSON's"),
        pytest.param('{"a": "\\u12"}', ArgumentFault.NOT_JSON, None, id="short escape"),
        pytest.param("```json\n{}\n```", ArgumentFault.NOT_JSON, None, id="fenced"),
        pytest.param("city=Oslo", ArgumentFault.NOT_JSON, None, id="not JSON at all"),
        pytest.param("\ufeff{}", ArgumentFault.NOT_JSON, None, id="byte order mark"),
    ],
)
def test_arguments_strict_and_lenient(arguments: str | None, fault: ArgumentFault | None, meant: Any) -> None:
    read = read_arguments(call(arguments))
    assert (read.fault, read.lenient_value) == (fault, meant)
    assert read.value == (meant if fault is None else None)


def test_an_object_in_place_of_its_text() -> None:
    read = read_arguments(call('{"a": 1}', is_text=False))
    assert (read.fault, read.value, read.lenient_value) == (ArgumentFault.NOT_STRING, None, {"a": 1})


@pytest.mark.parametrize(
    "value", [{"city": 'Oslo é \\ "', "n": [-12.5e-3, True, None], "o": {"a": {}}}, {"": 1e5}]
)
def test_every_beginning_is_truncated(value: Any) -> None:
    text = json.dumps(value)
    for end in range(1, len(text)):
        assert read_arguments(call(text[:end])).fault is ArgumentFault.TRUNCATED, text[:end]


def test_the_budget_may_end_before_the_arguments() -> None:
    for arguments in (None, ""):
        read = read_arguments(call(arguments), is_cut=True)
        assert (read.fault, read.lenient_value) == (ArgumentFault.TRUNCATED, None)
    assert read_arguments(call("{}"), is_cut=True).fault is None


def test_a_native_token_behind_the_arguments() -> None:
    read = read_arguments(call('{"a": 1}<|tool_call_end|>\n<|tool_calls_section_end|>'))
    assert (read.fault, read.lenient_value) == (ArgumentFault.NOT_JSON, {"a": 1})
    assert read.flags == ("leak_arguments",)


def test_repeated_keys_are_noted_and_the_last_counts() -> None:
    read = read_arguments(call('{"a": 1, "b": {"c": 1, "c": 2}}'))
    assert (read.value, read.flags) == ({"a": 1, "b": {"c": 2}}, ("args_duplicate_keys",))
    assert read_arguments(call('{"a": {"a": 1}}')).flags == ()


def test_nesting_without_end_is_a_fault_and_no_crash() -> None:
    for text in ("[" * 100_000, '{"a":' * 100_000):
        read = read_arguments(call(text))
        assert read.fault is ArgumentFault.NOT_JSON
        assert "nested" in read.detail


@settings(deadline=None)
@given(st.integers(min_value=-(10**40), max_value=10**40), st.integers(0, 5000))
def test_integers_of_any_length_are_exact(value: int, zeros: int) -> None:
    assert parse_integer(f"{value}" + "0" * zeros) == value * 10**zeros


def test_a_huge_integer_can_be_spoken_of() -> None:
    value = parse_json("1" + "0" * 5000).value
    assert isinstance(value, HugeInteger)
    assert f"{value!r} {value}".count("integer of 16610 bits") == 2


@settings(deadline=None)
@given(st.text() | st.text('{}[]",:\\0123eE+-.tfn \n'))
def test_any_text_is_read_and_agrees_with_the_json_module(text: str) -> None:
    read = read_arguments(call(text))
    assert (read.value is None) is (read.fault is not None)
    try:
        parsed = json.loads(text)
    except ValueError:
        assert read.fault in {ArgumentFault.NOT_JSON, ArgumentFault.TRUNCATED, ArgumentFault.EMPTY}
    else:
        assert read.value == (parsed if isinstance(parsed, dict) else None)
