"""Read the integer that a short LaTeX or plain text states, or nothing where it states anything else."""

import re
import unicodedata

from verifiers.boxed import open_boxes
from verifiers.plain_text import unwrap_latex

_MAX_LENGTH = 500  # a longer text states no single integer, and every pattern here stays cheap
_MAX_DIGITS = 40  # more than any answer needs; int() itself refuses thousands of digits

_DEGREES = re.compile(r"\^\s*\{?\s*\\circ\s*\}?|\\(?:degree|textdegree)(?![a-zA-Z])|[°º]")
_GROUPING = re.compile(r"(?<=\d)(?:\{,\}|,|[ \u00a0\u2009\u202f])(?=\d{3}(?:\D|$))")
_RESIDUE = re.compile(r"\\(?:pmod|bmod|mod)\s*\{?\s*\d+\s*\}?\s*$")
_SEVERAL = re.compile(r"[,;]|\b(?:and|or)\b", re.IGNORECASE)
_INTEGER = re.compile(
    r"(?:[a-z ]*\b(?:is|answer)\s*:?\s*|answer\s*:\s*)?"  # "the answer is 73"
    r"(?P<value>[+-]?\s*\d+)(?:\.0*)?"
    r"(?:\s*(?P<unit>[a-z]{2,}(?:[\s-]+[a-z]{2,}){0,3})\.?(?:\s*\^\s*\{?[23]\}?|[²³])?)?"
    r"\s*[.,;]?",
    re.IGNORECASE,
)
# Words after a number that change its value: what follows them is an expression, not a unit.
_NOT_UNITS = frozenset(
    {"pi", "hundred", "thousand", "million", "billion", "dozen", "percent", "squared", "cubed", "factorial"}
    | {"sqrt", "mod", "modulo", "choose", "or", "and", "plus", "minus", "times", "over", "to"}
)
_CHARACTERS = str.maketrans(
    {"−": "-", "–": "-", "－": "-", "＋": "+", "．": ".", "，": ",", "：": ":", "＝": "=", "。": "."}
)


def read_integer(text: str) -> int | None:
    r"""Return the integer that ``text`` states, else ``None``.

    Read as 73: ``073``, ``73.0``, ``73.``, ``73^\circ``, ``\text{73}``, ``\mathbf{73}``, ``$73$``,
    ``x = 73``, ``70 + 3 = 73``, ``73 = x``, ``73\text{ cm}^2``, full-width and other decimal digits;
    ``1,234``, ``1{,}234`` and ``1\,234`` as 1234. Not integers: fractions and expressions even where their
    value is one, ``7, 3``, ``73!``, ``10^2``, ``73 or 84``, ``x = 7, y = 3``: nothing is computed, and of
    several values none is chosen.

    >>> [read_integer(text) for text in (r"x = 73", r"1{,}234", r"\frac{146}{2}", "7, 3")]
    [73, 1234, None, None]
    """
    if len(text) > _MAX_LENGTH:
        return None
    plain = _plain(text)
    sides = [side for side in re.split(r"\\equiv(?![a-zA-Z])|=", plain) if side.strip()]
    if not sides or any(_SEVERAL.search(side) for side in sides[1:-1]):
        return None
    if len(sides) == 2 and not re.search(r"\d", sides[1]):
        return _integer(sides[0])  # "73 = x"
    return _integer(sides[-1])


def _plain(text: str) -> str:
    """Return ``text`` with ASCII digits and without markup that does not change a number."""
    plain = "".join(map(_ascii_digit, text.translate(_CHARACTERS)))
    plain = unwrap_latex(open_boxes(_DEGREES.sub(" ", plain), " ", " "))
    plain = _GROUPING.sub("", plain.replace("**", ""))
    plain = _RESIDUE.sub("", plain.strip())
    enclosed = re.fullmatch(r"[\s({]*([^(){}]*)[\s)}]*", plain)
    return enclosed[1].strip() if enclosed else plain.strip()


def _ascii_digit(character: str) -> str:
    # Superscripts and circled digits have no decimal value, so 10² is not read as 102.
    value = unicodedata.decimal(character, None)
    return character if value is None else str(value)


def _integer(text: str) -> int | None:
    match = _INTEGER.fullmatch(text.strip())
    if match is None:
        return None
    unit_words = re.findall(r"[a-z]+", (match["unit"] or "").lower())
    digits = re.sub(r"\s", "", match["value"])
    if _NOT_UNITS.intersection(unit_words) or len(digits) > _MAX_DIGITS:
        return None
    return int(digits)
