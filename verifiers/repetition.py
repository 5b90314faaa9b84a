"""Find output that no longer says anything: text that loops to its end, and floods of one token."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class RepetitionKind(StrEnum):
    """What is repeated: one character or word, or a longer phrase."""

    FLOOD = "flood"
    LOOP = "loop"


@dataclass(frozen=True, kw_only=True)
class Repetition:
    """``unit`` (up to 80 characters shown), ``n_repeats`` times over ``share`` (0 to 1) of the text."""

    kind: RepetitionKind
    unit: str
    n_repeats: int
    share: float


# Runs of one character that nobody writes. NaN logits print "!" or "?" for ever; digits, rules and blanks
# have honest long runs (10^500 written out, a line across the page).
_FLOOD_CHARACTERS = frozenset("!?\ufffd")
_MIN_FLOOD = 40
_MIN_LETTER_FLOOD = 200
_MIN_OTHER_FLOOD = 2_000
_MIN_WHOLE_TEXT_FLOOD = 16  # a probe with a budget of a few tokens may hold nothing else
_STRIDE = _MIN_FLOOD // 2  # every run of _MIN_FLOOD covers one whole block of this length

# A loop is judged by its unit. Prose is not repeated word for word this often; rows of tables and matrices,
# rules, lists and numbers may be, so they must fill many screens before they count.
_MACRO = re.compile(r"\\[a-zA-Z]+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_STRUCTURE = re.compile(r"^\s*(?:\||[-*+#•]\s|\d+[.)]\s)|&|\\\\|\":|</|[;{}]\s*$", re.MULTILINE)
_MIN_PROSE = (8, 200)  # repeats, characters
_MIN_PARAGRAPHS = (3, 1_500)
_MIN_STRUCTURE = (30, 12_000)

_PROBE_LENGTHS = (48, 12)  # characters of the tail that are searched for; the short one sees short loops
_MAX_PROPOSALS = 400  # bounds the work on texts built to have many near-periods


def find_repetition(text: str | None) -> Repetition | None:
    """Return the repetition that ``text`` degenerates into, or ``None``.

    A flood may stand anywhere; a loop must reach the end, a cut last round included, because a model
    that leaves its loop goes on to say something. Only literal repetition counts. The work grows about
    linearly with the length: the text is sampled for floods, and searched and compared by slices for loops.

    >>> found = find_repetition("?" * 60)
    >>> found.unit, found.n_repeats
    ('?', 60)
    >>> find_repetition("a text that ends") is None
    True
    """
    return _find_flood(text or "") or _find_loop((text or "").rstrip())


def _find_flood(text: str) -> Repetition | None:
    whole = text.strip()
    is_one_character = whole == whole[:1] * len(whole)
    if is_one_character and len(whole) >= _MIN_WHOLE_TEXT_FLOOD and not whole[0].isdigit():
        return Repetition(kind=RepetitionKind.FLOOD, unit=whole[0], n_repeats=len(whole), share=1.0)
    for character, length in _long_runs(text):
        if length >= _minimum_flood(character):
            share = length / len(text)
            return Repetition(kind=RepetitionKind.FLOOD, unit=character, n_repeats=length, share=share)
    return None


def _long_runs(text: str) -> Iterator[tuple[str, int]]:
    """Yield the runs of one character that fill a whole block of ``_STRIDE`` characters."""
    end = 0
    for start in range(0, len(text) - _STRIDE + 1, _STRIDE):
        character = text[start]
        if start < end or text[start : start + _STRIDE] != character * _STRIDE:
            continue
        begin, end = start, start + _STRIDE
        while begin > 0 and text[begin - 1] == character:
            begin -= 1
        while end < len(text) and text[end] == character:
            end += 1
        yield character, end - begin


def _minimum_flood(character: str) -> int:
    if character in _FLOOD_CHARACTERS:
        return _MIN_FLOOD
    return _MIN_LETTER_FLOOD if character.isalpha() else _MIN_OTHER_FLOOD


def _find_loop(text: str) -> Repetition | None:
    for period in _proposed_periods(text):
        length = _periodic_length(text, period)
        unit = text[-period:]
        if _is_degenerate(unit, length):
            one_word = len(unit.split()) <= 1
            return Repetition(
                kind=RepetitionKind.FLOOD if one_word else RepetitionKind.LOOP,
                unit=unit[:80],
                n_repeats=length // period,
                share=length / len(text),
            )
    return None


def _proposed_periods(text: str) -> Iterator[int]:
    """Yield distances at which the tail of ``text`` occurred before, shortest first for each probe."""
    for probe_length in _PROBE_LENGTHS:
        last = len(text) - probe_length
        if last <= 0:
            continue
        probe, start = text[last:], last
        for _ in range(_MAX_PROPOSALS):
            start = text.rfind(probe, 0, start + probe_length - 1)
            if start < 0:
                break
            yield last - start


def _periodic_length(text: str, period: int) -> int:
    """Return the length of the longest tail of ``text`` in which every character equals that a period on."""
    end = len(text)
    limit = end - period

    def matches(near: int, far: int) -> bool:
        return text[limit - far : limit - near] == text[end - far : end - near]

    low, high = 0, min(64, limit)
    while high < limit and matches(low, high):
        low, high = high, min(2 * high, limit)
    while low < high:  # the first difference, if there is one, lies between low and high
        middle = (low + high + 1) // 2
        if matches(low, middle):
            low = middle
        else:
            high = middle - 1
    return low + period


def _is_degenerate(unit: str, length: int) -> bool:
    def reaches(minimum: tuple[int, int]) -> bool:
        return length >= minimum[0] * len(unit) and length >= minimum[1]

    if _STRUCTURE.search(unit) or not _WORD.search(_MACRO.sub("", unit)):
        return reaches(_MIN_STRUCTURE)
    return reaches(_MIN_PROSE) or reaches(_MIN_PARAGRAPHS)
