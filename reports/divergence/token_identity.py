"""Texts that the two sides split into different tokens: where they part, and what kind of fault that is."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest

import numpy as np

from reports.divergence.records import RecordReader, TokenChunk

BEFORE_TOKENS, AFTER_TOKENS = 3, 6


class DifferenceKind(StrEnum):
    """Why tokens differ, in words that name what to look at."""

    TOKENIZER = "tokenizer: the same characters are split into other tokens"
    VOCABULARY = "vocabulary: the same tokens have other ids"
    SPECIAL = "special tokens: one side has an extra token at the start"
    PROMPT = "chat template: the prompts differ"
    RESPONSE = "text: the responses differ"


@dataclass(frozen=True, kw_only=True)
class TokenDifference:
    """One text whose tokens differ from ``position`` on; counts are of whole texts."""

    text: str
    kind: DifferenceKind
    position: int
    n_baseline: int
    n_candidate: int
    baseline: tuple[str, ...]
    candidate: tuple[str, ...]


@dataclass(kw_only=True)
class _Seen:
    """What is known of one side after its last token."""

    n: int = 0
    characters: "hashlib._Hash"
    pieces: "hashlib._Hash"

    def take(self, chunk: TokenChunk) -> None:
        joined = "".join(chunk.texts)
        self.n += len(chunk)
        # pieces of a multi-byte character decode to nothing by themselves, and some servers drop spaces
        self.characters.update("".join(c for c in joined if c.isascii() and not c.isspace()).encode())
        self.pieces.update("\x1f".join(chunk.texts).encode() + b"\x1f")


def _nothing() -> _Seen:
    return _Seen(characters=hashlib.sha256(), pieces=hashlib.sha256())


def aligned_chunks(
    baseline: RecordReader, candidate: RecordReader
) -> Iterator[tuple[TokenChunk, TokenChunk] | None]:
    """Yield chunk by chunk as long as the tokens are equal; ``None`` and the end where they are not."""
    for ours, theirs in zip_longest(baseline.chunks(), candidate.chunks()):
        if ours is None or theirs is None or not np.array_equal(ours.ids, theirs.ids):
            yield None
            return
        yield ours, theirs


def describe_difference(baseline: RecordReader, candidate: RecordReader) -> TokenDifference:
    """Return how the tokens of a text differ; the whole text is read, nothing of it is kept."""
    seen = (_nothing(), _nothing())
    position: int | None = None
    contexts: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    shifted = False
    for ours, theirs in zip_longest(baseline.chunks(), candidate.chunks()):
        chunks = (ours, theirs)
        if position is None:
            offset = _first_difference(ours, theirs)
            if offset is not None:
                position = (ours or theirs).start + offset
                contexts = (_around(ours, offset), _around(theirs, offset))
                shifted = position == 0 and _is_shifted(ours, theirs)
        for side, chunk in zip(seen, chunks, strict=True):
            if chunk is not None:
                side.take(chunk)
    position = position or 0
    return TokenDifference(
        text=baseline.facts.name,
        kind=_kind(seen, position, baseline, shifted=shifted),
        position=position,
        n_baseline=seen[0].n,
        n_candidate=seen[1].n,
        baseline=contexts[0],
        candidate=contexts[1],
    )


def _kind(
    seen: tuple[_Seen, _Seen], position: int, baseline: RecordReader, *, shifted: bool
) -> DifferenceKind:
    ours, theirs = seen
    if shifted:
        return DifferenceKind.SPECIAL
    if ours.pieces.digest() == theirs.pieces.digest():
        return DifferenceKind.VOCABULARY
    if ours.characters.digest() == theirs.characters.digest():
        return DifferenceKind.TOKENIZER
    in_prompt = position < baseline.facts.n_prompt
    return DifferenceKind.PROMPT if in_prompt else DifferenceKind.RESPONSE


def _first_difference(ours: TokenChunk | None, theirs: TokenChunk | None) -> int | None:
    """Return the offset of the first different token, ``None`` where the chunks are equal."""
    if ours is None or theirs is None:
        return 0
    n = min(len(ours), len(theirs))
    differs = np.flatnonzero(ours.ids[:n] != theirs.ids[:n])
    if len(differs):
        return int(differs[0])
    return None if len(ours) == len(theirs) else n


def _is_shifted(ours: TokenChunk | None, theirs: TokenChunk | None) -> bool:
    if ours is None or theirs is None:
        return False
    n = min(len(ours), len(theirs)) - 1
    return n > 0 and any(
        np.array_equal(one.ids[1 : n + 1], other.ids[:n]) for one, other in ((ours, theirs), (theirs, ours))
    )


def _around(chunk: TokenChunk | None, offset: int) -> tuple[str, ...]:
    if chunk is None:
        return ()
    return tuple(chunk.texts[max(0, offset - BEFORE_TOKENS) : offset + AFTER_TOKENS])
