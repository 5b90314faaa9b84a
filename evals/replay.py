"""Grade recorded responses with a task's verifier: row in, row out, no endpoint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.benchmark import Benchmark
from tasks.grading_key import FindItem, GradingKey, grading_key
from tasks.recorded import Recorded, RowError, read_recorded
from verifiers.ending import Finish, finish_kind
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response
from verifiers.tool_calls import ToolCallGrade, describe, grade_tool_calls


@dataclass(frozen=True, kw_only=True)
class GradedRow:
    """One graded response: the output row, and what it is counted by."""

    output: Mapping[str, Any]
    category: str | None = None
    target: str | None = None


RowGrader = Callable[[Mapping[str, Any]], GradedRow]


def text_grader(benchmark: Benchmark, *, default_options: int, find: FindItem) -> RowGrader:
    """Return a function that grades rows of a benchmark; it raises :class:`RowError` for a row that is none."""

    def grade(row: Mapping[str, Any]) -> GradedRow:
        recorded = read_recorded(row)
        key = grading_key(benchmark, row, default_options, find)
        verdict = _verdict(benchmark, recorded, key)
        wire_flags = recorded.response.flags if recorded.response else ()
        output = {
            **_identity(recorded),
            "outcome": str(verdict.outcome),
            "score": verdict.score,
            "answer": verdict.answer,
            "lenient_answer": verdict.lenient_answer,
            "flags": list(dict.fromkeys((*verdict.flags, *wire_flags))),
            "reason": verdict.reason,
            **({"secondary": dict(verdict.secondary)} if verdict.secondary else {}),
        }
        return GradedRow(output=output, category=key.category, target=key.target)

    return grade


def grade_tool_row(row: Mapping[str, Any]) -> GradedRow:
    """Grade the tool calls of a row against its ``tools``.

    The outcome is that of the schema check: correct where every call is valid. Where no tool is called there
    is nothing to check: ``no_answer`` with score null, no part of the schema accuracy.
    """
    recorded = read_recorded(row)
    tools = row.get("tools")
    if tools is not None and not isinstance(tools, list):
        raise RowError(f"tools is a {type(tools).__name__}; a list is expected")
    if recorded.response is None:
        failed: dict[str, Any] = {"outcome": str(Outcome.ERROR), "score": None, "answer": None, "flags": []}
        return GradedRow(
            output=_identity(recorded) | failed | {"reason": recorded.fault, "triggered": None, "calls": []}
        )
    graded = grade_tool_calls(recorded.response, tools, tool_choice=row.get("tool_choice"))
    outcome, score, reason = _tool_outcome(recorded.response, graded)
    output = _identity(recorded) | {"outcome": str(outcome), "score": score, "answer": None, "reason": reason}
    return GradedRow(output=output | describe(graded))


def _identity(recorded: Recorded) -> dict[str, Any]:
    return {"id": recorded.sample_id, "epoch": recorded.epoch}


def _verdict(benchmark: Benchmark, recorded: Recorded, key: GradingKey) -> Grade:
    if recorded.response is None:
        return Grade(outcome=Outcome.ERROR, score=None, reason=recorded.fault)
    try:
        return benchmark.grade(recorded.response, key.target, key.grading)
    except ValueError as error:  # a verifier refuses a target or options that cannot be, never a text
        raise RowError(str(error)) from error


def _tool_outcome(response: Response, graded: ToolCallGrade) -> tuple[Outcome, float | None, str]:
    """Return outcome, score and reason; a response that never finished is an error, whatever it holds."""
    kind = finish_kind(response.finish_reason)
    if kind is Finish.UNFINISHED:
        return Outcome.ERROR, None, "incomplete: the response ended without a finish reason"
    if kind is Finish.FAILED:
        words = f"finish reason {response.finish_reason!r} does not say that the response is whole"
        return Outcome.ERROR, None, words
    if graded.truncated:
        return Outcome.TRUNCATED, 0.0, "the token budget ended the response"
    if not graded.triggered:
        return Outcome.NO_ANSWER, None, "no tool is called"
    if graded.valid is None:
        return Outcome.ERROR, None, "the tool's own schema is at fault; the call cannot be checked"
    broken = ", ".join(call.reason for call in graded.calls if call.reason)
    return (Outcome.CORRECT, 1.0, "") if graded.valid else (Outcome.INCORRECT, 0.0, broken)
