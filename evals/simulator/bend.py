"""Faults of the model and of its parsers: what was asked is ignored, what is said comes out wrong."""

import hashlib
from collections.abc import Callable, Set
from dataclasses import replace

import orjson

from evals.simulator.fault_kind import FaultKind
from evals.simulator.reply import Choice, PlayedCall, Reply
from evals.simulator.request import ChatRequest
from evals.simulator.tokens import split_tokens
from evals.simulator.tool_play import native_id, native_text
from evals.simulator.tool_request import ToolMode

_OPEN, _CLOSE = "<think>", "</think>"
_ALOUD = "The user asks a question. Wait, let me think about this first. Hmm, then it must be so. "
_MULTI_BYTE = " \u2192 gr\u00f6\u00dfer \u7d20\u6570 \U0001d53d"


def bend_request(request: ChatRequest, faults: Set[FaultKind]) -> ChatRequest:
    """Return what a server with ``faults`` takes ``request`` for."""
    if FaultKind.STOP_IGNORED in faults:
        request = replace(request, sampling=replace(request.sampling, stop=()))
    if FaultKind.SEVERAL_CHOICES in faults:
        request = replace(request, sampling=replace(request.sampling, n=request.sampling.n + 1))
    if FaultKind.FORMAT_IGNORED in faults:
        request = replace(request, response_format=None)
    if FaultKind.IMAGE_IGNORED in faults:
        request = replace(request, conversation=replace(request.conversation, images=()))
    if FaultKind.THINKING_IGNORED in faults:
        request = replace(request, thinking=None)
    tools = request.tool_request
    if FaultKind.TOOL_NOT_TRIGGERED in faults:
        request = replace(request, tool_request=replace(tools, mode=ToolMode.NONE))
    elif FaultKind.TOOL_CHOICE_IGNORED in faults and tools.tools:
        turned = ToolMode.REQUIRED if tools.mode is ToolMode.NONE else ToolMode.NONE
        turned = ToolMode.AUTO if tools.mode is ToolMode.AUTO else turned
        request = replace(request, tool_request=replace(tools, mode=turned))
    return request


def _half(choice: Choice) -> Choice:
    return replace(
        choice,
        reasoning=choice.reasoning[: len(choice.reasoning) // 2],
        content=choice.content[: len(choice.content) // 2] if not choice.reasoning else (),
        calls=(),
        finish_reason="abort",
    )


def _inline(before: str, between: str) -> Callable[[Choice], Choice]:
    """Return a fault that moves the reasoning into the content, with these marks before and after it."""

    def bend(choice: Choice) -> Choice:
        if not choice.reasoning:
            return choice
        closing = split_tokens(between) if choice.content or choice.calls else []
        content = [*split_tokens(before), *choice.reasoning, *closing, *choice.content]
        return replace(choice, reasoning=(), content=content)

    return bend


def _thinking_aloud(choice: Choice) -> Choice:
    if choice.reasoning or not choice.content:
        return choice
    return replace(choice, content=[*split_tokens(_ALOUD), *choice.content])


def _multi_byte(choice: Choice) -> Choice:
    if not choice.reasoning:
        return choice
    said = list(choice.reasoning)
    for place in range(0, len(said), 9):
        said[place] = _MULTI_BYTE
    return replace(choice, reasoning=said)


def _calls(change: Callable[[PlayedCall], PlayedCall]) -> Callable[[Choice], Choice]:
    def bend(choice: Choice) -> Choice:
        return replace(choice, calls=tuple(change(call) for call in choice.calls))

    return bend


def _two_calls(choice: Choice) -> Choice:
    if len(choice.calls) != 1:
        return choice
    first = choice.calls[0]
    number = int(first.id.rpartition(":")[2]) + 1
    return replace(choice, calls=(first, replace(first, id=native_id(first.name, number))))


def _unordered(choice: Choice) -> Choice:
    return replace(choice, calls=_two_calls(choice).calls[::-1])


def _invalid_arguments(call: PlayedCall) -> PlayedCall:
    """Drop the first argument and change the type of the others; a list where there are none."""
    given = orjson.loads(call.arguments or "{}")
    if not isinstance(given, dict) or not given:
        return replace(call, arguments="[]")
    left = list(given)[1:]
    wrong = {name: [given[name]] if not isinstance(given[name], list) else "list" for name in left}
    return replace(call, arguments=orjson.dumps(wrong).decode())


def _truncated_arguments(call: PlayedCall) -> PlayedCall:
    text = call.arguments or "{}"
    return replace(call, arguments=text[: max(1, len(text) * 2 // 3)] if len(text) > 2 else "{")


def _openai_id(call: PlayedCall) -> str:
    return f"call_{hashlib.sha256(call.id.encode()).hexdigest()[:24]}"


def _leaked(choice: Choice, *, into_reasoning: bool) -> Choice:
    if not choice.calls:
        return choice
    native = split_tokens(native_text(choice.calls))
    if into_reasoning:
        return replace(choice, reasoning=[*choice.reasoning, *native], calls=(), finish_reason="stop")
    return replace(choice, content=[*choice.content, *native], calls=(), finish_reason="stop")


def _finish(reason: str | None) -> Callable[[Choice], Choice]:
    return lambda choice: replace(choice, finish_reason=reason)


def _promised_calls(choice: Choice) -> Choice:
    return replace(choice, calls=(), finish_reason="tool_calls") if choice.calls else choice


# In the order in which they apply: leaks last, so that what leaks is what other faults made of the calls.
_BENDS: dict[FaultKind, Callable[[Choice], Choice]] = {
    FaultKind.SPLIT_UTF8: _multi_byte,
    FaultKind.FINISH_ABORT: _half,
    FaultKind.FINISH_ODD: _finish("eos"),
    FaultKind.FINISH_NULL_THEN_EOF: _finish(None),
    FaultKind.DONE_WITHOUT_FINISH: _finish(None),
    FaultKind.CONTENT_NULL: lambda choice: replace(choice, content=(), calls=()),
    FaultKind.COT_IN_CONTENT: _thinking_aloud,
    FaultKind.THINK_IN_CONTENT: _inline(f"{_OPEN}\n", f"\n{_CLOSE}\n\n"),
    FaultKind.THINK_UNCLOSED: _inline(f"{_OPEN}\n", "\n\n"),
    FaultKind.THINK_BARE_CLOSER: _inline("", f"\n{_CLOSE}\n\n"),
    FaultKind.TOOL_DUPLICATE_INDEX: _two_calls,
    FaultKind.TOOL_PARALLEL_UNORDERED: _unordered,
    FaultKind.TOOL_NAME_UNKNOWN: _calls(
        lambda call: replace(call, name="undeclared_tool", id=call.id.replace(call.name, "undeclared_tool"))
    ),
    FaultKind.TOOL_ARGS_INVALID: _calls(_invalid_arguments),
    FaultKind.TOOL_ARGS_TRUNCATED: _calls(_truncated_arguments),
    FaultKind.TOOL_ARGS_DOUBLE_ENCODED: _calls(
        lambda call: replace(call, arguments=orjson.dumps(call.arguments).decode())
    ),
    FaultKind.TOOL_ARGS_EMPTY: _calls(lambda call: replace(call, arguments="")),
    FaultKind.TOOL_ARGS_NULL: _calls(lambda call: replace(call, arguments=None)),
    FaultKind.TOOL_ID_OPENAI: _calls(lambda call: replace(call, id=_openai_id(call))),
    FaultKind.TOOL_ID_MALFORMED: _calls(
        lambda call: replace(call, id=call.id.replace(".", "").replace(":", ""))
    ),
    FaultKind.TOOL_FINISH_STOP: lambda choice: (
        replace(choice, finish_reason="stop") if choice.calls else choice
    ),
    FaultKind.TOOL_FINISH_WITHOUT_CALLS: _promised_calls,
    FaultKind.TOOL_EMPTY_DELTAS: _promised_calls,
    FaultKind.TOOL_LEAK_CONTENT: lambda choice: _leaked(choice, into_reasoning=False),
    FaultKind.TOOL_LEAK_REASONING: lambda choice: _leaked(choice, into_reasoning=True),
}


def bend_reply(reply: Reply, faults: Set[FaultKind]) -> Reply:
    """Return ``reply`` as a server with ``faults`` gives it out."""
    choices = reply.choices
    for fault, bend in _BENDS.items():
        if fault in faults:
            choices = tuple(bend(choice) for choice in choices)
    return replace(reply, choices=choices)
