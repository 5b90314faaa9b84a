"""Faults of tool calls as a client sees them, streamed and plain."""

import json
from collections.abc import Callable

import jsonschema
import pytest


def read_calls(answer) -> list[dict[str, object]]:
    """Join call deltas by their id, as a client that trusts no index would."""
    if not answer.payloads():
        return answer.message.get("tool_calls") or []
    calls: list[dict[str, object]] = []
    for delta in (c["delta"] for chunk in answer.chunks() for c in chunk["choices"]):
        for piece in delta.get("tool_calls", ()):
            if "id" in piece:
                calls.append({"id": piece["id"], "name": "", "arguments": "", "type": piece["type"]})
            for field, part in piece["function"].items():
                calls[-1][field] = calls[-1][field] + part if isinstance(part, str) else part
    return [{"id": c["id"], "function": {k: c[k] for k in ("name", "arguments")}} for c in calls]


def first(answer) -> dict[str, object]:
    return read_calls(answer)[0]["function"]


def finish(answer) -> object:
    return answer.finishes()[-1] if answer.payloads() else answer.json()["choices"][0]["finish_reason"]


CALL_FAULTS: dict[str, Callable[[object], bool]] = {
    "tool_name_unknown": lambda a: first(a)["name"] == "undeclared_tool",
    "tool_args_truncated": lambda a: first(a)["arguments"] == '{"city":"Oslo","',
    "tool_args_double_encoded": lambda a: json.loads(json.loads(first(a)["arguments"]))["days"] == 1,
    "tool_args_empty": lambda a: first(a)["arguments"] == "",
    "tool_args_null": lambda a: first(a)["arguments"] is None,
    "tool_args_object": lambda a: first(a)["arguments"]["days"] == 1,
    "tool_leak_content": lambda a: (
        "functions.get_weather:0<|tool_call_arg" in a.said("content") and not read_calls(a)
    ),
    "tool_leak_reasoning": lambda a: "<|tool_call_begin|>" in a.said("reasoning") and not read_calls(a),
    "tool_id_openai": lambda a: read_calls(a)[0]["id"].startswith("call_"),
    "tool_id_malformed": lambda a: read_calls(a)[0]["id"] == "functionsget_weather0",
    "tool_id_missing": lambda a: read_calls(a)[0]["id"] is None,
    "tool_finish_stop": lambda a: read_calls(a) and finish(a) == "stop",
    "tool_finish_without_calls": lambda a: not read_calls(a) and finish(a) == "tool_calls",
    "tool_empty_deltas": lambda a: (
        not read_calls(a) and finish(a) == "tool_calls" and b'"tool_calls":[]' in a.body
    ),
    "tool_not_triggered": lambda a: not read_calls(a) and finish(a) == "stop" and a.said("content"),
    "tool_parallel_unordered": lambda a: [c["id"][-1] for c in read_calls(a)] == ["1", "0"],
}


@pytest.mark.parametrize("kind", CALL_FAULTS)
def test_tool_call_faults(start, kind, shape, weather):
    answer = start(f"{kind}=1").ask("Weather in Oslo, please", tools=[weather], **shape)
    assert CALL_FAULTS[kind](answer)


@pytest.mark.parametrize("n_required", [0, 1, 2])
def test_invalid_arguments_are_json_and_invalid(start, shape, weather, n_required):
    schema = {**weather["function"]["parameters"], "required": ["city", "days"][:n_required]}
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    clients = (start(), start("tool_args_invalid=1"))
    good, bad = (client.ask(tools=[tool], tool_choice="required", **shape) for client in clients)
    jsonschema.validate(json.loads(first(good)["arguments"]), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(first(bad)["arguments"]), schema)


def test_faults_of_streamed_calls(start, weather):
    def deltas(kind: str) -> tuple[object, list[dict[str, object]]]:
        answer = start(f"{kind}=1").ask("Weather in Oslo", tools=[weather], stream=True)
        found = [c["delta"].get("tool_calls") for chunk in answer.chunks() for c in chunk["choices"]]
        return answer, [piece for pieces in found for piece in pieces or ()]

    answer, pieces = deltas("tool_duplicate_index")
    assert {piece["index"] for piece in pieces} == {0} and len(read_calls(answer)) == 2
    assert all("index" not in piece for piece in deltas("tool_index_missing")[1])
    names = [
        piece["function"]["name"]
        for piece in deltas("tool_name_fragmented")[1]
        if "name" in piece["function"]
    ]
    assert len(names) == 2 and "".join(names) == "get_weather"
    assert deltas("tool_finish_twice")[0].finishes() == ["tool_calls", "tool_calls"]


def test_tool_choice_ignored(start, weather, shape):
    client = start("tool_choice_ignored=1")
    assert not read_calls(client.ask(tools=[weather], tool_choice="required", **shape))
    assert read_calls(client.ask(tools=[weather], tool_choice="none", **shape))
    assert read_calls(client.ask("Weather in Oslo", tools=[weather], **shape))
