"""List the members of a zip: by its directory, or by walking the entries of one whose end was never written.

The standard library makes a rich object of every entry, ten times the cost: a log of many samples has two
entries a response, of which a reader of scores wants three altogether.
"""

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
SIGNATURE = b"PK\x03\x04"
_ENTRY = struct.Struct("<4sHHHHHHIIIHHHHHII")
_ENTRY_SIGNATURE = b"PK\x01\x02"
_END = struct.Struct("<4sHHHHIIH")
_END_SIGNATURE = b"PK\x05\x06"
_MAX_COMMENT = 0xFFFF
_WIDE_LOCATOR = struct.Struct("<4sIQI")
_WIDE_LOCATOR_SIGNATURE = b"PK\x06\x07"
_WIDE_END = struct.Struct("<4sQHHIIQQQQ")
_WIDE_END_SIGNATURE = b"PK\x06\x06"
_WIDE_EXTRA = 0x0001
_IN_EXTRA = 0xFFFFFFFF  # a size or offset that does not fit and stands in the extra field
_DATA_DESCRIPTOR = 0x08


class NoDirectoryError(Exception):
    """The file has no zip directory that fits it: it is torn, or no zip at all."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """Where one member lies in the file and how it is packed."""

    offset: int
    method: int
    packed_size: int
    plain_size: int
    crc: int


class Entry(NamedTuple):
    """One member with its name."""

    name: str
    member: Member


def directory_entries(file: io.BufferedReader, size: int, keep: str = "", skip: str = "") -> Iterator[Entry]:
    """List the members whose names begin with ``keep`` and do not with ``skip`` (empty for none).

    Raises :class:`NoDirectoryError` before the first is given, or where the directory breaks off.
    """
    directory = _directory(file, size)
    kept, skipped = keep.encode(), skip.encode()
    position = 0
    while position < len(directory):
        if len(directory) - position < _ENTRY.size:
            raise NoDirectoryError("its directory breaks off")
        found = _ENTRY.unpack_from(directory, position)
        start = position + _ENTRY.size
        extra, position = start + found[10], start + found[10] + found[11] + found[12]
        name = directory[start:extra]
        if found[0] != _ENTRY_SIGNATURE:
            raise NoDirectoryError("its directory is damaged")
        if not name.startswith(kept) or (skipped and name.startswith(skipped)):
            continue
        plain, packed, offset = found[9], found[8], found[16]
        if _IN_EXTRA in (plain, packed, offset):
            plain, packed, offset = _wide(directory[extra : extra + found[11]], plain, packed, offset)
        member = Member(offset=offset, method=found[4], packed_size=packed, plain_size=plain, crc=found[7])
        yield Entry(name.decode("utf-8", "replace"), member)


def local_entries(file: io.BufferedReader, size: int) -> Iterator[Entry]:
    """Walk the local headers of a torn zip and list every member that is whole."""
    offset = 0
    while True:
        file.seek(offset)
        header = file.read(LOCAL_HEADER.size)
        if len(header) < LOCAL_HEADER.size or not header.startswith(SIGNATURE):
            return
        _, _, flags, method, _, _, crc, packed, plain, name_length, extra_length = LOCAL_HEADER.unpack(header)
        if flags & _DATA_DESCRIPTOR:  # sizes follow the data: nothing to step by
            return
        name = file.read(name_length).decode("utf-8", errors="replace")
        plain, packed = _wide(file.read(extra_length), plain, packed)
        member = Member(offset=offset, method=method, packed_size=packed, plain_size=plain, crc=crc)
        offset += LOCAL_HEADER.size + name_length + extra_length + packed
        if offset > size:
            return
        yield Entry(name, member)


def _directory(file: io.BufferedReader, size: int) -> bytes:
    """Return the bytes of the directory; every offset in it must lie before it."""
    tail_size = min(size, _END.size + _MAX_COMMENT)
    file.seek(size - tail_size)
    tail = file.read(tail_size)
    at = tail.rfind(_END_SIGNATURE)
    if at < 0 or len(tail) - at < _END.size:
        raise NoDirectoryError("it has no directory")
    length, start = _END.unpack_from(tail, at)[5:7]
    end = size - tail_size + at
    if _IN_EXTRA in (length, start):
        length, start = _wide_end(file, end)
    if start + length > end:
        raise NoDirectoryError("its directory does not fit the file")
    file.seek(start)
    return file.read(length)


def _wide_end(file: io.BufferedReader, end: int) -> tuple[int, int]:
    """Return length and start of a directory whose numbers need 64 bits."""
    locator = end - _WIDE_LOCATOR.size
    if locator < 0:
        raise NoDirectoryError("its directory is damaged")
    file.seek(locator)
    signature, _, where, _ = _WIDE_LOCATOR.unpack(file.read(_WIDE_LOCATOR.size))
    if signature != _WIDE_LOCATOR_SIGNATURE or where + _WIDE_END.size > locator:
        raise NoDirectoryError("its directory is damaged")
    file.seek(where)
    found = _WIDE_END.unpack(file.read(_WIDE_END.size))
    if found[0] != _WIDE_END_SIGNATURE:
        raise NoDirectoryError("its directory is damaged")
    return found[8], found[9]


def _wide(extra: bytes, *values: int) -> list[int]:
    """Return the values, those that defer to the zip64 field taken from it in their order."""
    offset = 0
    while offset + 4 <= len(extra):
        tag, length = struct.unpack_from("<HH", extra, offset)
        if tag == _WIDE_EXTRA and offset + 4 + length <= len(extra):
            wide = iter(struct.unpack_from(f"<{length // 8}Q", extra, offset + 4))
            return [next(wide, value) if value == _IN_EXTRA else value for value in values]
        offset += 4 + length
    return list(values)
