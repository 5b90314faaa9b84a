"""Turn the sample summaries of an Inspect log into score rows: ours in full, others' by their first score."""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pandas as pd

from reports.log_members import LogError
from reports.score_table import NUMBERS, OUTCOMES, Column, build_frame, concat_frames
from reports.signals import TRUNCATING_STOPS

SCORE_NAME = "outcome"
_LETTER_SCORES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_LETTER_OUTCOMES = {"C": "correct", "P": "incorrect", "I": "incorrect", "N": "no_answer"}
_WORD_SCORES = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_TEXTS = (
    *("answer", "lenient_answer", "stop_reason", "reason", "error", "content_hash", "category"),
    "escalated_outcome",
)
_CANCELLED = re.compile(r"^\W*(?:\w+\.)?(?:CancelledError|Cancelled|KeyboardInterrupt)\b")


_BLOCK = 20_000  # rows turned into columns at once: at a fifth of the cost of one by one, and of all at once


class LogRows:
    """Collect responses as they come and turn them into columns block by block."""

    def __init__(self, *, path: Path, task: str) -> None:
        self._path = path
        self._task = task
        self._rows: list[dict[str, Any]] = []
        self._frames: list[pd.DataFrame] = []

    def add(self, summary: Mapping[str, Any]) -> None:
        """Add the response of one summary (or full sample); a cancelled one was never answered: no row."""
        error = _error_text(summary.get("error"))
        if error is not None and _CANCELLED.match(error):
            return
        scores = summary.get("scores")
        scores = scores if isinstance(scores, dict) else {}
        row = self._ours(scores.get(SCORE_NAME))
        if row is None:
            row = self._foreign(scores, summary)
        sample_id, epoch = summary.get("id"), summary.get("epoch")
        if not isinstance(sample_id, str | int) or _integer(epoch) is None:
            raise LogError(
                f"{self._path}: a response has id {sample_id!r} and epoch {epoch!r}; both must be given"
            )
        row["sample_id"], row["epoch"] = str(sample_id), epoch
        row["error"] = error
        if error is not None:
            row["outcome"], row["score"] = "error", math.nan
        metadata = summary.get("metadata")
        if row.get("content_hash") is None and isinstance(metadata, dict):
            row["content_hash"] = metadata.get("content_hash")
        self._rows.append(row)
        if len(self._rows) >= _BLOCK:
            self._close_block()

    def frame(self) -> pd.DataFrame:
        """Return the collected rows."""
        if self._rows or not self._frames:
            self._close_block()
        return concat_frames(self._frames)

    def _close_block(self) -> None:
        columns: dict[str, Column] = {
            name: read([row.get(name) for row in self._rows]) for name, read in _READERS.items()
        }
        columns["task"] = [self._task] * len(self._rows)
        self._frames.append(build_frame(columns, len(self._rows)))
        self._rows = []

    def _ours(self, score: Any) -> dict[str, Any] | None:
        """Return the row of a score that our scorer wrote, ``None`` for anybody else's."""
        row = score.get("metadata") if isinstance(score, dict) else None
        if not isinstance(row, dict) or row.get("outcome") not in OUTCOMES:
            return None
        value = _number(row["score"] if "score" in row else score.get("value"))
        if not math.isnan(value) and not 0.0 <= value <= 1.0:
            raise LogError(f"{self._path}: a score is {value}; scores lie in [0, 1]")
        if row["outcome"] == "error":
            value = math.nan
        elif math.isnan(value):
            row["outcome"] = "error"
        row["score"] = value
        return row

    def _foreign(self, scores: Mapping[str, Any], summary: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row from the first scorer of a log made without us; no score at all is missing."""
        row: dict[str, Any] = _usage(summary.get("model_usage"))
        row["duration_s"] = summary.get("total_time")
        row["stop_reason"] = _stop_reason(summary)
        row["outcome"], row["score"] = None, math.nan
        if not scores:
            return row
        name, score = next(iter(scores.items()))
        value = score.get("value") if isinstance(score, dict) else score
        number = self._foreign_value(name, value)
        row["answer"] = score.get("answer") if isinstance(score, dict) else None
        row["score"], row["outcome"] = number, _foreign_outcome(value, number)
        if row["stop_reason"] in TRUNCATING_STOPS and number < 1.0:
            row["outcome"] = "truncated"
        return row

    def _foreign_value(self, name: str, value: Any) -> float:
        number = _as_score(value)
        if number is None:
            raise LogError(
                f"{self._path}: scorer {name!r} gives no number but {value!r};"
                " export the scores as sample_id, epoch, score"
            )
        if not math.isnan(number) and not 0.0 <= number <= 1.0:
            raise LogError(f"{self._path}: scorer {name!r} gives {number}; scores lie in [0, 1]")
        return number


def _as_score(value: Any) -> float | None:
    """Return a scorer's value as a number the way Inspect reads letters and words; ``None`` for no number."""
    if isinstance(value, int | float):
        return float(value)
    text = value.strip() if isinstance(value, str) else ""
    if text in _LETTER_SCORES:
        return _LETTER_SCORES[text]
    try:
        return _WORD_SCORES[text.lower()] if text.lower() in _WORD_SCORES else float(text)
    except ValueError:
        return None


def _foreign_outcome(value: Any, number: float) -> str | None:
    if math.isnan(number):
        return None
    if isinstance(value, str) and value.strip() in _LETTER_OUTCOMES:
        return _LETTER_OUTCOMES[value.strip()]
    return "correct" if number >= 1.0 else "incorrect"


def _stop_reason(summary: Mapping[str, Any]) -> str | None:
    """Return the stop reason where the full sample was read; a summary does not hold it."""
    output = summary.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return _text(first.get("stop_reason")) if isinstance(first, dict) else None


def _usage(usage: Any) -> dict[str, Any]:
    """Return token counts summed over the models of one sample; unknown stays NaN."""
    entries = (
        [entry for entry in usage.values() if isinstance(entry, dict)] if isinstance(usage, dict) else []
    )
    names = {
        "output_tokens": "output_tokens",
        "reasoning_tokens": "reasoning_tokens",
        "prompt_tokens": "input_tokens",
    }
    return {
        ours: _sum_known([_number(entry.get(theirs)) for entry in entries]) for ours, theirs in names.items()
    }


def _sum_known(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) if known else math.nan


def _error_text(error: Any) -> str | None:
    if isinstance(error, dict):
        error = error.get("message") or "unknown error"
    return error if isinstance(error, str) else None


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:  # an integer of hundreds of digits
        return math.inf


def _integer(value: Any) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return value if fits else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _label(value: Any) -> str | None:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _joined(flags: Any) -> str | None:
    return ";".join(map(str, flags)) or None if flags and isinstance(flags, list) else None


def _json(value: Any) -> str | None:
    return orjson.dumps(value).decode() if value and isinstance(value, dict) else None


def _numbers(values: list[Any]) -> Column:
    """Read a column of numbers; without a loop where it holds nothing else, as nearly all do."""
    if _NUMERIC.issuperset(map(type, values)):
        try:
            return np.asarray(values, dtype=np.float64)
        except OverflowError:
            pass
    return [_number(value) for value in values]


def _texts(values: list[Any]) -> Column:
    return values if _TEXTUAL.issuperset(map(type, values)) else [_text(value) for value in values]


def _each(convert: Callable[[Any], Any]) -> Callable[[list[Any]], Column]:
    return lambda values: [convert(value) for value in values]


_NUMERIC = frozenset({float, int, type(None)})
_TEXTUAL = frozenset({str, type(None)})
_READERS: Mapping[str, Callable[[list[Any]], Column]] = {
    "sample_id": _texts,
    "epoch": _each(int),
    "outcome": _texts,
    **dict.fromkeys(NUMBERS, _numbers),
    **dict.fromkeys(_TEXTS, _texts),
    "seed": _each(_integer),
    "replica": _each(_label),
    "flags": _each(_joined),
    "tokens_estimated": _each(_boolean),
    "secondary": _each(_json),
    "details": _each(_json),
}
