"""Open an Inspect ``.eval`` log as its zip members, also one whose end was never written."""

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import zstandard

from reports.zip_directory import (
    LOCAL_HEADER,
    SIGNATURE,
    Entry,
    Member,
    NoDirectoryError,
    directory_entries,
    local_entries,
)

# A member larger than this once unpacked is no summary of ours; it would only fill the memory.
MAX_MEMBER_BYTES = 2 * 1024**3
PIECE = 4 * 1024**2  # bytes unpacked at once
SAMPLES = "samples/"

_ZSTANDARD = 93  # the standard library knows it from Python 3.14 on only


class LogError(Exception):
    """A log that cannot be read: not ours, empty, torn beyond use."""


@dataclass(frozen=True, kw_only=True)
class LogMembers:
    """The members of one log by name, but for its samples. ``torn`` marks one whose directory is missing."""

    path: Path
    members: Mapping[str, Member]
    torn: bool

    def samples(self) -> dict[str, Member]:
        """Return the members that hold one whole sample each, which most readers have no need of."""
        with self.path.open("rb") as file:
            size = self.path.stat().st_size
            entries = local_entries(file, size) if self.torn else directory_entries(file, size, keep=SAMPLES)
            return dict(entry for entry in entries if entry.name.startswith(SAMPLES))

    def read(self, name: str, member: Member | None = None) -> bytes:
        """Return the unpacked bytes of a member; a damaged one raises :class:`LogError`."""
        return b"".join(self.pieces(name, member))

    def pieces(self, name: str, member: Member | None = None) -> Iterator[bytes]:
        """Unpack a member piece by piece; that it is damaged may show, as a :class:`LogError`, at its end."""
        member = member or self.members[name]
        if member.plain_size > MAX_MEMBER_BYTES:
            raise LogError(
                f"{self.path}: {name} unpacks to {member.plain_size:,} bytes;"
                f" at most {MAX_MEMBER_BYTES:,} are read"
            )
        try:
            with self.path.open("rb") as file:
                yield from _unpacked(file, member)
        except (ValueError, zlib.error, zstandard.ZstdError) as error:
            raise LogError(
                f"{self.path}: {name} is damaged ({error}); copy the log again or rerun the task"
            ) from None


def open_members(path: Path) -> LogMembers:
    """Return the members of the log at ``path``; a zip without its directory is walked member by member."""
    try:
        size = path.stat().st_size
        if size == 0:
            raise LogError(f"{path}: the log is empty (0 bytes); run the task again, it resumes")
        with path.open("rb") as file:
            return _members(path, file, size)
    except OSError as error:
        raise LogError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None


def _members(path: Path, file: io.BufferedReader, size: int) -> LogMembers:
    try:
        found = dict(directory_entries(file, size, skip=SAMPLES))
        return LogMembers(path=path, members=found, torn=False)
    except NoDirectoryError:
        pass
    file.seek(0)
    if file.read(4) != SIGNATURE:
        raise LogError(
            f"{path}: is no Inspect log (not a zip archive); give a .eval log, a run or a score file"
        )
    whole: list[Entry] = list(local_entries(file, size))
    if not whole:
        raise LogError(f"{path}: the log is torn and holds no whole entry; run the task again, it resumes")
    kept = {name: member for name, member in whole if not name.startswith(SAMPLES)}
    return LogMembers(path=path, members=kept, torn=True)


def _unpacked(file: io.BufferedReader, member: Member) -> Iterator[bytes]:
    """Unpack the member; never more than it declares, so that a bomb cannot unfold."""
    file.seek(member.offset)
    header = file.read(LOCAL_HEADER.size)
    if len(header) < LOCAL_HEADER.size or not header.startswith(SIGNATURE):
        raise ValueError("no entry where the directory says")
    name_length, extra_length = LOCAL_HEADER.unpack(header)[9:]
    file.seek(name_length + extra_length, io.SEEK_CUR)
    size, crc = 0, 0
    for piece in _plain(file.read(member.packed_size), member):
        size, crc = size + len(piece), zlib.crc32(piece, crc)
        if size > member.plain_size:
            break
        yield piece
    if size != member.plain_size or crc != member.crc:
        raise ValueError("checksum or size differ from the directory's")


def _plain(packed: bytes, member: Member) -> Iterator[bytes]:
    if member.method == zipfile.ZIP_STORED:
        yield packed
    elif member.method == zipfile.ZIP_DEFLATED:
        unpacker = zlib.decompressobj(-15)
        while packed and not unpacker.eof:
            yield unpacker.decompress(packed, PIECE)
            packed = unpacker.unconsumed_tail
    elif member.method == _ZSTANDARD:
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        while piece := reader.read(PIECE):
            yield piece
    else:
        raise ValueError(f"compression method {member.method}; stored, deflate and zstandard are read")
