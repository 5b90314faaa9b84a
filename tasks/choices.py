"""Lettered options: read them, put them in an order that is the same everywhere, check the gold letters."""

import ast
import hashlib
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tasks.rows import DataError

LETTERS = string.ascii_uppercase
MOST_LETTERS = len(LETTERS)
MAX_LITERAL_CHARS = 50_000  # far beyond any real list of options; nothing longer is parsed
MIN_ITEMS_FOR_CONSTANT = 12  # with fewer items one letter may be gold for all of them by chance
MIN_ITEMS_FOR_SPREAD = 100


def option_order(item_id: str, n_options: int) -> tuple[int, ...]:
    """Return the order in which the options of an item are shown, a function of its id alone.

    The same for both checkpoints, on all machines and in every process; over many ids every order is
    equally likely. Nothing else (row number, other rows, a seed) plays a part.

    >>> option_order("rec1", 4) == option_order("rec1", 4) != option_order("rec3", 4)
    True
    """
    keys = [hashlib.sha256(f"{item_id}\n{option}".encode()).digest() for option in range(n_options)]
    return tuple(sorted(range(n_options), key=keys.__getitem__))


def rotated(order: Sequence[int], turns: int) -> tuple[int, ...]:
    """Return ``order`` moved on by ``turns`` places: over as many turns each option stands in each place.

    >>> rotated((2, 0, 1), 1)
    (0, 1, 2)
    """
    start = turns % len(order)
    return (*order[start:], *order[:start])


def parse_options(value: Any, where: str, *, fewest: int, most: int) -> tuple[str, ...]:
    """Return the option texts in a list, or in a text that is a Python or JSON list literal.

    Raises :class:`DataError` for anything else, for empty options and for a number of them out of bounds.
    """
    options = _literal(value, where) if isinstance(value, str) else value
    if isinstance(options, list | tuple) and len(options) == 1 and isinstance(options[0], list | tuple):
        options = options[0]  # one row of MMMU-Pro holds its list in a list
    if not isinstance(options, list | tuple):
        raise DataError(f"{where}: options are a {type(options).__name__}; a list is expected")
    if not fewest <= len(options) <= most:
        raise DataError(f"{where}: {len(options)} options; {fewest} to {most} are expected")
    for option in options:
        if not isinstance(option, str | int | float) or not str(option).strip():
            raise DataError(f"{where}: an option is {type(option).__name__} or empty; texts are expected")
    return tuple(str(option).strip() for option in options)


def _literal(text: str, where: str) -> Any:
    if len(text) > MAX_LITERAL_CHARS:
        raise DataError(
            f"{where}: options of {len(text):,} characters; at most {MAX_LITERAL_CHARS:,} are read"
        )
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise DataError(f"{where}: options are no list literal ({type(error).__name__})") from error


def gold_letter(value: Any, n_options: int, where: str) -> str:
    """Return a gold answer as one of the first ``n_options`` letters; raise :class:`DataError` if it is none."""
    letter = str(value).strip().upper() if value is not None else ""
    if len(letter) != 1 or letter not in LETTERS[:n_options]:
        raise DataError(
            f"{where}: the answer is {letter[:20]!r}; one letter of {LETTERS[:n_options]} is expected"
        )
    return letter


def render_options(options: Sequence[str]) -> str:
    """Return the options one a line, each behind its letter."""
    return "\n".join(f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False))


def refuse_constant_gold(letters: Sequence[str]) -> None:
    """Raise :class:`DataError` where one letter is right for every item.

    A loader that never shuffled once made every gold letter D: the score was then how often D is picked.
    """
    if len(letters) >= MIN_ITEMS_FOR_CONSTANT and len(set(letters)) == 1:
        raise DataError(
            f"gold label distribution is constant ({letters[0]} for all {len(letters)} items); "
            "the copy was made without shuffling: use another"
        )


def refuse_uneven_gold(letters: Sequence[str], *, n_options: int, lowest: float, highest: float) -> None:
    """Raise :class:`DataError` where a letter is right for a share of the items outside the bounds."""
    refuse_constant_gold(letters)
    if len(letters) < MIN_ITEMS_FOR_SPREAD:
        return
    counts = Counter(letters)
    for letter in LETTERS[:n_options]:
        share = counts[letter] / len(letters)
        if not lowest <= share <= highest:
            raise DataError(
                f"gold label distribution is uneven: {letter} is right for {share:.0%} of "
                f"{len(letters)} items, expected {lowest:.0%} to {highest:.0%}; check the record ids"
            )
