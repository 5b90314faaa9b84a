"""Read dataset rows from a local file or directory: JSON lines, JSON, CSV or parquet."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Row = Mapping[str, Any]
Rows = Sequence[Row]

CSV_FIELD_LIMIT = 16 * 1024 * 1024  # a base64 image in a cell is legitimate; a gigabyte is not


class DataError(ValueError):
    """A dataset that cannot be had, or is not what it should be. The message names the way out."""


def read_rows(path: Path) -> Rows:
    """Return the rows of a file, or of the files of a known format directly inside a directory, by name.

    Raises :class:`DataError` that names the path where it is missing, empty, unreadable or of no known format.
    """
    if not path.exists():
        raise DataError(f"dataset path {str(path)!r}: does not exist; give a file or a directory of files")
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in READERS)
        if not files:
            raise DataError(
                f"dataset path {str(path)!r}: no {', '.join(READERS)} file in it; name the file itself"
            )
        return [row for file in files for row in read_rows(file)]
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"dataset path {str(path)!r}: unknown format; use one of {', '.join(READERS)}")
    try:
        rows = list(reader(path))
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"dataset path {str(path)!r}: cannot be read as {path.suffix}: {error}") from error
    if not rows:
        raise DataError(f"dataset path {str(path)!r}: holds no rows; check that the download is complete")
    return rows


def field_text(row: Row, names: str | tuple[str, ...], index: int) -> str:
    """Return the first of ``names`` that ``row`` has, as stripped text; raise :class:`DataError` if none."""
    wanted = (names,) if isinstance(names, str) else names
    for name in wanted:
        value = row.get(name)
        if value is not None and str(value).strip():
            return str(value).strip()
    raise DataError(
        f"dataset row {index}: no text in field {' or '.join(map(repr, wanted))}; it has {', '.join(map(repr, row))}"
    )


def _json_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise ValueError(f"line {number} is not JSON ({error.msg})") from error
            yield _checked(row, f"line {number}")


def _json_array(path: Path) -> Iterator[Row]:
    rows = json.loads(path.read_text(encoding="utf-8-sig"))
    if not isinstance(rows, list):
        raise ValueError(f"the top level is a {type(rows).__name__}, not a list of rows")
    for number, row in enumerate(rows, 1):
        yield _checked(row, f"element {number}")


def _csv(path: Path) -> Iterator[Row]:
    csv.field_size_limit(CSV_FIELD_LIMIT)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        yield from csv.DictReader(lines)


def _parquet(path: Path) -> Iterator[Row]:
    for batch in pq.ParquetFile(path).iter_batches(batch_size=64):
        yield from batch.to_pylist()


def _checked(row: Any, where: str) -> Row:
    if not isinstance(row, dict):
        raise ValueError(f"{where} is a {type(row).__name__}, not an object")
    return row


READERS: Mapping[str, Callable[[Path], Iterator[Row]]] = {
    ".jsonl": _json_lines,
    ".txt": _json_lines,
    ".json": _json_array,
    ".csv": _csv,
    ".parquet": _parquet,
}
