"""Sums over the tokens of one text, group by group: all that the figures need, whatever the text's length."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from reports.divergence.parts import PARTS, Mask, Part, Placed
from reports.divergence.records import UNKNOWN_ID, UNKNOWN_RANK, Floats, TokenChunk

RULED_OUT = -9_000.0  # vLLM writes -9999 for a probability of 0
FIRST_BIN_TOKENS = 64
_MOST = 60.0  # exponents beyond this would only overflow: e^60 already dominates everything


class Sum(IntEnum):
    """What is summed over tokens."""

    TOKENS = 0  # with a log-probability on both sides
    LOG_RATIO = 1  # log p(baseline) - log p(candidate)
    CONTROLLED = 2  # the same plus p(candidate) / p(baseline) - 1, whose mean is 0 under the baseline
    RATIO = 3  # p(candidate) / p(baseline) - 1
    ABSOLUTE = 4  # |log ratio|
    TOPS = 5  # with a likeliest token on both sides
    SAME_TOP = 6
    IN_TOP_K = 7  # the baseline ranks the token within the top k, and the candidate's rank is known
    LEFT_TOP_K = 8
    RULED_OUT_BASELINE = 9  # probability 0: no log ratio, not among the tokens
    RULED_OUT_CANDIDATE = 10


N_SUMS = len(Sum)
RESPONSE, NEAR_MARKERS = "response", "near markers"


@dataclass(kw_only=True)
class TextSums:
    """The sums of one text by group, and the moments of |log ratio| over log2 of the position."""

    groups: dict[str, Floats] = field(default_factory=dict)
    moments: Floats = field(default_factory=lambda: np.zeros(5))
    n_tokens: int = 0

    def add(self, name: str, sums: Floats) -> None:
        """Add sums to a group."""
        self.groups[name] = self.groups[name] + sums if name in self.groups else sums

    def of(self, name: str) -> Floats:
        """Return the sums of a group, zeros for one that the text has no token of."""
        return self.groups.get(name, np.zeros(N_SUMS))


def bin_edges(number: int) -> tuple[int, int]:
    """Return the first position of a bin and of the next: they double from ``FIRST_BIN_TOKENS`` on."""
    low = FIRST_BIN_TOKENS << (number - 1) if number else 0
    return low, FIRST_BIN_TOKENS << number


def bin_name(number: int) -> str:
    """Return the group's name of a position bin."""
    return f"position {number}"


def token_columns(baseline: TokenChunk, candidate: TokenChunk, top_k: int) -> Floats:
    """Return one row a token, one column a :class:`Sum`."""
    columns = np.zeros((len(baseline), N_SUMS))
    ours, theirs = baseline.logprobs, candidate.logprobs
    known = np.isfinite(ours) & np.isfinite(theirs)
    columns[:, Sum.RULED_OUT_BASELINE] = known & (ours < RULED_OUT)
    columns[:, Sum.RULED_OUT_CANDIDATE] = known & (theirs < RULED_OUT)
    counted = known & (ours >= RULED_OUT) & (theirs >= RULED_OUT)
    difference = np.where(counted, ours - theirs, 0.0)
    ratio = np.expm1(np.minimum(-difference, _MOST))
    columns[:, Sum.TOKENS] = counted
    columns[:, Sum.LOG_RATIO] = difference
    columns[:, Sum.RATIO] = ratio
    columns[:, Sum.CONTROLLED] = difference + ratio
    columns[:, Sum.ABSOLUTE] = np.abs(difference)
    tops = (baseline.tops != UNKNOWN_ID) & (candidate.tops != UNKNOWN_ID)
    columns[:, Sum.TOPS] = tops
    columns[:, Sum.SAME_TOP] = tops & (baseline.tops == candidate.tops)
    ranked = (baseline.ranks != UNKNOWN_RANK) & (candidate.ranks != UNKNOWN_RANK)
    within = ranked & (baseline.ranks <= top_k)
    columns[:, Sum.IN_TOP_K] = within
    columns[:, Sum.LEFT_TOP_K] = within & (candidate.ranks > top_k)
    return columns


def add_chunk(sums: TextSums, columns: Floats, placed: Placed, start: int) -> None:
    """Add the tokens of a chunk to every group that they belong to."""
    sums.n_tokens += len(columns)
    response = placed.parts != PARTS.index(Part.PROMPT)
    positions = np.arange(start, start + len(columns))
    for name, mask in _groups(placed, response, positions):
        if mask.any():
            sums.add(name, columns[mask].sum(axis=0))
    counted = response & (columns[:, Sum.TOKENS] > 0)
    x, y = np.log2(positions[counted] + 1.0), columns[counted, Sum.ABSOLUTE]
    sums.moments = sums.moments + np.array([len(x), x.sum(), (x * x).sum(), y.sum(), (x * y).sum()])


def _groups(placed: Placed, response: Mask, positions: np.ndarray) -> Iterator[tuple[str, Mask]]:
    yield RESPONSE, response
    for code, part in enumerate(PARTS):
        yield part.value, placed.parts == code
    yield NEAR_MARKERS, response & placed.near_marker
    bins = np.maximum(np.floor(np.log2(np.maximum(positions, 1) / FIRST_BIN_TOKENS)).astype(np.int64) + 1, 0)
    for number in np.unique(bins[response]):
        yield bin_name(int(number)), response & (bins == number)
