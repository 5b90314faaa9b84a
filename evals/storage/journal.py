"""An append-only record of finished responses: what makes a killed run resumable, whatever killed it.

Each record is two zstd frames of one JSON line each: a small header that holds the request key and the
size of the body, then the body. ``zstdcat journal.zst`` reads the whole file; opening it reads only the
headers; a record torn by a crash is recognised and cut off. A record is written before it is graded.
"""

import fcntl
import os
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson
import zstandard

from evals.storage.journal_records import (
    Place,
    copy_record,
    encode_record,
    is_foreign,
    read_body,
    read_places,
)
from evals.transport.exchange import Exchange, exchange_from_dict
from evals.transport.failure import Failure, FailureKind
from tasks.pairs import Pair, asked_pair

COPIED_AT_ONCE_BYTES = 2**20


class JournalError(RuntimeError):
    """A journal that cannot be opened: not writable, not a journal, or in use by another run."""


class Journal:
    """Finished exchanges by request key. One writer at a time; bodies are read only when asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, Place] = {}
        self._file = _open_alone(path)
        try:
            self._cut_torn_tail(self._index())
        except BaseException:
            self._file.close()
            raise
        self._compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)

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

    def keys(self) -> frozenset[str]:
        """Return the keys of all recorded requests."""
        return frozenset(self._places)

    def pairs(self) -> frozenset[Pair]:
        """Return which responses are recorded; reads every body."""
        bodies = (read_body(self._file, place) for place in self._places.values())
        return frozenset(asked_pair(orjson.loads(body)) for body in bodies if body is not None)

    def find(self, key: str) -> Exchange | None:
        """Return the recorded exchange of a request, ``None`` where it has none that can be read."""
        place = self._places.get(key)
        body = None if place is None else read_body(self._file, place)
        if body is None:
            self._places.pop(key, None)  # damaged on the disk: it is asked again
            return None
        return exchange_from_dict(orjson.loads(body)["exchange"])

    def append(self, key: str, exchange: Exchange, facts: Mapping[str, Any]) -> None:
        """Record a finished exchange; raise a client :class:`Failure` where the disk refuses it."""
        body = orjson.dumps({**facts, "exchange": exchange.as_dict()})
        try:
            self._append_record(key, *encode_record(key, body, self._compressor))
        except (OSError, JournalError) as error:
            words = getattr(error, "strerror", None) or str(error)
            raise Failure(
                kind=FailureKind.CLIENT,
                message=f"journal {self._path.name}: cannot be written ({words}); free space and run again",
                is_retryable=False,
            ) from error

    def absorb(self, path: Path) -> int:
        """Take over what a journal beside this one holds and return how many records were new here.

        The other file is left as it is. Raises :class:`JournalError` where it is still being written.
        """
        with _open_alone(path) as other:
            new = [(key, place) for key, place in read_places(other) if key not in self._places]
            for key, place in new:
                try:
                    self._append_record(key, *copy_record(other, key, place, self._compressor))
                except OSError as error:
                    raise JournalError(
                        f"journal {str(self._path)!r}: cannot be written ({error.strerror}); free space and run again"
                    ) from error
        return len(new)

    def return_if_lost(self) -> None:
        """Write the journal again where its directory was deleted or replaced under the run.

        What is open outlives its name: as long as the run lives, so does every record.
        """
        mine = os.fstat(self._file.fileno())
        try:
            there = self._path.stat()
        except OSError:
            there = None
        if there is not None and (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino):
            return
        found = _open_alone(self._path)
        try:
            for start in range(0, mine.st_size, COPIED_AT_ONCE_BYTES):
                _write(found, os.pread(self._file.fileno(), COPIED_AT_ONCE_BYTES, start))
        except OSError:
            found.close()
            raise
        self._file.close()
        self._file = found
        self._index()

    def _append_record(self, key: str, record: bytes, n_header: int) -> None:
        """Append a record whole or not at all."""
        self.return_if_lost()
        start = os.fstat(self._file.fileno()).st_size
        try:
            _write(self._file, record)
        except OSError:
            self._cut_torn_tail(start)
            raise
        self._places[key] = Place(body_start=start + n_header, n_body_bytes=len(record) - n_header)

    def _index(self) -> int:
        """Note where each record starts; return where the last whole one ends."""
        end = 0
        for key, place in read_places(self._file):
            self._places[key] = place
            end = place.body_start + place.n_body_bytes
        if end == 0 and is_foreign(self._file):
            raise JournalError(f"journal {str(self._path)!r}: is not a journal of ours; move it away")
        return end

    def _cut_torn_tail(self, end: int) -> None:
        try:
            os.ftruncate(self._file.fileno(), end)
        except OSError:
            return  # reading passes over what is torn


def _write(file: FileIO, data: bytes) -> None:
    """Write all of ``data``. Unbuffered: what a full disk refuses must not be written later by a flush."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]


def _open_alone(path: Path) -> FileIO:
    """Open the journal for one writer; raise :class:`JournalError` where that cannot be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise JournalError(
            f"run directory {str(path.parent)!r}: cannot be written ({error.strerror})"
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise JournalError(
            f"run directory {str(path.parent)!r}: another run is writing to it; wait for it or use another --runs-dir"
        ) from error
    except OSError:
        pass  # a file system without locks (Lustre by default): nothing can be said about other runs
    return file
