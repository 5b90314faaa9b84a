"""Read score tables that others (or our export) wrote: CSV, JSON lines, parquet; checked row by row."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from reports.score_columns import ScoreFileError, as_numbers, as_text, check_range, check_whole
from reports.score_loading import ALIASES, load_columns
from reports.score_table import (
    FREE_TEXT,
    MAX_NUMBER,
    NUMBERS,
    OUTCOMES,
    REPEATED_TEXT,
    RUN_COLUMNS,
    SCORES,
    ScoreTable,
    TaskFacts,
    build_frame,
)
from reports.signals import TRUNCATING_STOPS

REQUIRED = ("sample_id", "epoch", "score")
MAX_ROWS = 20_000_000
MAX_EPOCH = 1_000_000


def read_score_file(path: Path) -> ScoreTable:
    """Return the score table in ``path``; raises :class:`ScoreFileError`.

    Needs the columns ``sample_id, epoch, score`` (an empty score is missing); ``task``, ``outcome`` and the
    other columns of the score table are read where they are there, unknown ones are passed over. Rows of a
    file without a task column are of the task ``""``.
    """
    table = _named(path, load_columns(path))
    frame = checked_frame(path, table)
    return ScoreTable(frame=frame, facts=_facts_by_task(path, _whole_columns(table), frame))


def checked_frame(path: Path, table: pa.Table) -> pd.DataFrame:
    """Return the score rows of a table under the score table's column names, every value checked."""
    if table.num_rows == 0:
        raise ScoreFileError(f"{path}: holds no rows; a score file needs one row a response")
    if table.num_rows > MAX_ROWS:
        raise ScoreFileError(f"{path}: holds {table.num_rows:,} rows; at most {MAX_ROWS:,} are read")
    frame = _frame(path, _whole_columns(table), table.num_rows)
    _refuse_duplicates(path, frame)
    return frame


def _whole_columns(table: pa.Table) -> dict[str, pa.Array]:
    return {name: table.column(name).combine_chunks() for name in table.column_names}


def _named(path: Path, table: pa.Table) -> pa.Table:
    """Return the table under the score table's own column names; raises when a needed one is not there."""
    names = [name.strip().lstrip("\ufeff").lower() for name in table.column_names]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ScoreFileError(f"{path}: column {repeated[0]} is there twice; each column once")
    aliases = [name for name in ALIASES if name in names]
    if "sample_id" not in names and len(aliases) == 1:
        names[names.index(aliases[0])] = "sample_id"
    absent = [name for name in REQUIRED if name not in names]
    if absent:
        found = ", ".join(names) or "none"
        raise ScoreFileError(
            f"{path}: has no column {', '.join(absent)} (found: {found}); {', '.join(REQUIRED)} are needed"
        )
    return table.rename_columns(names)


def _frame(path: Path, columns: dict[str, pa.Array], n_rows: int) -> pd.DataFrame:
    values: dict[str, Any] = {}
    for name in REPEATED_TEXT:
        if name in columns and name != "outcome":
            values[name] = as_text(columns[name]).dictionary_encode().to_pandas()
    for name in FREE_TEXT:
        if name in columns:
            values[name] = as_text(columns[name]).to_pylist()
    for name in NUMBERS:
        if name in columns:
            values[name] = as_numbers(path, name, columns[name])
            check_range(path, name, values[name], 0.0, 1.0 if name in SCORES else MAX_NUMBER)
    epochs = as_numbers(path, "epoch", columns["epoch"])
    check_range(path, "epoch", epochs, 0, MAX_EPOCH)
    values["epoch"] = check_whole(path, "epoch", epochs)
    values["seed"] = _seeds(columns.get("seed"))
    values["tokens_estimated"] = _booleans(columns.get("tokens_estimated"))
    cut = pd.Series(values.get("stop_reason"), index=range(n_rows)).isin(TRUNCATING_STOPS).to_numpy()
    values["outcome"], values["score"] = _outcomes(path, columns.get("outcome"), values["score"], cut)
    values["task"] = _tasks(path, values.get("task"), n_rows)
    _refuse_nameless(path, values["sample_id"])
    return build_frame({name: column for name, column in values.items() if column is not None}, n_rows)


def _outcomes(path: Path, column: pa.Array | None, scores: Any, cut: Any) -> tuple[Any, Any]:
    """Return outcomes and scores that agree: an error has no score, no score is never an answer.

    ``cut`` marks the responses that the token budget ended: wrong by that, not by their answer.
    """
    wrong = np.where(cut, OUTCOMES.index("truncated"), OUTCOMES.index("incorrect"))
    derived = np.where(np.isnan(scores), -1, np.where(scores >= 1, 0, wrong))
    if column is None:
        return pd.Categorical.from_codes(derived, categories=pd.Index(OUTCOMES)), scores
    given = pd.Index(pc.utf8_lower(as_text(column)).to_pandas(), dtype=object)
    codes = pd.Index(OUTCOMES).get_indexer(given)
    unknown = np.flatnonzero((codes < 0) & given.notna())
    if len(unknown):
        row = unknown[0]
        allowed = ", ".join(OUTCOMES)
        raise ScoreFileError(f"{path}: row {row + 1}: outcome is {given[row]!r}; it must be one of {allowed}")
    _refuse_contradictions(path, codes, scores)
    error = OUTCOMES.index("error")
    scores = np.where(codes == error, np.nan, scores)
    codes = np.where(codes < 0, derived, np.where(np.isnan(scores), error, codes))
    return pd.Categorical.from_codes(codes, categories=pd.Index(OUTCOMES)), scores


def _refuse_contradictions(path: Path, codes: Any, scores: Any) -> None:
    for outcome, score in (("correct", 0.0), ("incorrect", 1.0)):
        wrong = np.flatnonzero((codes == OUTCOMES.index(outcome)) & (scores == score))
        if len(wrong):
            raise ScoreFileError(
                f"{path}: row {wrong[0] + 1}: outcome is {outcome} and score {score:g}; correct one of them"
            )


def _tasks(path: Path, tasks: pd.Series | None, n_rows: int) -> Any:
    if tasks is None or tasks.isna().all():
        return pd.Categorical.from_codes(np.zeros(n_rows, dtype=np.int8), categories=pd.Index([""]))
    nameless = np.flatnonzero(tasks.isna())
    if len(nameless):
        raise ScoreFileError(f"{path}: row {nameless[0] + 1}: task is empty; name it in every row or in none")
    return tasks


def _refuse_nameless(path: Path, sample_ids: pd.Series) -> None:
    nameless = np.flatnonzero(sample_ids.isna())
    if len(nameless):
        raise ScoreFileError(
            f"{path}: row {nameless[0] + 1}: sample_id is empty; every response needs its item"
        )


def _seeds(column: pa.Array | None) -> Any:
    if column is None:
        return None
    text = as_text(column)
    whole = pc.match_substring_regex(text, r"^-?[0-9]{1,18}$")
    return (
        pc.if_else(whole, text, pa.scalar(None, pa.string()))
        .cast(pa.int64())
        .to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    )


def _booleans(column: pa.Array | None) -> Any:
    if column is None:
        return None
    text = pc.utf8_lower(as_text(column)).to_pylist()
    return [{"true": True, "1": True, "false": False, "0": False}.get(value or "") for value in text]


def _refuse_duplicates(path: Path, frame: pd.DataFrame) -> None:
    keys = ["task", "sample_id", "epoch"]
    repeated = np.flatnonzero(frame.duplicated(keys))
    if len(repeated):
        row = frame.iloc[repeated[0]]
        same = np.flatnonzero(
            (frame["task"] == row["task"])
            & (frame["sample_id"] == row["sample_id"])
            & (frame["epoch"] == row["epoch"])
        )
        rows = " and ".join(str(index + 1) for index in same[:2])
        raise ScoreFileError(
            f"{path}: sample {row['sample_id']!r}, epoch {row['epoch']} is there twice (rows {rows});"
            " give each response once, repeats under their own epoch"
        )


def _facts_by_task(path: Path, columns: dict[str, pa.Array], frame: pd.DataFrame) -> dict[str, TaskFacts]:
    texts = {name: as_text(columns[name]).to_pandas() for name in RUN_COLUMNS if name in columns}
    facts = {}
    for task in frame["task"].cat.categories:
        rows = (frame["task"] == task).to_numpy()
        told = {name: _constant(path, name, task, values[rows]) for name, values in texts.items()}
        expected = told.get("expected")
        facts[task] = TaskFacts(
            task=task,
            label=told.get("label") or path.stem,
            source=str(path),
            fingerprint=told.get("fingerprint"),
            expected=int(expected) if expected and expected.isdigit() else None,
        )
    return facts


def _constant(path: Path, name: str, task: str, values: "Sequence[str] | pd.Series[str]") -> str | None:
    distinct = sorted(set(pd.Series(values).dropna()))
    if len(distinct) > 1:
        raise ScoreFileError(
            f"{path}: {task or 'the file'} holds rows of {len(distinct)} runs"
            f" ({name}: {', '.join(distinct[:3])}); one run a task"
        )
    return distinct[0] if distinct else None
