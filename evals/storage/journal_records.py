"""The bytes of the journal: a record is a header frame and a body frame, found again whatever lies between."""

import mmap
import os
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO

import orjson
import zstandard

FRAME_MARK = b"\x28\xb5\x2f\xfd"  # the first bytes of every zstd frame (RFC 8878 3.1.1)
HEADER_READ_BYTES = 4096  # more than any header


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where in the file the body of a record lies, in bytes."""

    body_start: int
    n_body_bytes: int


def encode_record(key: str, body: bytes, compressor: zstandard.ZstdCompressor) -> tuple[bytes, int]:
    """Return the bytes of a record, and how many of them are its header."""
    packed = compressor.compress(body + b"\n")
    header = _encode_header(key, len(packed), compressor)
    return header + packed, len(header)


def copy_record(
    file: FileIO, key: str, place: Place, compressor: zstandard.ZstdCompressor
) -> tuple[bytes, int]:
    """Return the bytes of a record that stands in another file, and how many of them are its header."""
    header = _encode_header(key, place.n_body_bytes, compressor)
    return header + os.pread(file.fileno(), place.n_body_bytes, place.body_start), len(header)


def _encode_header(key: str, n_body_bytes: int, compressor: zstandard.ZstdCompressor) -> bytes:
    return compressor.compress(orjson.dumps({"key": key, "n_body_bytes": n_body_bytes}) + b"\n")


def read_places(file: FileIO, *, start: int = 0) -> Iterator[tuple[str, Place]]:
    """Yield the key and place of every whole record from ``start`` on; what is torn or damaged is passed over."""
    size = os.fstat(file.fileno()).st_size
    while start < size:
        found = _record_at(file, start, size)
        if found is None:
            start = _next_frame(file, start + 1)
            continue
        yield found
        start = found[1].body_start + found[1].n_body_bytes


def read_body(file: FileIO, place: Place) -> bytes | None:
    """Return the JSON of a record, ``None`` where the disk has damaged it."""
    packed = os.pread(file.fileno(), place.n_body_bytes, place.body_start)
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    try:
        body = decompressor.decompress(packed)
    except zstandard.ZstdError:
        return None
    return body if decompressor.eof else None


def is_foreign(file: FileIO) -> bool:
    """Return whether a file without a whole record never was a journal: not even the start of a frame."""
    start = os.pread(file.fileno(), len(FRAME_MARK), 0)
    return not FRAME_MARK.startswith(start)


def _record_at(file: FileIO, start: int, size: int) -> tuple[str, Place] | None:
    block = os.pread(file.fileno(), HEADER_READ_BYTES, start)
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    try:
        header = orjson.loads(decompressor.decompress(block))
    except (zstandard.ZstdError, orjson.JSONDecodeError):
        return None
    if not decompressor.eof or not isinstance(header, dict):
        return None
    key, n_body_bytes = header.get("key"), header.get("n_body_bytes")
    body_start = start + len(block) - len(decompressor.unused_data)
    if not isinstance(key, str) or not isinstance(n_body_bytes, int):
        return None
    if not 0 <= n_body_bytes <= size - body_start:
        return None
    return key, Place(body_start=body_start, n_body_bytes=n_body_bytes)


def _next_frame(file: FileIO, start: int) -> int:
    """Return where the next frame may start, the end of the file where none does."""
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        found = content.find(FRAME_MARK, start)
        return found if found >= 0 else len(content)
