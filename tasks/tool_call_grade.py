"""From the verdict on a response's tool calls to its row: what is right, what is counted, what is named."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verifiers.ending import Finish, finish_kind, grade_text
from verifiers.native_tokens import with_native_calls
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response
from verifiers.tool_calls import ToolCallGrade, grade_tool_calls
from verifiers.tool_schema import read_tools
from verifiers.visible_text import split_thinking

CALLED, NOT_CALLED = "tool_calls", "stop"  # answers, and targets where a run to agree with is known
_DISAGREEING = frozenset({"finish_reason_mismatch", "tool_calls_empty"})
_LEAKS = frozenset({"leak_content", "leak_reasoning"})
_EMPTY_FLAGS = frozenset({"empty_response", "empty_after_reasoning"})


def grade_tool_response(response: Response, target: str, grading: Mapping[str, Any]) -> Grade:
    """Grade one response to a request with tools; ``grading`` holds ``tools`` and ``tool_choice``.

    Correct, score 1, is a whole response that keeps the contract: it calls no tool, or every call of it is
    valid. Incorrect are an invalid call, a call lost in the text as native tokens, and one promised by the
    finish reason and not there. A call of a tool whose own schema is at fault is held against nobody.
    Whether a tool should have been called is not part of the score: no run is right about that. It is among
    the secondary scores where ``target`` says what a run to agree with did (``tool_calls`` or ``stop``).
    """
    if grading.get("raw_completions"):
        response = read_raw_text(response, grading.get("tools"))
    graded = grade_tool_calls(response, grading.get("tools"), tool_choice=grading.get("tool_choice"))
    # the endings, empty texts and the flags of text are those of every other task
    text = grade_text(response, lambda _: Grade(outcome=Outcome.CORRECT, score=1.0))
    if text.outcome is Outcome.ERROR:
        return text
    base = _judge(graded, response) if finish_kind(response.finish_reason) is Finish.STOPPED else text
    flags = dict.fromkeys((*_text_flags(text, graded), *graded.flags))
    return replace(
        base or text,
        answer=CALLED if graded.triggered else NOT_CALLED,
        flags=tuple(flag for flag in flags if flag not in response.flags),
        secondary=_secondary(graded, response, target),
        details=_details(graded, response),
    )


def read_raw_text(response: Response, tools: object) -> Response:
    """Return what a working server would have made of the raw text of a completion.

    What stands before the last ``</think>`` is reasoning: calls are read behind it, or in the whole text
    where the thinking was never closed, as a model that calls while it thinks leaves it.
    """
    names = tuple(read_tools(tools).schemas)
    thinking = split_thinking(response.content)
    if thinking.thinking and thinking.visible:
        whole = replace(response, content=thinking.visible, reasoning=thinking.thinking)
        return with_native_calls(whole, names)
    found = with_native_calls(response, names)
    rest = split_thinking(found.content)
    return replace(found, content=rest.visible, reasoning=rest.thinking or found.reasoning)


def _judge(graded: ToolCallGrade, response: Response) -> Grade | None:
    """Return what the calls of a whole response decide; ``None`` where it calls nothing and loses nothing."""
    if graded.valid is False:
        first = next(call for call in graded.calls if call.valid is False)
        return _wrong(f"{first.reason}: {first.detail}")
    if graded.recoverable_calls or (_is_leaked(graded) and not graded.triggered):
        return _wrong(f"{graded.recoverable_calls} calls are left in the text as native tokens")
    if "tool_calls_empty" in graded.flags:
        return _wrong(f"finish reason {response.finish_reason!r} promises a call that is not there")
    if not graded.triggered:
        return None
    unjudged = next((call for call in graded.calls if call.valid is None), None)
    reason = f"{unjudged.reason}: {unjudged.detail}" if unjudged is not None else ""
    return Grade(outcome=Outcome.CORRECT, score=1.0, reason=reason)


def _text_flags(text: Grade, graded: ToolCallGrade) -> list[str]:
    """Return the flags of the text that mean something beside calls: a call needs no text, nor an answer."""
    beside_calls = _EMPTY_FLAGS if graded.triggered else frozenset()
    return [flag for flag in text.flags if flag not in beside_calls and flag != "answer_before_truncation"]


def _wrong(reason: str) -> Grade:
    return Grade(outcome=Outcome.INCORRECT, score=0.0, reason=reason)


def _secondary(graded: ToolCallGrade, response: Response, target: str) -> dict[str, float]:
    """Return what is compared beside the score; a figure that a response cannot have is left out."""
    scores = {"triggered": float(graded.triggered), "leaked": float(_is_leaked(graded))}
    agrees = _finish_agrees(graded, response)
    if agrees is not None:
        scores["finish_agrees"] = float(agrees)
    if graded.valid is not None:
        scores["schema"] = float(graded.valid)
    if graded.lenient_valid is not None:
        scores["schema_lenient"] = float(graded.lenient_valid)
    if target in (CALLED, NOT_CALLED):
        scores["trigger_agrees"] = float(graded.triggered == (target == CALLED))
    return scores


def _details(graded: ToolCallGrade, response: Response) -> dict[str, Any]:
    """Return what :mod:`reports.tool_call_rows` reads; ``reasons`` has one word for each faulty call."""
    return {
        "triggered": graded.triggered,
        "valid": graded.valid,
        "lenient_valid": graded.lenient_valid,
        "n_calls": len(graded.calls),
        "tools": sorted({call.name for call in graded.calls if call.name}),
        "reasons": [call.reason for call in graded.calls if call.reason],
        "finish_agrees": _finish_agrees(graded, response),
        "leaked": _is_leaked(graded),
        "recoverable_calls": graded.recoverable_calls,
        "data_faults": list(graded.tool_faults),
    }


def _finish_agrees(graded: ToolCallGrade, response: Response) -> bool | None:
    """Whether the finish reason agrees with the calls; a budget that ran out promises nothing."""
    return None if response.is_truncated else not _DISAGREEING.intersection(graded.flags)


def _is_leaked(graded: ToolCallGrade) -> bool:
    return bool(_LEAKS.intersection(graded.flags))
