"""Find the one data file that a path stands for: the file itself, one in a directory, or one in an archive."""

import gzip
import hashlib
import io
import os
import tarfile
import zlib
from pathlib import Path
from typing import BinaryIO

from tasks.cache import cache_directory
from tasks.rows import DataError

MAX_UNPACKED_BYTES = 1024**3
_BLOCK_BYTES = 2**20
_TARS = (".tar.gz", ".tgz", ".tar")


def find_data_file(path: Path, name: str) -> Path:
    """Return ``path``, or the file called ``name`` in the directory or archive that it is.

    Archives made on a Mac hold a shadow ``._name`` beside each file, which is none of the data. What an
    archive holds is unpacked into the cache, under the archive's own digest. Raises :class:`DataError`.
    """
    if path.is_dir():
        if not (path / name).is_file():
            raise DataError(f"dataset path {str(path)!r}: holds no {name}; name the file itself")
        return path / name
    if not path.name.lower().endswith((*_TARS, ".gz")):
        return path
    try:
        return _unpacked(path, name)
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise DataError(
            f"dataset path {str(path)!r}: cannot be unpacked ({error}); download it again"
        ) from error


def _unpacked(path: Path, name: str) -> Path:
    with path.open("rb") as archive:
        digest = hashlib.file_digest(archive, "sha256").hexdigest()
    kept = cache_directory() / "unpacked" / digest[:16] / name
    if kept.is_file():
        return kept
    kept.parent.mkdir(parents=True, exist_ok=True)
    partial = kept.with_suffix(f".{os.getpid()}")
    try:
        with path.open("rb") as file, partial.open("wb") as target:
            _unpack(path, file, name, target)
        partial.replace(kept)  # two runs may unpack at once: each sees a whole file or none
    finally:
        partial.unlink(missing_ok=True)
    return kept


class _Bounded(io.RawIOBase):
    """Reads no more than a data file may hold once unpacked: a small archive can unfold to fill a disk."""

    def __init__(self, source: BinaryIO | gzip.GzipFile, path: Path) -> None:
        self._source = source
        self._path = path
        self._left = MAX_UNPACKED_BYTES

    def read(self, size: int = -1) -> bytes:
        block = self._source.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(block)
        if self._left < 0:
            raise DataError(
                f"dataset path {str(self._path)!r}: unpacks to more than {MAX_UNPACKED_BYTES:,} bytes; this is not the data"
            )
        return block


def _unpack(path: Path, file: BinaryIO, name: str, target: BinaryIO) -> None:
    is_plain = path.name.lower().endswith(".tar")
    plain = _Bounded(file if is_plain else gzip.GzipFile(fileobj=file), path)
    if path.name.lower().endswith(_TARS):
        _copy(_member(path, plain, name), target)
    else:
        _copy(plain, target)


def _member(path: Path, plain: _Bounded, name: str) -> BinaryIO:
    archive = tarfile.open(fileobj=plain, mode="r|")  # noqa: SIM115  # closed with the file it reads
    seen: list[str] = []
    for member in archive:
        base = member.name.rpartition("/")[2]
        if member.isfile() and base == name and (found := archive.extractfile(member)) is not None:
            return found  # type: ignore[return-value]
        if not base.startswith("._"):
            seen.append(member.name)
    raise DataError(
        f"dataset path {str(path)!r}: holds no {name}, only {', '.join(seen[:5]) or 'nothing'}; name another archive"
    )


def _copy(source: BinaryIO | _Bounded, target: BinaryIO) -> None:
    while block := source.read(_BLOCK_BYTES):
        target.write(block)
