"""What a divergence costs before it is asked: texts, tokens and requests of every pass; and a bound on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evals.divergence.text import PlannedText

# Beside the prefill: tokens of the prompt, of its tail, of the response.
_REQUESTS_A_TEXT = 3


@dataclass(frozen=True, kw_only=True)
class Pass:
    """One pass over texts on one side: what it is for, and what is still to do of it."""

    name: str
    texts: Sequence[PlannedText]

    @property
    def n_tokens(self) -> int:
        """Tokens to prefill."""
        return sum(text.n_tokens for text in self.texts)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """All passes, and how many texts the bound leaves out."""

    passes: Sequence[Pass]
    n_beyond_bound: int = 0

    @property
    def n_tokens(self) -> int:
        """Tokens to prefill in all passes."""
        return sum(one.n_tokens for one in self.passes)

    @property
    def n_prefills(self) -> int:
        """Prefill requests of all passes."""
        return sum(len(one.texts) for one in self.passes)

    def as_json(self) -> dict[str, Any]:
        """Return the cost as plain values."""
        return {
            "tokens": self.n_tokens,
            "prefill_requests": self.n_prefills,
            "tokenizer_requests_at_most": self.n_prefills * _REQUESTS_A_TEXT,
            "is_counted": self.is_counted,
            "passes": [
                {"name": one.name, "texts": len(one.texts), "tokens": one.n_tokens} for one in self.passes
            ],
            "texts_beyond_bound": self.n_beyond_bound,
        }

    @property
    def is_counted(self) -> bool:
        """Whether a server counted the tokens; else they are estimated from above."""
        return all(text.is_counted for one in self.passes for text in one.texts)

    def lines(self) -> list[str]:
        """Return the cost for people."""
        about = "" if self.is_counted else "at most about "
        total = (
            f"cost: {about}{self.n_tokens:,} tokens to prefill in {self.n_prefills:,} requests"
            f" of one output token each, and up to {self.n_prefills * _REQUESTS_A_TEXT:,} for tokens alone"
        )
        passes = [f"  {one.name}: {len(one.texts):,} texts, {one.n_tokens:,} tokens" for one in self.passes]
        beyond = (
            [f"  left out by --max-tokens-total: {self.n_beyond_bound:,} texts"]
            if self.n_beyond_bound
            else []
        )
        return [total, *passes, *beyond]


def within_bound(planned: Sequence[PlannedText], n_passes: int, bound: int | None) -> list[PlannedText]:
    """Return the texts whose tokens, in all passes together, stay within ``bound``.

    Texts are taken in the order of their keys, which are digests: a sample of the run, the same each time.
    One that does not fit is passed over, smaller ones behind it may.
    """
    ordered = sorted(planned, key=lambda text: text.key)
    if bound is None:
        return ordered
    kept, spent = [], 0
    for text in ordered:
        if spent + text.n_tokens * n_passes <= bound:
            kept.append(text)
            spent += text.n_tokens * n_passes
    return kept
