"""What the simulated model says to one request, before it is put on the wire."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from evals.simulator.tokens import count_tokens

# What the native tool tokens around one call cost: section, call and argument marks.
_TOKENS_PER_CALL = 6


class Played(StrEnum):
    """How a response was meant to come out: the truth a grade is held against."""

    CORRECT = "correct"
    WRONG = "wrong"
    NO_ANSWER = "no_answer"
    LOOP = "loop"
    FLOOD = "flood"
    UNKNOWN_PROMPT = "unknown_prompt"
    TRUNCATED = "truncated"  # whatever was meant, the budget ended it


@dataclass(frozen=True, kw_only=True)
class PlayedCall:
    """One tool call; ``arguments`` is the text sent, ``None`` a null."""

    id: str
    name: str
    arguments: str | None

    @property
    def n_tokens(self) -> int:
        """Output tokens this call costs."""
        return _TOKENS_PER_CALL + count_tokens(self.name) + count_tokens(self.arguments or "")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One of the ``n`` responses: tokens of reasoning, tokens of content, calls, and how it ended."""

    reasoning: Sequence[str] = ()
    content: Sequence[str] = ()
    calls: tuple[PlayedCall, ...] = ()
    finish_reason: str | None = "stop"
    played: Played = Played.UNKNOWN_PROMPT

    @property
    def n_tokens(self) -> int:
        """Output tokens: reasoning, content and calls."""
        return len(self.reasoning) + len(self.content) + sum(call.n_tokens for call in self.calls)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """All choices of one response."""

    choices: tuple[Choice, ...]
    prompt_tokens: int

    @property
    def completion_tokens(self) -> int:
        """Output tokens over all choices."""
        return sum(choice.n_tokens for choice in self.choices)

    @property
    def reasoning_tokens(self) -> int:
        """Reasoning tokens over all choices."""
        return sum(len(choice.reasoning) for choice in self.choices)
