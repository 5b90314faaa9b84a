"""Grade recorded responses with a task's verifier: row in, row out, no endpoint."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.benchmark import Benchmark
from tasks.grading_key import FindItem, GradingKey, grading_key
from tasks.recorded import Recorded, RowError, read_recorded
from tasks.tool_call_grade import CALLED, NOT_CALLED, grade_tool_response, read_raw_text
from verifiers.outcome import Grade, Outcome
from verifiers.tool_calls import describe, grade_tool_calls

EMPTY_FLAGS = frozenset({"empty_response", "empty_after_reasoning"})  # a call needs no text


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
        output = _outcome(recorded, _verdict(benchmark, recorded, key))
        return GradedRow(output=output, category=key.category, target=key.target)

    return grade


def grade_tool_row(row: Mapping[str, Any]) -> GradedRow:
    """Grade the tool calls of a row against its ``tools``, as a run of the task does.

    A ``target`` of ``tool_calls`` or ``stop`` says what a run to agree with did. The text of a legacy
    completion (``raw`` with object ``text_completion``, or ``text``) is read for native call tokens.
    """
    is_text = "text" in row and not {"raw", "chunks", "response"} & row.keys()
    recorded = read_recorded({**row, "response": row["text"]} if is_text else row)
    grading = _tool_grading(row, is_text=is_text)
    target = row.get("target")
    if target not in (None, CALLED, NOT_CALLED):
        raise RowError(f"target is {target!r}; {CALLED!r} or {NOT_CALLED!r} is expected")
    if recorded.response is None:
        failed = Grade(outcome=Outcome.ERROR, score=None, reason=recorded.fault)
        return GradedRow(output={**_outcome(recorded, failed), "triggered": None, "calls": []})
    response = recorded.response
    verdict = grade_tool_response(response, target or "", grading)
    if grading["raw_completions"]:
        response = read_raw_text(response, grading["tools"])
    seen = describe(grade_tool_calls(response, grading["tools"], tool_choice=grading["tool_choice"]))
    flags = [flag for flag in verdict.flags if flag not in EMPTY_FLAGS]
    flags = list(dict.fromkeys((*seen.pop("flags"), *flags)))
    return GradedRow(output={**_outcome(recorded, verdict), **seen, "flags": flags})


def _tool_grading(row: Mapping[str, Any], *, is_text: bool) -> dict[str, Any]:
    tools = row.get("tools")
    if tools is not None and not isinstance(tools, list):
        raise RowError(f"tools is a {type(tools).__name__}; a list is expected")
    is_raw = is_text or _is_legacy(row.get("raw")) or any(map(_is_legacy, row.get("chunks") or ()))
    return {"tools": tools, "tool_choice": row.get("tool_choice"), "raw_completions": is_raw}


def _is_legacy(value: object) -> bool:
    """Say whether a body or chunk is of the completions API, which has no parser: text in place of a message."""
    if not isinstance(value, Mapping):
        return False
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    has_text = isinstance(choice, Mapping) and "text" in choice and not {"message", "delta"} & choice.keys()
    return value.get("object") == "text_completion" or has_text


def _outcome(recorded: Recorded, verdict: Grade) -> dict[str, Any]:
    """Return the columns that rows of every task have."""
    wire_flags = recorded.response.flags if recorded.response else ()
    return {
        "id": recorded.sample_id,
        "epoch": recorded.epoch,
        "outcome": str(verdict.outcome),
        "score": verdict.score,
        "answer": verdict.answer,
        "lenient_answer": verdict.lenient_answer,
        "flags": list(dict.fromkeys((*verdict.flags, *wire_flags))),
        "reason": verdict.reason,
        **({"secondary": dict(verdict.secondary)} if verdict.secondary else {}),
    }


def _verdict(benchmark: Benchmark, recorded: Recorded, key: GradingKey) -> Grade:
    if recorded.response is None:
        return Grade(outcome=Outcome.ERROR, score=None, reason=recorded.fault)
    try:
        return benchmark.grade(recorded.response, key.target, key.grading)
    except ValueError as error:  # a verifier refuses a target or options that cannot be, never a text
        raise RowError(str(error)) from error
