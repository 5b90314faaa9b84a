"""Texts and numbers that a JSON schema accepts."""

import math
import re
from collections.abc import Mapping
from typing import Any

_MAX_LENGTH = 4096  # nobody generates more to satisfy a schema
_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "someone@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.org/",
    "uri-reference": "/path",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "regex": "a+",
    "json-pointer": "/a",
}
_PATTERN_TRIES = (
    *("", "a", "abc", "ABC", "Abc", "A1", "1", "12", "123", "1234", "12345", "1.5", "a-b", "a_b", "/a"),
    *("#a1b2c3", "+1", "ABC-123", "AB-12", "a@b.org", "sample"),
    *_FORMATS.values(),
)


def bound(schema: Mapping[str, Any], keyword: str, default: float) -> float:
    """Return the number under ``keyword``, ``default`` where there is none."""
    value = schema.get(keyword)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def _matches(pattern: str, word: str) -> bool:
    try:
        return re.search(pattern, word) is not None
    except re.error:
        return False


def text_value(schema: Mapping[str, Any], hint: str | None) -> str:
    """Return a text; ``hint`` where any text will do."""
    low = int(min(bound(schema, "minLength", 0), _MAX_LENGTH))
    high = int(min(bound(schema, "maxLength", _MAX_LENGTH), _MAX_LENGTH))
    pattern, text_format = schema.get("pattern"), schema.get("format")
    if isinstance(text_format, str) and text_format in _FORMATS:
        return _FORMATS[text_format]
    word = hint or "sample"
    if isinstance(pattern, str):
        tries = (each * count for count in (1, 2, 3, low) for each in (word, *_PATTERN_TRIES))
        fitting = (each for each in tries if low <= len(each) <= high and _matches(pattern, each))
        return next(fitting, "a" * max(low, 1))
    return (word * -(-low // len(word)) if len(word) < low else word)[:high]


def _limits(schema: Mapping[str, Any], gap: float) -> tuple[float, float]:
    """Return the lowest and highest value allowed, exclusive bounds drawn in by at most ``gap``."""
    low, high = bound(schema, "minimum", -math.inf), bound(schema, "maximum", math.inf)
    above = bound(schema, "exclusiveMinimum", -math.inf)
    below = bound(schema, "exclusiveMaximum", math.inf)
    # Draft 4 has a flag beside the bound in place of a bound of its own.
    above = low if schema.get("exclusiveMinimum") is True else above
    below = high if schema.get("exclusiveMaximum") is True else below
    room = min(high, below) - max(low, above)
    gap = min(gap, room / 4) if 0 < room < math.inf else gap
    return max(low, above + gap), min(high, below - gap)


def number_value(schema: Mapping[str, Any], *, whole: bool) -> int | float:
    """Return a number, 1 where it is allowed; ``whole`` demands an integer."""
    step = bound(schema, "multipleOf", 1 if whole else 0)
    if step <= 0 or (whole and step < 1):
        step = 1 if whole else 0
    low, high = _limits(schema, step or 0.5)
    value = min(max(1.0, low), high)
    if step and math.isfinite(value):
        value = math.ceil(value / step) * step
        value = value if value <= high else math.floor(high / step) * step
    if not math.isfinite(value):
        return 1
    return int(value) if float(value).is_integer() or whole else value
