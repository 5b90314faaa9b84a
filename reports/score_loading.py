"""Load a score file as columns (CSV and JSON lines: all text), nothing in it believed yet."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from reports.json_text import parse_json
from reports.score_columns import ScoreFileError
from reports.score_table import COLUMNS, RUN_COLUMNS

SCORE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
ALIASES = ("item", "id")  # what others call a sample, read where there is no ``sample_id``
MAX_FILE_BYTES = 4 * 1024**3


def load_columns(path: Path) -> pa.Table:
    """Return the file's columns under their own names; raises :class:`ScoreFileError` where it cannot."""
    try:
        size = path.stat().st_size
        if size == 0:
            raise ScoreFileError(f"{path}: is empty (0 bytes); a score file needs one row a response")
        if size > MAX_FILE_BYTES:
            raise ScoreFileError(f"{path}: holds {size:,} bytes; at most {MAX_FILE_BYTES:,} are read")
        if path.suffix == ".parquet":
            return _load_parquet(path)
        if path.suffix == ".jsonl":
            return _load_json_lines(path)
        return _load_csv(path, "\t" if path.suffix == ".tsv" else ",")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
        first_line = str(error).splitlines()[0]
        raise ScoreFileError(f"{path}: cannot be read as {path.suffix[1:]}: {first_line}") from None
    except OSError as error:
        raise ScoreFileError(f"{path}: cannot be read ({error.strerror or error}); check the file") from None


def _load_csv(path: Path, delimiter: str) -> pa.Table:
    """Return every column as text: types are ours to decide, not the reader's to guess."""
    with path.open("rb") as file:
        head = file.read(2)
    if head in (b"\xff\xfe", b"\xfe\xff"):
        raise ScoreFileError(f"{path}: is UTF-16 text; save it as UTF-8")
    parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    names = pa.csv.open_csv(path, parse_options=parse).schema.names
    convert = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        strings_can_be_null=False,
        quoted_strings_can_be_null=False,
    )
    return pa.csv.read_csv(path, parse_options=parse, convert_options=convert)


def _load_parquet(path: Path) -> pa.Table:
    file = pa.parquet.ParquetFile(path)
    groups = [file.metadata.row_group(index) for index in range(file.metadata.num_row_groups)]
    unpacked = sum(group.total_byte_size for group in groups)
    if unpacked > MAX_FILE_BYTES:
        raise ScoreFileError(f"{path}: unpacks to {unpacked:,} bytes; at most {MAX_FILE_BYTES:,} are read")
    known = {*COLUMNS, *RUN_COLUMNS, *ALIASES}
    return file.read(columns=[name for name in file.schema_arrow.names if name.strip().lower() in known])


def _load_json_lines(path: Path) -> pa.Table:
    return text_table(row for _, row in json_rows(path))


def json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield line number and object of every line that is not blank."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, _json_row(path, number, line)


def text_table(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return the known keys of the rows as columns of text, so that mixed types are judged as in a CSV."""
    columns: dict[str, list[str | None]] = {name: [] for name in (*COLUMNS, *RUN_COLUMNS, *ALIASES)}
    n_rows = 0
    for row in rows:
        for name, value in row.items():
            values = columns.get(name)
            if values is not None:
                if len(values) < n_rows:
                    values.extend([None] * (n_rows - len(values)))
                values.append(_json_cell(value))
        n_rows += 1
    for values in columns.values():
        values.extend([None] * (n_rows - len(values)) if values else [])
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items() if values})


def _json_row(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        row = parse_json(line)
    except ValueError as error:
        raise ScoreFileError(
            f"{path}: line {number} is no JSON ({error}); one object a line is expected"
        ) from None
    if not isinstance(row, dict):
        raise ScoreFileError(
            f"{path}: line {number} holds {type(row).__name__}; one object a line is expected"
        )
    return row


def _json_cell(value: Any) -> str | None:
    kind = type(value)
    if value is None or isinstance(value, str):
        return value
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is float:
        return repr(value)
    if isinstance(value, list):
        return ";".join(map(str, value))
    return str(orjson.dumps(value), "utf-8") if kind is dict else str(value)
