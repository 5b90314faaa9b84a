"""From a verifier's grade to Inspect's score: the one file that knows both."""

import math
from collections.abc import Callable
from typing import Any

from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from tasks.catalog import find_benchmark
from tasks.escalation import Escalation, take_escalation
from tasks.response_record import read_record, response_of
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response
from verifiers.thinking_switch import thinking_off_flags


@metric
def accuracy_as_served() -> Metric:
    """Mean score over the responses that were graded; errors are missing, never 0."""

    def mean(scores: list[SampleScore]) -> float:
        values = [score.score.as_float() for score in scores]
        known = [value for value in values if not math.isnan(value)]
        return sum(known) / len(known) if known else math.nan

    return mean


@scorer(metrics=[accuracy_as_served()], name="outcome")
def outcome_scorer(task: str, is_thinking_off: bool = False) -> Scorer:
    """Grade with the verifier of ``task``; the score's metadata is the response's row of the score table.

    A response of larger budget (:mod:`tasks.escalation`) is graded beside it and never mixed in. Where
    thinking is switched off, a response that thinks all the same is flagged.
    """
    grade = find_benchmark(task).grade

    async def score(state: TaskState, target: Target) -> Score:
        def graded(output: ModelOutput) -> Grade:
            right = state.metadata.get("target", target.text)
            return grade(response_of(output), right, state.metadata.get("grading", {}))

        response = response_of(state.output)
        score = as_score(graded(state.output), state, response)
        row = score.metadata or {}
        if is_thinking_off:
            row["flags"] += thinking_off_flags(response)
        escalation = take_escalation(state)
        if escalation is not None:
            row |= escalated_columns(escalation, graded)
        return score

    return score


def as_score(grade: Grade, state: TaskState, response: Response) -> Score:
    """Return Inspect's score for a grade; an error becomes NaN, which Inspect leaves out of its means."""
    return Score(
        value=math.nan if grade.score is None else grade.score,
        answer=grade.answer,
        explanation=grade.reason or None,
        metadata=_row(grade, state, response),
    )


def _row(grade: Grade, state: TaskState, response: Response) -> dict[str, Any]:
    record = read_record(state.output)
    row = {
        "outcome": str(grade.outcome),
        "score": grade.score,
        "answer": grade.answer,
        "lenient_answer": grade.lenient_answer,
        "flags": [*grade.flags, *response.flags],
        "reason": grade.reason,
        "stop_reason": response.finish_reason,
        "ttft_s": record.get("ttft_s"),
        "duration_s": record.get("duration_s"),
        "seed": record.get("seed"),
        "replica": record.get("replica"),
        **({"failed_replicas": failed} if (failed := record.get("failed_replicas")) else {}),
        "attempts": record.get("attempts"),
        "finished_at": record.get("finished_at"),
        "category": state.metadata.get("category"),
        **({"target": state.metadata["target"]} if "target" in state.metadata else {}),
        "content_hash": state.metadata.get("content_hash"),
        "secondary": dict(grade.secondary),
        **({"details": {**grade.details, "streamed": record.get("streamed")}} if grade.details else {}),
    }
    return row | token_counts(response, record.get("n_chunks"))


def escalated_columns(escalation: Escalation, graded: Callable[[ModelOutput], Grade]) -> dict[str, Any]:
    """Return the columns of the largest budget tried; a failed request has no score."""
    row: dict[str, Any] = {"escalated_max_tokens": escalation.max_tokens}
    if escalation.output is None:
        return row | {"escalated_outcome": str(Outcome.ERROR), "escalated_score": None}
    grade = graded(escalation.output)
    tokens = token_counts(response_of(escalation.output), read_record(escalation.output).get("n_chunks"))
    return row | {
        "escalated_outcome": str(grade.outcome),
        "escalated_score": grade.score,
        "escalated_answer": grade.answer,
        "escalated_output_tokens": tokens["output_tokens"],
    }


def token_counts(response: Response, n_chunks: int | None) -> dict[str, Any]:
    """Return prompt, output, reasoning and answer tokens; ``tokens_estimated`` where the server did not say.

    Without usage the streamed chunks are counted (one a token on every common engine). Where only the sum
    is told, it is divided in proportion to the characters of reasoning and answer.
    """
    usage = response.usage
    output = usage.completion_tokens if usage else None
    reasoning = usage.reasoning_tokens if usage else None
    is_estimated = output is None or reasoning is None
    if output is None:
        output = n_chunks or None
    if reasoning is None and output is not None:
        reasoning = round(output * _reasoning_share(response))
    return {
        "prompt_tokens": usage.prompt_tokens if usage else None,
        "output_tokens": output,
        "reasoning_tokens": reasoning,
        "answer_tokens": None if output is None or reasoning is None else max(0, output - reasoning),
        "tokens_estimated": is_estimated and output is not None,
    }


def _reasoning_share(response: Response) -> float:
    n_reasoning = len(response.reasoning or "")
    n_all = n_reasoning + len(response.content or "")
    return n_reasoning / n_all if n_all else 0.0
