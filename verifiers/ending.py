"""Decide what the end of a response means for its grade: one rule for every text verifier."""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from verifiers.outcome import Grade, Outcome
from verifiers.repetition import find_repetition
from verifiers.response import TRUNCATING_FINISH_REASONS, Response
from verifiers.visible_text import Thinking, is_blank, split_thinking


class Finish(StrEnum):
    """What a finish reason says of the text before it."""

    STOPPED = "stopped"  # the model ended it
    TRUNCATED = "truncated"  # the token budget or the context ended it
    WITHHELD = "withheld"  # a content filter ended it
    LOOPED = "looped"  # the engine saw a repetition and ended it
    FAILED = "failed"  # the server gave up, or says something we do not know
    UNFINISHED = "unfinished"  # it never ended: the stream was cut


# Words of vLLM, SGLang, TGI, llama.cpp and of vendors, in lower case. The list is closed: a word we do not
# know could mean a failure, and a failure must not become a score.
_WORDS: dict[Finish, frozenset[str]] = {
    Finish.STOPPED: frozenset(
        {"stop", "stopped", "stop_sequence", "stop_token", "eos", "eos_token", "end_turn", "word"}
        | {"complete", "completed", "finished", "tool_calls", "tool_call", "tool_use", "function_call"}
    ),
    Finish.TRUNCATED: TRUNCATING_FINISH_REASONS
    | {"max_length", "max_new_tokens", "token_limit", "limit"}
    | {"context_length", "context_length_exceeded", "model_context_window_exceeded"},
    Finish.WITHHELD: frozenset(
        {"content_filter", "content_filtered", "guardrail_intervened", "safety", "refusal", "sensitive"}
        | {"recitation", "blocklist", "prohibited_content", "spii", "error_toxic"}
    ),
    Finish.LOOPED: frozenset({"repetition", "repetition_detected"}),
}


def finish_kind(finish_reason: str | None) -> Finish:
    """Return what ``finish_reason`` means; null and empty are unfinished, unknown words are failures."""
    word = (finish_reason or "").strip().lower()
    if not word:
        return Finish.UNFINISHED
    return next((kind for kind, words in _WORDS.items() if word in words), Finish.FAILED)


def grade_text(
    response: Response, judge: Callable[[str], Grade], *, whole_text_answers: bool = False
) -> Grade:
    """Grade the visible text of ``response`` with ``judge``, unless its ending decides.

    A response that failed or never finished is an error, never graded. One that the budget ended is
    truncated with score 0 whatever it holds, for a cut text's last statement need not be its conclusion;
    what ``judge`` finds in it is kept as ``lenient_answer`` and flagged ``answer_before_truncation``. A
    filter's or the engine's own stop earns nothing either (no answer, flagged). A stopped response without
    visible text has no answer. ``whole_text_answers`` says that ``judge`` reads all of the text rather than
    a final statement: a cut text then counts as answered only where ``judge`` calls it correct.
    """
    kind = finish_kind(response.finish_reason)
    if kind is Finish.UNFINISHED:
        return _error("the response ended without a finish reason; an incomplete response is not graded")
    if kind is Finish.FAILED:
        return _error(f"finish reason {response.finish_reason!r} does not say that the response is whole")
    thinking = split_thinking(response.content)
    flags = _flags(response, thinking)
    if is_blank(thinking.visible):
        grade = Grade(outcome=Outcome.NO_ANSWER, score=0.0, reason="no visible text")
    else:
        grade = judge(thinking.visible)
    grade = replace(grade, flags=_unique(flags + grade.flags))
    if kind is Finish.STOPPED:
        return grade
    return _ended_early(grade, kind, answered=not whole_text_answers and grade.answer is not None)


def _ended_early(grade: Grade, kind: Finish, *, answered: bool) -> Grade:
    """Return ``grade`` of a text that something other than the model ended: no credit, nothing lost."""
    outcome, reason, flags = Outcome.NO_ANSWER, "a content filter ended the response", ["content_filter"]
    if kind is Finish.TRUNCATED:
        answered = answered or grade.outcome is Outcome.CORRECT
        flags = ["answer_before_truncation"] if answered else []
        outcome, reason = Outcome.TRUNCATED, "the token budget ended the response"
    elif kind is Finish.LOOPED:
        reason, flags = "the engine ended a repetition", ["degenerate_repetition"]
    return Grade(
        outcome=outcome,
        score=0.0,
        flags=_unique((*grade.flags, *flags)),
        reason=reason,
        lenient_answer=grade.answer or grade.lenient_answer,
        secondary=dict.fromkeys(grade.secondary, 0.0),
    )


def _flags(response: Response, thinking: Thinking) -> tuple[str, ...]:
    flags = list(thinking.flags)
    texts = (response.reasoning, thinking.thinking, thinking.visible)
    if any(find_repetition(text) for text in texts):
        flags.append("degenerate_repetition")
    if is_blank(thinking.visible):
        thought = not is_blank(response.reasoning) or "think_in_content" in thinking.flags
        flags.append("empty_after_reasoning" if thought else "empty_response")
    return tuple(flags)


def _error(reason: str) -> Grade:
    return Grade(outcome=Outcome.ERROR, score=None, reason=reason)


def _unique(flags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flags))
