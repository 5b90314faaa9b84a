"""Parse a long JSON array as it arrives, so that a million entries never stand in memory at once."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from reports.json_text import parse_json

# Between two entries of Inspect's list of summaries. The quotes are bare, so this never lies within a text; an
# inner object of this very shape makes the piece before it no JSON, and then the rest is parsed in one go.
_BETWEEN = re.compile(rb'\}\s*(,)\s*\{\s*"id"\s*:\s*(?:"[^"\\{}]*"|\d+)\s*,\s*"epoch"\s*:')

_TAIL = 1 << 16  # bytes in which an entry mostly ends


def array_blocks(pieces: Iterable[bytes]) -> Iterator[Any]:
    """Parse the array in these pieces of text, a block of its entries at a time.

    A text that is no array comes as the value it is, in one block.

    Raises
    ------
    ValueError
        The text is no JSON; blocks before the fault may have been given.
    """
    rest, opening, is_splitting = bytearray(), b"", True
    for piece in pieces:
        rest += piece
        cut = _last_cut(rest, len(rest) - len(piece)) if is_splitting else None
        if cut is None:
            continue
        try:
            block = parse_json(opening + bytes(rest[:cut]) + b"]")
        except ValueError:
            is_splitting = False
            continue
        yield block
        del rest[: cut + 1]
        opening = b"["
    yield parse_json(opening + bytes(rest))


def _last_cut(text: bytearray, new: int) -> int | None:
    """Return where the last comma between two entries stands, sought at the end, then in all of the new part."""
    for start in (max(len(text) - _TAIL, 0), max(new - _TAIL, 0)):
        cuts = [match.start(1) for match in _BETWEEN.finditer(text, start)]
        if cuts:
            return cuts[-1]
    return None
