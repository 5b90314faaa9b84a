"""Tool calls as a message holds them and as a stream cuts them up, with the faults that streams add."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

import orjson

from evals.simulator.fault_kind import FaultKind
from evals.simulator.reply import PlayedCall


def _arguments(call: PlayedCall, faults: Set[FaultKind]) -> Any:
    if FaultKind.TOOL_ARGS_OBJECT in faults and call.arguments:
        return orjson.loads(call.arguments)
    return call.arguments


def call_json(call: PlayedCall, faults: Set[FaultKind] = frozenset()) -> dict[str, Any]:
    """Return one tool call of a message."""
    return {
        "id": None if FaultKind.TOOL_ID_MISSING in faults else call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": _arguments(call, faults)},
    }


def _place(number: int, faults: Set[FaultKind]) -> dict[str, int]:
    if FaultKind.TOOL_INDEX_MISSING in faults:
        return {}
    return {"index": 0 if FaultKind.TOOL_DUPLICATE_INDEX in faults else number}


def _one_call(call: PlayedCall, number: int, faults: Set[FaultKind]) -> Iterator[dict[str, Any]]:
    """Yield a call in pieces: id, type and name first, then its arguments in two parts."""
    place, arguments = _place(number, faults), _arguments(call, faults)
    name, rest = call.name, ""
    if FaultKind.TOOL_NAME_FRAGMENTED in faults:
        name, rest = name[: len(name) // 2 or 1], name[len(name) // 2 or 1 :]
    is_text = isinstance(arguments, str)
    opening = call_json(call, faults)
    opening["function"] = {"name": name, "arguments": "" if is_text else arguments}
    yield {**place, **opening}
    if rest:
        yield {**place, "function": {"name": rest}}
    middle = len(arguments) // 2 if is_text else 0
    for part in (arguments[:middle], arguments[middle:]) if is_text else ():
        if part:
            yield {**place, "function": {"arguments": part}}


def call_deltas(calls: Sequence[PlayedCall], faults: Set[FaultKind]) -> Iterator[list[dict[str, Any]]]:
    """Yield the ``tool_calls`` of each delta that ``calls`` are streamed in."""
    if FaultKind.TOOL_EMPTY_DELTAS in faults:
        yield from ([], [])
    numbered = list(enumerate(calls))
    for number, call in numbered:
        for piece in _one_call(call, number, faults):
            yield [piece]
