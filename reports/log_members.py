"""Open an Inspect ``.eval`` log as its zip members, also one whose end was never written."""

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import zstandard

# A member larger than this once unpacked is no summary of ours; it would only fill the memory.
MAX_MEMBER_BYTES = 2 * 1024**3

_LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
_SIGNATURE = b"PK\x03\x04"
_ZIP64_EXTRA = 0x0001
_DATA_DESCRIPTOR = 0x08
_ZSTANDARD = 93  # the standard library knows it from Python 3.14 on only


class LogError(Exception):
    """A log that cannot be read: not ours, empty, torn beyond use."""


@dataclass(frozen=True, kw_only=True)
class Member:
    """Where one member lies in the file and how it is packed."""

    offset: int
    method: int
    packed_size: int
    plain_size: int
    crc: int


@dataclass(frozen=True, kw_only=True)
class LogMembers:
    """The members of one log by name. ``torn`` marks a log whose directory was never written."""

    path: Path
    members: Mapping[str, Member]
    torn: bool

    def read(self, names: Sequence[str]) -> list[bytes]:
        """Return the unpacked bytes of each named member; a damaged one raises :class:`LogError`."""
        with self.path.open("rb") as file:
            return [self._read_one(file, name) for name in names]

    def _read_one(self, file: io.BufferedReader, name: str) -> bytes:
        member = self.members[name]
        if member.plain_size > MAX_MEMBER_BYTES:
            raise LogError(
                f"{self.path}: {name} unpacks to {member.plain_size:,} bytes;"
                f" at most {MAX_MEMBER_BYTES:,} are read"
            )
        try:
            return _unpack(file, member)
        except (ValueError, zlib.error, zstandard.ZstdError) as error:
            raise LogError(
                f"{self.path}: {name} is damaged ({error}); copy the log again or rerun the task"
            ) from None


def open_members(path: Path) -> LogMembers:
    """Return the members of the log at ``path``; a zip without its directory is walked member by member."""
    try:
        if path.stat().st_size == 0:
            raise LogError(f"{path}: the log is empty (0 bytes); run the task again, it resumes")
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: _located(info) for info in archive.infolist()}
        return LogMembers(path=path, members=members, torn=False)
    except zipfile.BadZipFile:
        return _salvage(path)
    except OSError as error:
        raise LogError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None


def _located(info: zipfile.ZipInfo) -> Member:
    return Member(
        offset=info.header_offset,
        method=info.compress_type,
        packed_size=info.compress_size,
        plain_size=info.file_size,
        crc=info.CRC,
    )


def _unpack(file: io.BufferedReader, member: Member) -> bytes:
    """Return the member's bytes; never more than it declares, so that a bomb cannot unfold."""
    file.seek(member.offset)
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_SIGNATURE):
        raise ValueError("no entry where the directory says")
    name_length, extra_length = _LOCAL_HEADER.unpack(header)[9:]
    file.seek(name_length + extra_length, io.SEEK_CUR)
    packed = file.read(member.packed_size)
    content = _decompress(packed, member)
    if len(content) != member.plain_size or zlib.crc32(content) != member.crc:
        raise ValueError("checksum or size differ from the directory's")
    return content


def _decompress(packed: bytes, member: Member) -> bytes:
    if member.method == zipfile.ZIP_STORED:
        return packed
    if member.method == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-15).decompress(packed, member.plain_size + 1)
    if member.method == _ZSTANDARD:
        reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        return reader.read(member.plain_size + 1)
    raise ValueError(f"compression method {member.method}; stored, deflate and zstandard are read")


def _salvage(path: Path) -> LogMembers:
    """Walk the local headers of a torn zip and keep every member that is whole."""
    with path.open("rb") as file:
        if file.read(4) != _SIGNATURE:
            raise LogError(
                f"{path}: is no Inspect log (not a zip archive); give a .eval log, a run or a score file"
            )
        members: dict[str, Member] = {}
        size = path.stat().st_size
        offset = 0
        while (found := _local_member(file, offset)) is not None:
            name, member, end = found
            if end > size:
                break
            members[name] = member
            offset = end
    if not members:
        raise LogError(f"{path}: the log is torn and holds no whole entry; run the task again, it resumes")
    return LogMembers(path=path, members=members, torn=True)


def _local_member(file: io.BufferedReader, offset: int) -> tuple[str, Member, int] | None:
    """Return name, member and end offset of the local entry at ``offset``; ``None`` where there is none."""
    file.seek(offset)
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size or not header.startswith(_SIGNATURE):
        return None
    _, _, flags, method, _, _, crc, packed, plain, name_length, extra_length = _LOCAL_HEADER.unpack(header)
    if flags & _DATA_DESCRIPTOR:  # sizes follow the data: nothing to step by
        return None
    name = file.read(name_length).decode("utf-8", errors="replace")
    plain, packed = _wide_sizes(file.read(extra_length), plain, packed)
    member = Member(offset=offset, method=method, packed_size=packed, plain_size=plain, crc=crc)
    return name, member, offset + _LOCAL_HEADER.size + name_length + extra_length + packed


def _wide_sizes(extra: bytes, plain: int, packed: int) -> list[int]:
    """Return the plain and packed size, from the zip64 field where the header defers to it."""
    sizes = [plain, packed]
    offset = 0
    while offset + 4 <= len(extra):
        tag, length = struct.unpack_from("<HH", extra, offset)
        if tag == _ZIP64_EXTRA and offset + 4 + length <= len(extra):
            wide = iter(struct.unpack_from(f"<{length // 8}Q", extra, offset + 4))
            return [next(wide, size) if size == 0xFFFFFFFF else size for size in sizes]
        offset += 4 + length
    return sizes
