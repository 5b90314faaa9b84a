"""The score table: one row a response, and what is known of the run that each task's rows came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

OUTCOMES = ("correct", "incorrect", "no_answer", "truncated", "error")

# The interface's columns first, in its order; what only we write comes after them.
INTERFACE_COLUMNS = (
    "task",
    "sample_id",
    "epoch",
    "outcome",
    "score",
    "answer",
    "stop_reason",
    "output_tokens",
    "reasoning_tokens",
    "ttft_s",
    "duration_s",
    "seed",
    "replica",
    "flags",
)
EXTRA_COLUMNS = (
    "content_hash",
    "category",
    "lenient_answer",
    "reason",
    "error",
    "attempts",
    "finished_at",
    "prompt_tokens",
    "answer_tokens",
    "tokens_estimated",
    "secondary",
    "details",  # JSON text: what a report of the task's own reads, such as the calls of a response
    "failed_replicas",  # of several replicas those that failed before one answered, once for each attempt
    # what a larger budget brought where the response as served was truncated; never mixed into the others
    "escalated_outcome",
    "escalated_score",
    "escalated_max_tokens",
)
COLUMNS = INTERFACE_COLUMNS + EXTRA_COLUMNS
# What an exported table repeats in every row, so that reading it back knows the run it came from.
RUN_COLUMNS = ("label", "fingerprint", "expected")

# Few distinct values over many rows: kept as categories, so that a million rows stay small.
REPEATED_TEXT = (
    "task",
    "sample_id",
    "outcome",
    "stop_reason",
    "replica",
    "flags",
    "content_hash",
    "category",
    "escalated_outcome",
    "failed_replicas",
)
FREE_TEXT = ("answer", "lenient_answer", "reason", "error", "secondary", "details")
# A count or time beyond this is none: sums and squares of it would overflow.
MAX_NUMBER = 1e15
SCORES = ("score", "escalated_score")
NUMBERS = (
    "score",
    "output_tokens",
    "reasoning_tokens",
    "ttft_s",
    "duration_s",
    "attempts",
    "finished_at",
    "prompt_tokens",
    "answer_tokens",
    "escalated_score",
    "escalated_max_tokens",
)

Column = Sequence[Any] | np.ndarray[Any, Any]


@dataclass(frozen=True, kw_only=True)
class TaskFacts:
    """What is known of one task's run besides its rows; ``None`` or empty where the source does not say.

    ``spec`` holds the protocol facts that must agree for two runs to be comparable and ``fingerprint``
    their digest. ``expected`` is the number of responses the run set out to get (items times epochs).
    ``sequential`` holds the looks that a run declared which may stop early, ``starts`` the times (Unix) at
    which it was started on a server that may have been a new one.
    ``status`` is the log's own word (``success``, ``started``, ``cancelled``, ``error``, ``torn``) or
    ``file`` for a score file. ``client`` is what the run measured of its own client. ``dead`` says why the run
    was stopped as that of a dead checkpoint.
    """

    task: str
    label: str
    source: str
    fingerprint: str | None = None
    spec: Mapping[str, Any] = field(default_factory=dict)
    endpoint: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, Any] = field(default_factory=dict)
    git_revision: str | None = None
    started: str | None = None
    finished: str | None = None
    n_items: int | None = None
    epochs: int | None = None
    expected: int | None = None
    max_error_rate: float | None = None
    sample_ids: tuple[str, ...] = ()
    status: str = "file"
    is_foreign: bool = False
    client: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sequential: Mapping[str, Any] = field(default_factory=dict)
    starts: tuple[float, ...] = ()
    dead: str | None = None


@dataclass(frozen=True, kw_only=True)
class ScoreTable:
    """Rows of one or several tasks (:data:`COLUMNS`) and the facts of each task, by task name.

    In the frame ``score`` is NaN where the response is missing, ``outcome`` is null where a foreign source
    gave no score, ``flags`` and ``failed_replicas`` are text joined by ``;``, ``secondary`` and
    ``details`` JSON text, ``seed`` a nullable integer.
    """

    frame: pd.DataFrame
    facts: Mapping[str, TaskFacts]


def build_frame(columns: Mapping[str, Column], n_rows: int) -> pd.DataFrame:
    """Return a frame of exactly :data:`COLUMNS`; a column that is not given is all null."""
    data: dict[str, Any] = {}
    for name in COLUMNS:
        data[name] = _typed(name, columns.get(name), n_rows)
    return pd.DataFrame(data, index=pd.RangeIndex(n_rows))


def _typed(name: str, values: Column | None, n_rows: int) -> Any:
    if name in NUMBERS:
        return np.full(n_rows, np.nan) if values is None else np.asarray(values, dtype=np.float64)
    if name in REPEATED_TEXT:
        return _categories(pd.Categorical([None] * n_rows if values is None else values))
    if name == "epoch":
        return np.zeros(n_rows, dtype=np.int64) if values is None else np.asarray(values, dtype=np.int64)
    if name == "seed":
        return pd.array([None] * n_rows if values is None else values, dtype="Int64")
    if name == "tokens_estimated":
        return pd.array([None] * n_rows if values is None else values, dtype="boolean")
    return pd.Series([None] * n_rows if values is None else values, dtype=object)


def _categories(values: Any) -> Any:
    """Return the values with their categories as plain objects, whatever they are: parts must unite."""
    return pd.Categorical.from_codes(
        values.codes, dtype=pd.CategoricalDtype(values.categories.astype(object), ordered=False)
    )


def concat_frames(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the frames one after the other, categories united (plain concat would fall back to objects)."""
    if len(frames) == 1:
        return frames[0]
    merged: dict[str, Any] = {}
    for name in COLUMNS:
        parts = [frame[name] for frame in frames]
        if name in REPEATED_TEXT:
            merged[name] = pd.api.types.union_categoricals(parts, ignore_order=True)
        else:
            merged[name] = pd.concat(parts, ignore_index=True)
    return pd.DataFrame(merged)
