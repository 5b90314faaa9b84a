"""Decide what a response means to say, before it is known whether the budget lets it."""

from dataclasses import dataclass

import numpy as np
import orjson

from evals.simulator.answers import AnswerEntry, AnswerKind
from evals.simulator.filler import prose_tokens
from evals.simulator.mistakes import write_answer, wrong_answer
from evals.simulator.profile import FailureWeights
from evals.simulator.reply import Played
from evals.simulator.request import ChatRequest, ResponseFormat
from evals.simulator.schema_value import schema_value
from evals.simulator.skills import generic_text, skilled_text
from evals.simulator.tool_request import ToolMode

_MUST_CALL = (ToolMode.REQUIRED, ToolMode.NAMED)


@dataclass(frozen=True, kw_only=True)
class Intent:
    """What one choice means to say: a text, or a tool call in its place."""

    played: Played
    text: str = ""
    calls_tool: bool = False


def draw_failure(weights: FailureWeights, style: float) -> Played:
    """Return the way to fail that ``style``, uniform in [0, 1), falls on."""
    ways = {
        Played.WRONG: weights.wrong,
        Played.NO_ANSWER: weights.no_answer,
        Played.LOOP: weights.loop,
        Played.FLOOD: weights.flood,
    }
    left = style * sum(ways.values())
    for way, weight in ways.items():
        left -= weight
        if left < 0:
            return way
    return Played.WRONG


def _formatted(demanded: ResponseFormat, text: str) -> str:
    value = {"reply": text} if demanded.schema is None else schema_value(demanded.schema)
    return orjson.dumps(value).decode()


def known_intent(
    request: ChatRequest, entry: AnswerEntry, *, played: Played, n_prose: int, rng: np.random.Generator
) -> Intent:
    """Return the intent to answer ``entry`` as ``played`` says, after ``n_prose`` tokens of prose."""
    mode = request.tool_request.mode
    if entry.kind is AnswerKind.TOOL:
        is_due = entry.target[0] == "tool_calls"
        calls = is_due == (played is Played.CORRECT)
        if mode is ToolMode.NONE or mode in _MUST_CALL:
            calls = mode in _MUST_CALL
            played = Played.CORRECT if calls == is_due else Played.WRONG
        return Intent(played=played, calls_tool=calls, text="".join(prose_tokens(rng, n_prose)))
    if mode in _MUST_CALL:
        return Intent(played=played, calls_tool=True)
    answer = entry.target[0] if played is Played.CORRECT else None
    if played is Played.WRONG:
        answer = wrong_answer(entry, rng)
    if request.response_format is not None:
        return Intent(played=played, text=_formatted(request.response_format, answer or ""))
    return Intent(played=played, text=write_answer(entry, answer, n_prose, rng))


def chat_intent(request: ChatRequest, rng: np.random.Generator) -> Intent:
    """Return the intent for a prompt nothing is known of: demanded calls, then skills, then small talk."""
    conversation, mode = request.conversation, request.tool_request.mode
    played = Played.UNKNOWN_PROMPT
    if mode in _MUST_CALL:
        return Intent(played=played, calls_tool=True)
    skilled = skilled_text(conversation)
    if request.response_format is not None:
        return Intent(played=played, text=_formatted(request.response_format, skilled or "simulated"))
    if conversation.tool_results:
        return Intent(played=played, text=f"The tool returned: {'; '.join(conversation.tool_results)}")
    if skilled is None and mode is ToolMode.AUTO:
        return Intent(played=played, calls_tool=True)
    return Intent(played=played, text=skilled or generic_text(rng))
