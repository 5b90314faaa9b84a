"""Judge tool calling: calls made or not made as told, each aspect of a call by itself, and whole round trips."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from verifiers.contract_evidence import (
    Evidence,
    Judge,
    ProbeReply,
    ProbeVerdict,
    answered,
    failed,
    first_unserved,
    not_applicable,
    nothing_shown,
    passed,
    quoted,
)
from verifiers.contract_refusal import said
from verifiers.response import Response
from verifiers.tool_calls import ToolCallGrade, grade_tool_calls
from verifiers.visible_text import split_thinking

Tools = Sequence[Mapping[str, Any]]
Aspect = Callable[[ToolCallGrade, Response], str]

_FINISH_FLAGS = ("finish_reason_mismatch", "finish_reason_twice", "text_after_finish")
_WIRE_FLAGS = (
    *("duplicate_index", "missing_index", "unordered_index", "id_changed", "name_fragmented"),
    *("tool_call_malformed", "call_repeated", "tool_calls_not_list", "legacy_function_call"),
)


def call_made(name: str, tools: Tools, *, only: str | None = None) -> Judge:
    """Return the judge of a reply that must hold a call, of the tool ``only`` alone where given."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        response = answered(reply)
        if not response.tool_calls:
            return _no_call(reply, tools)
        called = sorted({call.name or "" for call in response.tool_calls})
        if only is not None and called != [only]:
            return failed(f"{', '.join(called)} called in place of {only}")
        return passed(said(reply))

    return judge


def no_call_made(name: str) -> Judge:
    """Return the judge of a reply that must hold no call."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        if answered(reply).tool_calls:
            return failed(f"a call although none is allowed: {said(reply)}")
        return passed(said(reply))

    return judge


def calls_keep(aspect: Aspect, tools: Tools, names: Sequence[str], *, forced: str | None = None) -> Judge:
    """Return the judge of one aspect of the calls in several replies; ``aspect`` says what is wrong, or "".

    Replies that were not served or hold no call are left to the probes that ask for one. ``forced`` names
    the request whose tool choice names a tool.
    """

    def judge(evidence: Evidence) -> ProbeVerdict:
        n_judged = 0
        for name in names:
            response = evidence.replies[name].response
            if response is None:
                continue
            choice: object = {"type": "function"} if name == forced else None
            grade = grade_tool_calls(response, tools, tool_choice=choice)
            fault = aspect(grade, response)
            if fault:
                return failed(f"{name}: {fault}")
            n_judged += grade.triggered
        if not n_judged:
            return first_unserved(*(evidence.replies[name] for name in names)) or not_applicable("no call")
        return passed(f"{n_judged} repl{'ies' if n_judged != 1 else 'y'} with calls")

    return judge


def arguments_fault(grade: ToolCallGrade, response: Response) -> str:
    """Return what is wrong with names or arguments: undeclared, not JSON, not an object, off the schema."""
    for call in grade.calls:
        if call.valid is False and not (call.reason == "args_truncated" and response.is_truncated):
            return f"{call.reason}: {call.name}({quoted(call.arguments)}) {call.detail}".rstrip()
    return ""


def native_id_fault(grade: ToolCallGrade, _response: Response) -> str:
    """Return the first id off the trained form ``functions.NAME:N``."""
    if "id_not_native" not in grade.flags:
        return ""
    return f"ids off the trained form functions.NAME:N: {', '.join(str(call.id) for call in grade.calls)}"


def missing_id_fault(grade: ToolCallGrade, _response: Response) -> str:
    """Return the calls without an id: their results cannot be told apart."""
    return "a call without an id" if any(not call.id for call in grade.calls) else ""


def finish_fault(grade: ToolCallGrade, response: Response) -> str:
    """Return how the finish reason disagrees with the calls."""
    flags = [flag for flag in _FINISH_FLAGS if flag in grade.flags]
    return f"{', '.join(flags)}: finish reason {response.finish_reason!r} beside calls" if flags else ""


def leak_fault(grade: ToolCallGrade, response: Response) -> str:
    """Return where native tool tokens stand in the text, and how many calls could be made of them."""
    for flag, text in (("leak_content", response.content), ("leak_reasoning", response.reasoning)):
        if flag in grade.flags and not response.is_truncated:
            place = flag.removeprefix("leak_")
            return f"native tokens in the {place}, {grade.recoverable_calls} calls lost: {quoted(text)}"
    return ""


def wire_fault(grade: ToolCallGrade, _response: Response) -> str:
    """Return what is wrong with the form of the calls as they came: indices, names in pieces."""
    return ", ".join(flag for flag in _WIRE_FLAGS if flag in grade.flags)


def calls_in_order(name: str, tools: Tools) -> Judge:
    """Return the judge of parallel calls: different ids, and counters that go up one by one."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        response = answered(reply)
        ids = [str(call.id) for call in response.tool_calls]
        if len(ids) < 2:
            return not_applicable(f"{len(ids)} calls where two were asked for: {said(reply)}")
        if len(set(ids)) < len(ids):
            return failed(f"two calls share an id: {', '.join(ids)}")
        if "id_out_of_order" in grade_tool_calls(response, tools).flags:
            return failed(f"the counters of the ids are out of order: {', '.join(ids)}")
        return passed(", ".join(ids))

    return judge


def call_conforms(name: str, tools: Tools) -> Judge:
    """Return the judge of a forced call: made, and its arguments valid against the tool's schema."""

    def judge(evidence: Evidence) -> ProbeVerdict:
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        response = answered(reply)
        if not response.tool_calls:
            return _no_call(reply, tools)
        call = grade_tool_calls(response, tools).calls[0]
        if call.valid is None:
            return not_applicable(f"the schema itself cannot be judged: {call.detail}")
        if not call.valid and response.is_truncated:
            return nothing_shown(f"the budget ended the reply within the call: {quoted(call.arguments)}")
        if not call.valid:
            return failed(f"{call.reason}: {call.detail or call.name} in {quoted(call.arguments)}")
        return passed(quoted(call.arguments))

    return judge


def result_used(name: str, fact: str, tools: Tools, *, after: str | None = None) -> Judge:
    """Return the judge of a reply to a tool's result: it must tell ``fact``, which only the result holds.

    ``after`` names the request whose call, of one of ``tools``, that result answers.
    """

    def judge(evidence: Evidence) -> ProbeVerdict:
        if after is not None:
            problem = first_unserved(evidence.replies[after])
            if problem is not None:
                return problem
        if after is not None and name not in evidence.replies:
            return _no_call(evidence.replies[after], tools)
        reply = evidence.replies[name]
        problem = first_unserved(reply)
        if problem is not None:
            return problem
        response = answered(reply)
        if fact.lower() in split_thinking(response.content).visible.lower():
            return passed(f"the result is used: {said(reply)}")
        if response.is_truncated:
            return nothing_shown(f"the budget ended the reply first: {said(reply)}")
        return failed(f"the result ({fact}) is not used: {said(reply)}")

    return judge


def _no_call(reply: ProbeReply, tools: Tools) -> ProbeVerdict:
    """Return why no call came: lost by the parser, promised only, cut by the budget, or not made."""
    response = answered(reply)
    grade = grade_tool_calls(response, tools)
    if response.is_truncated:
        return nothing_shown(f"the budget ended the reply before a call: {said(reply)}")
    if grade.recoverable_calls:
        return failed(f"no call, {grade.recoverable_calls} left in the text as native tokens: {said(reply)}")
    if "tool_calls_empty" in grade.flags:
        return failed("no call, though the finish reason says tool_calls")
    return failed(f"no call: {said(reply)}")
