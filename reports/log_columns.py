"""Read the columns of a log's rows: what is no number, text or truth where one belongs is unknown."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import orjson

from reports.score_table import MAX_NUMBER, NUMBERS, SCORES, Column

_TEXTS = (
    *("answer", "lenient_answer", "stop_reason", "reason", "error", "content_hash", "category"),
    "escalated_outcome",
)


def as_number(value: Any) -> float:
    """Return a number as such, NaN for anything else."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return math.nan
    return float(value)


def as_integer(value: Any) -> int | None:
    """Return a whole number that fits 64 bits, ``None`` for anything else."""
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return value if fits else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def as_text(value: Any) -> str | None:
    """Return a text, ``None`` for anything else."""
    return value if isinstance(value, str) else None


def _label(value: Any) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _joined(flags: Any) -> str | None:
    return ";".join(map(str, flags)) or None if flags and isinstance(flags, list) else None


def _json(value: Any) -> str | None:
    return orjson.dumps(value).decode() if value and isinstance(value, dict) else None


def _numbers(values: list[Any], most: float = MAX_NUMBER) -> Column:
    """Read a column of numbers from 0 to ``most``; without a loop where it holds nothing else, as nearly all do."""
    plain = values if _NUMERIC.issuperset(map(type, values)) else [*map(as_number, values)]
    numbers = np.asarray(plain, dtype=np.float64)
    return np.where((numbers >= 0) & (numbers <= most), numbers, np.nan)


def _scores(values: list[Any]) -> Column:
    return _numbers(values, 1.0)


def _texts(values: list[Any]) -> Column:
    return values if _TEXTUAL.issuperset(map(type, values)) else [as_text(value) for value in values]


def _each(convert: Callable[[Any], Any]) -> Callable[[list[Any]], Column]:
    return lambda values: [convert(value) for value in values]


_NUMERIC = frozenset({float, int, type(None)})
_TEXTUAL = frozenset({str, type(None)})
READERS: Mapping[str, Callable[[list[Any]], Column]] = {
    "sample_id": _texts,
    "epoch": _each(int),
    "outcome": _texts,
    **dict.fromkeys(NUMBERS, _numbers),
    **dict.fromkeys(SCORES, _scores),
    **dict.fromkeys(_TEXTS, _texts),
    "seed": _each(as_integer),
    "replica": _each(_label),
    "flags": _each(_joined),
    "failed_replicas": _each(_joined),
    "tokens_estimated": _each(_boolean),
    "secondary": _each(_json),
    "details": _each(_json),
}
