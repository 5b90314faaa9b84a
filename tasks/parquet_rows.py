"""Read the rows of a parquet file a few at a time, in little memory however the file was written.

Run as a module it sends rows to the process that started it: ``python -m tasks.parquet_rows FILE``.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

Row = Mapping[str, Any]

BATCH_ROWS = 8  # rows decoded at once: they may hold images
BUFFER_BYTES = 1024 * 1024  # read ahead; without it a whole row group lies in memory
# A page is decoded whole, and writers put up to 1,024 rows into one: half a gigabyte of images. Files with
# row groups beyond this are read in a process of their own, whose memory is gone when the run begins.
LARGE_ROW_GROUP_BYTES = 256 * 1024 * 1024


class ParquetError(ValueError):
    """A parquet file that cannot be read to its end."""


@dataclass(frozen=True, kw_only=True)
class ParquetRows:
    """The rows of one file, read anew each time they are gone through; raises :class:`ParquetError`."""

    path: Path
    n_rows: int
    is_large: bool

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[Row]:
        return _rows_from_process(self.path) if self.is_large else _rows(self.path)


def open_parquet(path: Path) -> ParquetRows:
    """Return the rows of a file; only its footer is read now. Raises ``OSError`` or ``ValueError``."""
    footer = pq.read_metadata(path)
    sizes = (footer.row_group(number).total_byte_size for number in range(footer.num_row_groups))
    return ParquetRows(
        path=path, n_rows=footer.num_rows, is_large=max(sizes, default=0) > LARGE_ROW_GROUP_BYTES
    )


def _rows(path: Path) -> Iterator[Row]:
    try:
        with pq.ParquetFile(path, buffer_size=BUFFER_BYTES, pre_buffer=False) as file:
            for batch in file.iter_batches(batch_size=BATCH_ROWS, use_threads=False):
                yield from batch.to_pylist()
    except (OSError, ValueError) as error:
        raise ParquetError(str(error)) from error


def _rows_from_process(path: Path) -> Iterator[Row]:
    command = [sys.executable, "-m", "tasks.parquet_rows", str(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        if process.stdout is None or process.stderr is None:
            raise ParquetError("no pipe to the process that reads it")
        try:
            yield from _received(process.stdout)
            words = process.stderr.read().decode(errors="replace").strip().splitlines()
            if process.wait() != 0:
                raise ParquetError(words[-1] if words else f"reading it ended with {process.returncode}")
        finally:
            process.kill()


def _received(pipe: Any) -> Iterator[Row]:
    while True:
        try:
            rows = pickle.load(pipe)
        except (EOFError, pickle.UnpicklingError):
            return
        yield from rows


def _send(path: Path) -> None:
    rows: list[Row] = []
    for row in _rows(path):
        rows.append(row)
        if len(rows) == BATCH_ROWS:
            pickle.dump(rows, sys.stdout.buffer)
            rows = []
    pickle.dump(rows, sys.stdout.buffer)


if __name__ == "__main__":
    try:
        _send(Path(sys.argv[1]))
    except ParquetError as error:
        sys.exit(str(error))
