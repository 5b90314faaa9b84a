"""Write a score table as CSV, JSON lines or parquet, so that reading it back gives the same comparison."""

import io
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import orjson
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from reports.run_files import TaskRun
from reports.score_table import COLUMNS, NUMBERS, RUN_COLUMNS, build_frame, concat_frames

_FRACTIONAL = ("score", "ttft_s", "duration_s", "finished_at")


def export_rows(runs: list[TaskRun]) -> pd.DataFrame:
    """Return the rows of the runs with what a reader needs of the run in every row.

    A response that the run expected and never got has a row without outcome and score, so that the gap
    stays visible in the file. Rows are in order of epoch and sample, whichever was finished first: equal
    runs give equal files.
    """
    frames = []
    for run in runs:
        rows = _in_order(concat_frames([run.frame, _absent(run)]), run.facts.sample_ids)
        for name in RUN_COLUMNS:
            rows[name] = getattr(run.facts, name)
        frames.append(rows)
    table = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    for name in NUMBERS:
        if name not in _FRACTIONAL:
            table[name] = table[name].astype("Int64")
    return table


def render_scores(table: pd.DataFrame, file_format: str) -> bytes:
    """Return the rows of :func:`export_rows` in one of :data:`SCORE_FORMATS`."""
    if file_format == "parquet":
        return _parquet(table)
    if file_format == "jsonl":
        return b"".join(_json_lines(table))
    return table.to_csv(index=False, lineterminator="\n").encode()


def _in_order(rows: pd.DataFrame, sample_ids: Sequence[str]) -> pd.DataFrame:
    """Return the rows by epoch, then as the dataset has its samples; samples it does not name follow as they came."""
    names = rows["sample_id"].astype(str)
    place = {name: number for number, name in enumerate(dict.fromkeys([*sample_ids, *names]))}
    keys = pd.DataFrame({"epoch": rows["epoch"], "place": names.map(place)})
    return rows.loc[keys.sort_values(["epoch", "place"], kind="stable").index].reset_index(drop=True)


def _absent(run: TaskRun) -> pd.DataFrame:
    """Return rows for the (sample, epoch) pairs that the run set out to get and does not have."""
    facts, frame = run.facts, run.frame
    gap = (facts.expected or 0) - len(frame)
    if gap <= 0 or not facts.epochs:
        return frame.iloc[:0]
    samples = list(facts.sample_ids) or sorted(frame["sample_id"].astype(object).unique())
    have = set(zip(frame["sample_id"].astype(object), frame["epoch"], strict=True))
    wanted = [(sample, epoch) for epoch in range(1, facts.epochs + 1) for sample in samples]
    missing = [pair for pair in wanted if pair not in have][:gap]
    columns: dict[str, list[Any]] = {
        "task": [facts.task] * len(missing),
        "sample_id": [sample for sample, _ in missing],
        "epoch": [epoch for _, epoch in missing],
    }
    return build_frame(columns, len(missing))


def _parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    plain = pa.Table.from_pandas(table, preserve_index=False)
    pa.parquet.write_table(plain.replace_schema_metadata(None), buffer, compression="zstd")
    return buffer.getvalue()


def _json_lines(table: pd.DataFrame) -> Iterator[bytes]:
    names = [*COLUMNS, *RUN_COLUMNS]
    columns = [_plain_values(table[name]) for name in names]
    for values in zip(*columns, strict=True):
        yield orjson.dumps(_row(dict(zip(names, values, strict=True))), option=orjson.OPT_APPEND_NEWLINE)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    for name in ("flags", "failed_replicas"):
        row[name] = row[name].split(";") if row[name] else []
    for name in ("secondary", "details"):
        if row[name] is not None:
            row[name] = orjson.Fragment(row[name])
    return row


def _plain_values(column: pd.Series) -> list[Any]:
    """Return the values with every kind of null as ``None``."""
    values = column.astype(object).to_list()
    return [None if value is None or value is pd.NA or _is_nan(value) else _scalar(value) for value in values]


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
