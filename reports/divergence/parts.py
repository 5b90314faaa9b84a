"""Which part of a text each token is of: prompt, reasoning, answer; and which lie next to a marker."""

import re
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from reports.divergence.records import TextFacts, TokenChunk

NEAR_TOKENS = 4
_CARRIED = 16  # a marker of several tokens may begin in the chunk before
# Thinking tags and native tool-call tokens as checkpoints write them; the groups tell the closers.
_MARKER = re.compile(
    r"<(?P<close>/?)(?:think|thinking|thought)>|◁(?P<kimi>/?)think▷|\[(?P<bracket>/?)THINK\]"
    r"|</?tool_calls?>|<\|[a-z_]*tool[a-z_]*\|>|\[/?TOOL_CALLS?\]"
)


class Part(StrEnum):
    """A part of a text."""

    PROMPT = "prompt"
    REASONING = "reasoning"
    ANSWER = "answer"


PARTS = tuple(Part)
Codes = npt.NDArray[np.int8]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Placed:
    """For each token of a chunk the index of its part in ``PARTS``, and whether it lies near a marker."""

    parts: Codes
    near_marker: Mask


class PartFinder:
    """Walks through the chunks of one text in order."""

    def __init__(self, facts: TextFacts) -> None:
        self._facts = facts
        self._closers_left = facts.n_inner_closers + 1 if facts.has_reasoning else 0
        self._answer_from = None if facts.has_reasoning else facts.n_prompt
        self._carried: list[str] = []

    def place(self, chunk: TokenChunk) -> Placed:
        """Return where the tokens of the next chunk belong."""
        texts = [*self._carried, *chunk.texts]
        first = chunk.start - len(self._carried)
        near = np.zeros(len(texts), dtype=np.bool_)
        ends = np.cumsum([len(text) for text in texts])
        for found in _MARKER.finditer("".join(texts)):
            opens = int(np.searchsorted(ends, found.start(), side="right"))
            closes = int(np.searchsorted(ends, found.end() - 1, side="right"))
            near[max(0, opens - NEAR_TOKENS) : closes + NEAR_TOKENS + 1] = True
            if any(found.groupdict().values()) and closes >= len(self._carried):
                self._close(first + closes)
        near = near[len(self._carried) :]
        self._carried = texts[-_CARRIED:]
        return Placed(parts=self._parts(chunk), near_marker=near)

    def _close(self, position: int) -> None:
        """Take a closing tag whose last token is at ``position``: one of them ends the reasoning."""
        if position < self._facts.n_prompt or self._answer_from is not None:
            return
        self._closers_left -= 1
        if self._closers_left == 0:
            self._answer_from = position + 1

    def _parts(self, chunk: TokenChunk) -> Codes:
        positions = np.arange(chunk.start, chunk.start + len(chunk))
        answer_from = self._answer_from if self._answer_from is not None else chunk.start + len(chunk)
        codes = np.where(positions >= answer_from, PARTS.index(Part.ANSWER), PARTS.index(Part.REASONING))
        return np.where(positions < self._facts.n_prompt, PARTS.index(Part.PROMPT), codes).astype(np.int8)
