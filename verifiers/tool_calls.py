"""Grade the tool calls of one response: were there any, are they valid, and which contract is broken."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from verifiers.native_tokens import NativeText, read_call_id, read_native_text
from verifiers.response import Response, ToolCall
from verifiers.tool_arguments import read_arguments
from verifiers.tool_schema import DeclaredTools, SchemaResult, read_tools

_CALL_FINISH_REASONS = frozenset({"tool_calls", "function_call"})
_UNKNOWN_TOOL, _SCHEMA, _DATA_FAULT = "unknown_tool", "schema", "data_fault"
# A server that forgot to cut the id's parts off the name, or left white space on it.
_DRESSED_NAME = re.compile(r"\s*(?:functions\.)?(.{1,200}?)(?::\d+)?\s*")


@dataclass(frozen=True, kw_only=True)
class CallGrade:
    """One call. ``valid`` is strict: a declared tool, the text of one JSON object, the tool's schema.

    ``lenient_valid`` forgives serving quirks that hide a right call (see :mod:`verifiers.tool_arguments`).
    Both are ``None`` where the tool's schema is itself at fault: neither valid nor invalid, and no part of
    any accuracy. ``reason`` is empty for a valid call, else the first broken rule: ``unknown_tool``,
    ``args_...``, ``schema`` or ``data_fault``; ``detail`` says it in words.
    """

    id: str | None
    name: str | None
    arguments: str | None
    valid: bool | None
    lenient_valid: bool | None
    reason: str = ""
    detail: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ToolCallGrade:
    """All that one response says about tool calling.

    ``triggered``: calls are present, whatever the finish reason. ``recoverable_calls`` counts calls that
    lie in content or reasoning as native tokens and that a working parser would have made. ``truncated``:
    the token budget ended the response. ``flags`` holds those of the wire too. ``tool_faults`` names
    what is wrong with the request's own tool declarations.
    """

    triggered: bool
    calls: tuple[CallGrade, ...] = ()
    flags: tuple[str, ...] = ()
    recoverable_calls: int = 0
    truncated: bool = False
    tool_faults: tuple[str, ...] = ()

    @property
    def valid(self) -> bool | None:
        """Whether every call is valid; ``None`` without calls or where a data fault leaves it open."""
        return _all([call.valid for call in self.calls])

    @property
    def lenient_valid(self) -> bool | None:
        """:attr:`valid` with serving quirks forgiven."""
        return _all([call.lenient_valid for call in self.calls])


def grade_tool_calls(
    response: Response, tools: Sequence[Mapping[str, Any]] | None, *, tool_choice: object = None
) -> ToolCallGrade:
    """Grade ``response`` against the ``tools`` and the ``tool_choice`` of the request it answers.

    Never raises on anything a model, a server or a data file says.
    """
    declared = read_tools(tools)
    names = tuple(declared.schemas)
    calls = tuple(_grade_calls(response, declared))
    content = read_native_text(response.content, names)
    reasoning = read_native_text(response.reasoning, names)
    flags = [
        *_finish_flags(response, tool_choice),
        *_leak_flags(content, reasoning),
        *(flag for call in calls for flag in call.flags),
        *_id_flags(response),
        *response.flags,
    ]
    return ToolCallGrade(
        triggered=bool(calls),
        calls=calls,
        flags=tuple(dict.fromkeys(flags)),
        recoverable_calls=content.n_recoverable + reasoning.n_recoverable,
        truncated=response.is_truncated,
        tool_faults=declared.faults,
    )


def describe(grade: ToolCallGrade) -> dict[str, Any]:
    """The grade as JSON: the score output of the command line (``reason`` is null for a valid call)."""
    return {
        "triggered": grade.triggered,
        "valid": grade.valid,
        "lenient_valid": grade.lenient_valid,
        "calls": [
            {
                "id": call.id,
                "name": call.name,
                "arguments": call.arguments,
                "valid": call.valid,
                "lenient_valid": call.lenient_valid,
                "reason": call.reason or None,
                "detail": call.detail or None,
            }
            for call in grade.calls
        ],
        "flags": list(grade.flags),
        "recoverable_calls": grade.recoverable_calls,
        "truncated": grade.truncated,
        "tool_faults": list(grade.tool_faults),
    }


def _grade_calls(response: Response, declared: DeclaredTools) -> Iterator[CallGrade]:
    last = len(response.tool_calls) - 1
    for place, call in enumerate(response.tool_calls):
        yield _grade_call(call, declared, is_cut=response.is_truncated and place == last)


def _grade_call(call: ToolCall, declared: DeclaredTools, *, is_cut: bool) -> CallGrade:
    read = read_arguments(call, is_cut=is_cut)
    name = _declared_name(call.name, declared)
    is_known = name is not None and name == call.name
    strict = _check(name, read.value, declared)
    lenient = _check(name, read.lenient_value, declared)
    reason, detail = "", ""
    if not is_known:
        reason = _DATA_FAULT if declared.has_unreadable and call.name else _UNKNOWN_TOOL
        detail = f"{call.name!r} is not declared"
    elif read.fault is not None:
        reason, detail = read.fault.value, read.detail
    elif strict.is_valid is not True:
        reason, detail = _SCHEMA if strict.is_valid is False else _DATA_FAULT, strict.detail
    flags = [reason] if reason else []
    if not is_known:
        flags += [read.fault.value] if read.fault else []
        flags += ["name_malformed"] if name is not None else [] if call.name else ["name_missing"]
    return CallGrade(
        id=call.id,
        name=call.name,
        arguments=call.arguments,
        valid=None if reason == _DATA_FAULT else not reason,
        lenient_valid=None if _DATA_FAULT in (reason, _reason_of(lenient)) else bool(lenient.is_valid),
        reason=reason,
        detail=detail,
        flags=(*flags, *read.flags),
    )


def _check(name: str | None, arguments: Mapping[str, Any] | None, declared: DeclaredTools) -> SchemaResult:
    """Validate arguments that may be missing for a tool that may be unknown: then they are not valid."""
    if name is None or arguments is None:
        return SchemaResult(is_valid=False)
    return declared.check(name, arguments)


def _reason_of(result: SchemaResult) -> str:
    return _DATA_FAULT if result.is_valid is None else ""


def _declared_name(name: str | None, declared: DeclaredTools) -> str | None:
    """The declared tool that ``name`` means: itself, or what is left without a prefix, counter or blanks."""
    if name is None or name in declared.schemas:
        return name
    dressed = _DRESSED_NAME.fullmatch(name)
    return dressed[1] if dressed and dressed[1] in declared.schemas else None


def _finish_flags(response: Response, tool_choice: object) -> list[str]:
    """Whether the finish reason agrees with the calls; a cut response or stream promises nothing."""
    reason = response.finish_reason
    if not response.tool_calls:
        return ["tool_calls_empty"] if reason in _CALL_FINISH_REASONS else []
    # A tool forced by name ends with `stop` at OpenAI and vLLM alike.
    is_forced = isinstance(tool_choice, Mapping) and reason == "stop"
    if reason is None or reason in _CALL_FINISH_REASONS or response.is_truncated or is_forced:
        return []
    return ["finish_reason_mismatch"]


def _leak_flags(content: NativeText, reasoning: NativeText) -> list[str]:
    flags = ["leak_content"] if content.has_tokens else []
    flags += ["leak_reasoning"] if reasoning.has_tokens else []
    return flags + (["malformed_id"] if content.has_malformed_id or reasoning.has_malformed_id else [])


def _id_flags(response: Response) -> list[str]:
    """Ids off the form ``functions.NAME:N``, and counters that do not go up by one from call to call.

    The counter runs through the whole conversation, so the first one may be any number.
    """
    if "legacy_function_call" in response.flags:
        return []  # the legacy field has no ids
    ids = [(call.name, read_call_id(call.id or "")) for call in response.tool_calls]
    flags = [] if all(read.is_native and read.name == name for name, read in ids) else ["id_not_native"]
    counters = [read.counter for _, read in ids if read.is_native and read.counter is not None]
    if any(later != earlier + 1 for earlier, later in pairwise(counters)):
        flags.append("id_out_of_order")
    return flags


def _all(verdicts: Sequence[bool | None]) -> bool | None:
    if not verdicts or False in verdicts:
        return False if verdicts else None
    return None if None in verdicts else True
