"""The single tokens whose probability moved most, with what stands around them."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from reports.divergence.parts import PARTS, Part, Placed
from reports.divergence.records import Floats, TokenChunk
from reports.divergence.sums import RULED_OUT, Sum

KEPT = 20
CONTEXT_TOKENS = 12


@dataclass(frozen=True, kw_only=True)
class SingleDivergence:
    """One token: its log-probability and rank on both sides, and the text around it."""

    text: str
    task: str
    position: int
    part: str
    token: str
    baseline: float
    candidate: float
    baseline_rank: int
    candidate_rank: int
    before: str
    after: str

    @property
    def log_ratio(self) -> float:
        """log p(baseline) - log p(candidate)."""
        return self.baseline - self.candidate


@dataclass(kw_only=True)
class Largest:
    """Keeps the largest of what it is shown."""

    kept: list[tuple[float, str, int, SingleDivergence]] = field(default_factory=list)

    def add(self, found: SingleDivergence) -> None:
        """Take one in where it is among the largest so far."""
        entry = (abs(found.log_ratio), found.text, found.position, found)
        if len(self.kept) < KEPT:
            heapq.heappush(self.kept, entry)
        elif entry[:3] > self.kept[0][:3]:
            heapq.heapreplace(self.kept, entry)

    def take(self, others: Iterable[SingleDivergence]) -> None:
        """Take in those of another."""
        for found in others:
            self.add(found)

    def ordered(self) -> tuple[SingleDivergence, ...]:
        """Return them, the largest first."""
        return tuple(entry[3] for entry in sorted(self.kept, key=lambda entry: entry[:3], reverse=True))


def largest_of_chunk(
    names: tuple[str, str], chunks: tuple[TokenChunk, TokenChunk], columns: Floats, placed: Placed
) -> list[SingleDivergence]:
    """Return the largest divergences of a chunk's response tokens; ``names`` are the text's and its task's.

    Tokens that a side rules out (probability 0) come first. Context ends where the chunk does.
    """
    ours, theirs = chunks
    response = placed.parts != PARTS.index(Part.PROMPT)
    ruled_out = (ours.logprobs < RULED_OUT) | (theirs.logprobs < RULED_OUT)
    size = np.where(ruled_out, np.abs(ours.logprobs - theirs.logprobs), columns[:, Sum.ABSOLUTE])
    size = np.where(response & np.isfinite(size), size, 0.0)
    count = min(KEPT, len(size))
    offsets = np.argpartition(size, -count)[-count:].tolist() if count else []
    return [_single(names, chunks, at, placed) for at in offsets if size[at] > 0]


def _single(
    names: tuple[str, str], chunks: tuple[TokenChunk, TokenChunk], at: int, placed: Placed
) -> SingleDivergence:
    ours, theirs = chunks
    return SingleDivergence(
        text=names[0],
        task=names[1],
        position=ours.start + at,
        part=PARTS[placed.parts[at]].value,
        token=ours.texts[at],
        baseline=float(ours.logprobs[at]),
        candidate=float(theirs.logprobs[at]),
        baseline_rank=int(ours.ranks[at]),
        candidate_rank=int(theirs.ranks[at]),
        before="".join(ours.texts[max(0, at - CONTEXT_TOKENS) : at]),
        after="".join(ours.texts[at + 1 : at + 1 + CONTEXT_TOKENS]),
    )
