"""Convert the columns of a score file to checked values; every refusal names the row and what it holds."""

import math
import re
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

MISSING_WORDS = ("", "nan", "null", "none", "na")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_TRUTH = {"true": "1", "false": "0"}

FloatArray = npt.NDArray[np.float64]


class ScoreFileError(Exception):
    """A score file with something in it that cannot be a score table; the message names row and value."""


def as_text(column: pa.Array) -> pa.Array:
    """Return the column as trimmed text, null where empty; whole floats as integers (``1.0`` is id ``1``)."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = pc.binary_join(column.cast(pa.list_(pa.string())), ";")
    if pa.types.is_floating(column.type):
        column = _integers_where_whole(column)
    if not pa.types.is_string(column.type):
        column = column.cast(pa.string())
    column = pc.utf8_trim_whitespace(column)
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)


def _integers_where_whole(column: pa.Array) -> pa.Array:
    values = column.drop_null().cast(pa.float64()).to_numpy(zero_copy_only=False)
    if len(values) and np.all(np.isfinite(values)) and np.all(values == np.trunc(values)):
        return column.cast(pa.int64())
    return column


def as_numbers(path: Path, name: str, column: pa.Array) -> FloatArray:
    """Return the column as floats, NaN where missing (empty, null, NaN); raises on anything else."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _parsed_numbers(path, name, column)
    if not (
        pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_null(column.type)
    ):
        raise ScoreFileError(f"{path}: column {name} is of type {column.type}; it must hold numbers")
    numbers: FloatArray = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers


def _parsed_numbers(path: Path, name: str, column: pa.Array) -> FloatArray:
    text = pc.utf8_trim_whitespace(column.cast(pa.string()))
    lowered = pc.utf8_lower(text)
    missing = pc.is_in(lowered, value_set=pa.array(MISSING_WORDS))
    text = pc.if_else(missing, pa.scalar(None, pa.string()), text)
    for word, digit in _TRUTH.items():
        text = pc.if_else(pc.equal(lowered, word), digit, text)
    try:
        parsed = text.cast(pa.float64())
    except pa.ArrowInvalid:
        parsed = pa.array([_parsed(path, name, row, value) for row, value in enumerate(text.to_pylist())])
    numbers: FloatArray = parsed.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers


def _parsed(path: Path, name: str, row: int, value: str | None) -> float | None:
    if value is None:
        return None
    if not _NUMBER.fullmatch(value):
        raise ScoreFileError(f"{path}: row {row + 1}: {name} is {value!r}; it must be a number or empty")
    return float(value)


def check_range(path: Path, name: str, numbers: FloatArray, low: float, high: float) -> None:
    """Refuse finite or infinite numbers outside [``low``, ``high``]; NaN passes as missing."""
    outside = np.flatnonzero((numbers < low) | (numbers > high))
    if len(outside):
        value = _plain(numbers[outside[0]])
        bound = f"in [{_plain(low)}, {_plain(high)}]" if math.isfinite(high) else f"at least {_plain(low)}"
        raise ScoreFileError(f"{path}: row {outside[0] + 1}: {name} is {value}; it must lie {bound}")


def check_whole(path: Path, name: str, numbers: FloatArray) -> npt.NDArray[np.int64]:
    """Return the numbers as integers; refuse missing and fractional ones."""
    wrong = np.flatnonzero(np.isnan(numbers) | (numbers != np.trunc(numbers)))
    if len(wrong):
        value = numbers[wrong[0]]
        found = "missing" if math.isnan(value) else _plain(value)
        raise ScoreFileError(f"{path}: row {wrong[0] + 1}: {name} is {found}; it must be a whole number")
    return numbers.astype(np.int64)


def _plain(value: float) -> str:
    return f"{value:.15g}"
