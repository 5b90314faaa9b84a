"""Parse JSON that others wrote: fast where it is strict, still readable where it holds NaN."""

import json
import math
from collections.abc import Mapping
from typing import Any

import orjson

_MAX_DIGITS = 300


def parse_json(data: bytes) -> Any:
    """Return the parsed value; Inspect writes NaN and Infinity, which strict JSON (and orjson) refuses.

    Raises
    ------
    ValueError
        The text is no JSON at all, is not UTF-8, or is nested beyond what can be parsed.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return _without_surrogates(json.loads(data.decode("utf-8-sig"), parse_int=_whole))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def json_object(text: Any) -> dict[str, Any]:
    """Return the object that a cell of a score table holds; empty for a cell that holds none."""
    if not isinstance(text, str):
        return {}
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def endless_number(value: Any, place: str = "$") -> str | None:
    """Return where a parsed document holds a number that is not finite, ``None`` where it holds none."""
    if isinstance(value, float):
        return None if math.isfinite(value) else place
    parts: Any = ()
    if isinstance(value, Mapping):
        parts = ((f"{place}.{name}", inner) for name, inner in value.items())
    elif isinstance(value, list):
        parts = ((f"{place}[{number}]", inner) for number, inner in enumerate(value))
    return next((found for at, inner in parts if (found := endless_number(inner, at))), None)


def _whole(digits: str) -> int | float:
    """Return a whole number; one of hundreds of digits as infinity, which is out of every range."""
    return int(digits) if len(digits) < _MAX_DIGITS else float(digits)


def _without_surrogates(value: Any) -> Any:
    """Replace halves of characters, which no file could be written with; strict parsing refuses them."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_without_surrogates(inner) for inner in value]
    if isinstance(value, dict):
        return {_without_surrogates(name): _without_surrogates(inner) for name, inner in value.items()}
    return value
