"""Read dataset rows from a local file or directory: JSON lines, JSON, CSV or parquet."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from tasks.parquet_rows import ParquetError, ParquetRows, Row, open_parquet

__all__ = ["DataError", "Row", "Rows", "field_text", "read_rows"]

CSV_FIELD_LIMIT = 16 * 1024 * 1024  # a base64 image in a cell is legitimate; a gigabyte is not
HALF_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]")


class Rows(Protocol):
    """Rows that are counted at once and read one after the other, as often as asked."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def __iter__(self) -> Iterator[Row]:
        """Read the rows in order."""


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
        return JoinedRows(parts=[read_rows(file) for file in files])
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(f"dataset path {str(path)!r}: unknown format; use one of {', '.join(READERS)}")
    try:
        rows = reader(path)
    except (OSError, ValueError, csv.Error) as error:
        raise _unreadable(path, error) from error
    if not len(rows):
        raise DataError(f"dataset path {str(path)!r}: holds no rows; check that the download is complete")
    return rows


@dataclass(frozen=True, kw_only=True)
class JoinedRows:
    """The rows of several files, one file after the other."""

    parts: Sequence[Rows]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Row]:
        return chain.from_iterable(self.parts)


@dataclass(frozen=True, kw_only=True)
class NamedRows:
    """The rows of a file that are read as they are asked for; errors name the file."""

    path: Path
    rows: ParquetRows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self.rows
        except ParquetError as error:
            raise _unreadable(self.path, error) from error


def _unreadable(path: Path, error: Exception) -> DataError:
    return DataError(f"dataset path {str(path)!r}: cannot be read as {path.suffix}: {error}")


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


def _json_lines(path: Path) -> list[Row]:
    return list(_each_json_line(path))


def _each_json_line(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            yield _checked(_parsed(line, f"line {number}"), f"line {number}")


def _parsed(text: str, where: str) -> Any:
    try:
        value = json.loads(text)
        if HALF_CHARACTER.search(text):  # most likely the half of a pair that follows
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise ValueError(f"{where} is not JSON ({error.msg})") from error
    except RecursionError as error:
        raise ValueError(f"{where} is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError(f"{where} holds half a character; no request could carry it") from error
    return value


def _json_array(path: Path) -> list[Row]:
    rows = _parsed(path.read_text(encoding="utf-8-sig"), "the file")
    if not isinstance(rows, list):
        raise ValueError(f"the top level is a {type(rows).__name__}, not a list of rows")
    return [_checked(row, f"element {number}") for number, row in enumerate(rows, 1)]


def _csv(path: Path) -> list[Row]:
    return _separated(path, ",")


def _tsv(path: Path) -> list[Row]:
    return _separated(path, "\t")


def _separated(path: Path, delimiter: str) -> list[Row]:
    csv.field_size_limit(CSV_FIELD_LIMIT)
    with path.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=delimiter))


def _parquet(path: Path) -> NamedRows:
    return NamedRows(path=path, rows=open_parquet(path))


def _checked(row: Any, where: str) -> Row:
    if not isinstance(row, dict):
        raise ValueError(f"{where} is a {type(row).__name__}, not an object")
    return row


READERS: Mapping[str, Callable[[Path], Rows]] = {
    ".jsonl": _json_lines,
    ".txt": _json_lines,
    ".json": _json_array,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
}
