"""Turn the sample summaries of an Inspect log into score rows: ours in full, others' by their first score."""

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from reports.log_columns import READERS, as_integer, as_number, as_text
from reports.log_members import LogError
from reports.score_table import OUTCOMES, Column, build_frame, concat_frames
from reports.signals import TRUNCATING_STOPS

SCORE_NAME = "outcome"
_LETTER_SCORES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_LETTER_OUTCOMES = {"C": "correct", "P": "incorrect", "I": "incorrect", "N": "no_answer"}
_WORD_SCORES = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
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
        if not isinstance(sample_id, str | int) or as_integer(epoch) is None:
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
            name: read([row.get(name) for row in self._rows]) for name, read in READERS.items()
        }
        columns["task"] = [self._task] * len(self._rows)
        self._frames.append(build_frame(columns, len(self._rows)))
        self._rows = []

    def _ours(self, score: Any) -> dict[str, Any] | None:
        """Return the row of a score that our scorer wrote, ``None`` for anybody else's."""
        row = score.get("metadata") if isinstance(score, dict) else None
        if not isinstance(row, dict) or row.get("outcome") not in OUTCOMES:
            return None
        value = as_number(row["score"] if "score" in row else score.get("value"))
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
    return as_text(first.get("stop_reason")) if isinstance(first, dict) else None


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
        ours: _sum_known([as_number(entry.get(theirs)) for entry in entries])
        for ours, theirs in names.items()
    }


def _sum_known(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) if known else math.nan


def _error_text(error: Any) -> str | None:
    if isinstance(error, dict):
        error = error.get("message") or "unknown error"
    return error if isinstance(error, str) else None
