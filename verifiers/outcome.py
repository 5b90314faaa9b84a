"""How a response ended, and the grade a verifier gives it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a response ended. Only a verifier may say ``incorrect``; a failure is never a score."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    NO_ANSWER = "no_answer"  # stopped by itself, nothing to extract
    TRUNCATED = "truncated"  # the token budget ran out
    ERROR = "error"  # no usable response: transport, server or configuration


@dataclass(frozen=True, kw_only=True)
class Grade:
    """What a verifier says of one response.

    ``score`` lies in [0, 1] and is ``None`` exactly when ``outcome`` is ``error``: an error is missing,
    never 0. ``answer`` is the extracted answer as text, ``None`` where nothing was extracted. ``flags``
    name observations that do not change the score (``think_in_content``, ``format_miss`` ...); ``reason``
    says in one sentence why the outcome is what it is. ``lenient_answer`` is what a laxer reader would
    have taken (an answer out of form, or one given before the budget ran out): shown, never scored.
    ``secondary`` holds further scores in [0, 1] by name, such as OCRBench's ``exact``; ``details`` what a
    report of the task's own reads, as plain JSON values.
    """

    outcome: Outcome
    score: float | None
    answer: str | None = None
    flags: tuple[str, ...] = ()
    reason: str = ""
    lenient_answer: str | None = None
    secondary: Mapping[str, float] = field(default_factory=dict, hash=False)
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)
