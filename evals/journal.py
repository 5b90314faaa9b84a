"""An append-only record of finished responses: what makes a killed run resumable, whatever killed it.

Each record is two zstd frames of one JSON line each: a small header that holds the request key and the
size of the body, then the body. ``zstdcat journal.zst`` reads the whole file; opening it reads only the
headers; a record torn by a crash is recognised and cut off. A record is written before it is graded.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import orjson
import zstandard

from evals.exchange import Exchange, exchange_from_dict
from evals.failure import Failure, FailureKind

HEADER_READ_BYTES = 4096  # more than any header


class JournalError(RuntimeError):
    """A journal that cannot be opened: not writable, or in use by another run."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in the file the body of a record lies, in bytes."""

    body_start: int
    n_body_bytes: int


class Journal:
    """Finished exchanges by request key. One writer at a time; bodies are read only when asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, Place] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
        except OSError as error:
            raise JournalError(
                f"run directory {str(path.parent)!r}: cannot be written ({error.strerror})"
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            raise JournalError(
                f"run directory {str(path.parent)!r}: another run is writing to it; wait for it or use another --runs-dir"
            ) from error
        self._end = self._index()
        self._compressor = zstandard.ZstdCompressor(level=3)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def find(self, key: str) -> Exchange | None:
        """Return the recorded exchange of a request, ``None`` where it has none."""
        place = self._places.get(key)
        if place is None:
            return None
        self._file.seek(place.body_start)
        body = zstandard.ZstdDecompressor().decompressobj().decompress(self._file.read(place.n_body_bytes))
        return exchange_from_dict(orjson.loads(body)["exchange"])

    def append(self, key: str, exchange: Exchange, facts: Mapping[str, Any]) -> None:
        """Record a finished exchange; raise a client :class:`Failure` where the disk refuses it."""
        body = self._compressor.compress(orjson.dumps({**facts, "exchange": exchange.as_dict()}) + b"\n")
        header = self._compressor.compress(orjson.dumps({"key": key, "n_body_bytes": len(body)}) + b"\n")
        try:
            self._file.seek(0, os.SEEK_END)
            self._file.write(header + body)
            self._file.flush()
        except OSError as error:
            self._cut_torn_tail()
            raise Failure(
                kind=FailureKind.CLIENT,
                message=f"journal {self._path.name}: cannot be written ({error.strerror}); free space and run again",
                is_retryable=False,
            ) from error
        self._places[key] = Place(body_start=self._end + len(header), n_body_bytes=len(body))
        self._end += len(header) + len(body)

    def _index(self) -> int:
        """Note where each record starts and cut off a torn last one; return where the next goes."""
        end = 0
        for key, place in read_places(self._file):
            self._places[key] = place
            end = place.body_start + place.n_body_bytes
        if end < self._path.stat().st_size:
            self._file.truncate(end)
        return end

    def _cut_torn_tail(self) -> None:
        try:
            os.ftruncate(self._file.fileno(), self._end)
        except OSError:
            return  # the next opening cuts it


def read_places(file: BinaryIO) -> Iterator[tuple[str, Place]]:
    """Yield the key and place of every whole record, stopping at the first torn one."""
    size = file.seek(0, os.SEEK_END)
    start = 0
    while start < size:
        file.seek(start)
        block = file.read(HEADER_READ_BYTES)
        decompressor = zstandard.ZstdDecompressor().decompressobj()
        try:
            header = orjson.loads(decompressor.decompress(block))
        except (zstandard.ZstdError, orjson.JSONDecodeError):
            return
        body_start = start + len(block) - len(decompressor.unused_data)
        place = Place(body_start=body_start, n_body_bytes=header["n_body_bytes"])
        start = place.body_start + place.n_body_bytes
        if start > size:
            return
        yield header["key"], place
