"""From an output to a score: outcomes as they are, errors never a number, tokens known or labelled."""

import asyncio
import math

import pytest
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import SampleScore, Score, Target
from inspect_ai.solver import TaskState

from tasks.response_record import RECORD, response_record
from tasks.scorers import accuracy_as_served, outcome_scorer, token_counts
from verifiers.response import Response, Usage


def state_of(response, **record):
    message = ChatMessageAssistant(content=response.content or "")
    output = ModelOutput.from_message(message)
    output.metadata = {RECORD: response_record(response) | record}
    return TaskState(
        model=ModelName("endpoint/m"),
        sample_id="aime25-0",
        epoch=1,
        input="q",
        messages=[ChatMessageUser(content="q")],
        output=output,
        metadata={"content_hash": "h", "category": None, "grading": {}},
    )


def score_of(response, target="70", **record):
    return asyncio.run(outcome_scorer("aime25")(state_of(response, **record), Target(target)))


@pytest.mark.parametrize(
    ("content", "finish", "outcome", "value"),
    [
        pytest.param("\\boxed{70}", "stop", "correct", 1.0, id="right"),
        pytest.param("\\boxed{71}", "stop", "incorrect", 0.0, id="wrong"),
        pytest.param("no idea", "stop", "no_answer", 0.0, id="nothing boxed"),
        pytest.param("", "length", "truncated", 0.0, id="budget spent"),
        pytest.param(None, "length", "truncated", 0.0, id="budget spent, content null"),
        pytest.param("\\boxed{70}", "length", "truncated", 0.0, id="an answer in a cut text is none"),
        pytest.param("\\boxed{70}", "abort", "error", math.nan, id="aborted"),
        pytest.param("\\boxed{70}", None, "error", math.nan, id="never ended"),
        pytest.param("\\boxed{70}", "unknown", "error", math.nan, id="ended nobody knows how"),
    ],
)
def test_outcomes(content, finish, outcome, value):
    score = score_of(Response(content=content, finish_reason=finish))
    assert score.metadata["outcome"] == outcome
    assert score.value == value or (math.isnan(score.value) and math.isnan(value))
    assert score.metadata["score"] == (None if outcome == "error" else value)


def test_a_row_of_the_score_table():
    response = Response(
        content="\\boxed{70}",
        finish_reason="stop",
        flags=("odd",),
        usage=Usage(prompt_tokens=9, completion_tokens=5, reasoning_tokens=2),
    )
    row = score_of(response, seed=5, ttft_s=0.1, duration_s=2.0, attempts=3, replica="u", n_chunks=5).metadata
    assert (
        row.items()
        >= {
            "answer": "70",
            "stop_reason": "stop",
            "seed": 5,
            "ttft_s": 0.1,
            "duration_s": 2.0,
            "attempts": 3,
            "replica": "u",
            "content_hash": "h",
            "flags": ["odd"],
            "prompt_tokens": 9,
            "output_tokens": 5,
            "reasoning_tokens": 2,
            "answer_tokens": 3,
            "tokens_estimated": False,
        }.items()
    )


@pytest.mark.parametrize(
    ("usage", "reasoning", "content", "n_chunks", "expected"),
    [
        pytest.param(None, "abc", "d", None, (None, None, None, False), id="nothing known stays unknown"),
        pytest.param(None, "abc", "d", 0, (None, None, None, False), id="no chunk is not zero tokens"),
        pytest.param(None, "abcabc", "de", 8, (8, 6, 2, True), id="counted from the stream"),
        pytest.param(None, None, "de", 8, (8, 0, 8, True), id="no reasoning"),
        pytest.param(
            Usage(completion_tokens=100),
            "a" * 30,
            "b" * 10,
            7,
            (100, 75, 25, True),
            id="divided by characters",
        ),
        pytest.param(
            Usage(completion_tokens=100, reasoning_tokens=60), "a", "b", 7, (100, 60, 40, False), id="told"
        ),
        pytest.param(
            Usage(completion_tokens=100, reasoning_tokens=120),
            "a",
            "b",
            7,
            (100, 120, 0, False),
            id="never below zero",
        ),
        pytest.param(Usage(prompt_tokens=5), "", "", 4, (4, 0, 4, True), id="usage without what counts"),
        pytest.param(Usage(completion_tokens=0), None, "", None, (0, 0, 0, True), id="an empty answer"),
    ],
)
def test_tokens(usage, reasoning, content, n_chunks, expected):
    counts = token_counts(Response(content=content, reasoning=reasoning, usage=usage), n_chunks)
    found = tuple(
        counts[name] for name in ("output_tokens", "reasoning_tokens", "answer_tokens", "tokens_estimated")
    )
    assert found == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [([1.0, 0.0], 0.5), ([1.0, math.nan], 1.0), ([math.nan], math.nan), ([], math.nan)],
)
def test_inspects_own_mean_leaves_errors_out(values, expected):
    scores = [SampleScore(score=Score(value=value)) for value in values]
    mean = accuracy_as_served()(scores)
    assert mean == expected or (math.isnan(mean) and math.isnan(expected))
