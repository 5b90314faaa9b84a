"""Read both sides text by text: equal tokens are summed up, different ones described, nothing else is kept."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from reports.divergence.largest import Largest, SingleDivergence, largest_of_chunk
from reports.divergence.parts import PartFinder
from reports.divergence.records import RecordReader, TextFacts
from reports.divergence.side import FLOOR, RECORDS, Side
from reports.divergence.sums import TextSums, add_chunk, token_columns
from reports.divergence.token_identity import TokenDifference, aligned_chunks, describe_difference

KEPT_DIFFERENCES = 1000  # more say nothing new


@dataclass(kw_only=True)
class Measured:
    """Every text that both sides recorded: the sums of those with equal tokens, the others described.

    ``floor`` holds the sums of the baseline against itself by the text's key.
    """

    texts: list[TextFacts] = field(default_factory=list)
    sums: list[TextSums] = field(default_factory=list)
    differences: list[TokenDifference] = field(default_factory=list)
    n_differing: int = 0
    largest: Largest = field(default_factory=Largest)
    floor: dict[str, TextSums] = field(default_factory=dict)
    n_only_baseline: int = 0
    n_only_candidate: int = 0


def measure(baseline: Side, candidate: Side, *, top_k: int, keys: Collection[str] | None = None) -> Measured:
    """Return the sums of two recorded sides, of the texts with ``keys`` where they are given.

    Raises :class:`reports.divergence.records.RecordError`.
    """
    ours, theirs = set(baseline.keys()), set(candidate.keys())
    if keys is not None:
        ours, theirs = ours.intersection(keys), theirs.intersection(keys)
    found = Measured(n_only_baseline=len(ours - theirs), n_only_candidate=len(theirs - ours))
    for key in sorted(ours & theirs):
        _add_text(found, baseline.reader(key), candidate.reader(key), top_k)
    _add_floor(found, baseline, sorted(set(baseline.keys(FLOOR)) & ours), top_k)
    return found


def _add_text(found: Measured, ours: RecordReader, theirs: RecordReader, top_k: int) -> None:
    largest: list[SingleDivergence] = []
    sums = _sums(ours, theirs, top_k, largest)
    if sums is None:
        found.n_differing += 1
        if len(found.differences) < KEPT_DIFFERENCES:
            found.differences.append(describe_difference(ours, theirs))
        return
    found.texts.append(ours.facts)
    found.sums.append(sums)
    found.largest.take(largest)


def _add_floor(found: Measured, baseline: Side, keys: Iterable[str], top_k: int) -> None:
    for key in keys:
        sums = _sums(baseline.reader(key, RECORDS), baseline.reader(key, FLOOR), top_k, [])
        if sums is not None:
            found.floor[key] = sums


def _sums(
    ours: RecordReader, theirs: RecordReader, top_k: int, largest: list[SingleDivergence]
) -> TextSums | None:
    """Return the sums of one text, ``None`` where its tokens differ."""
    facts, sums = ours.facts, TextSums()
    finder, kept = PartFinder(facts), Largest()
    for pair in aligned_chunks(ours, theirs):
        if pair is None:
            return None
        columns, placed = token_columns(*pair, top_k), finder.place(pair[0])
        add_chunk(sums, columns, placed, pair[0].start)
        kept.take(largest_of_chunk((facts.name, facts.task), pair, columns, placed))
    largest += kept.ordered()
    return sums
