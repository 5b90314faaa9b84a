import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from reports.log_members import LogError, open_members
from reports.zip_directory import NoDirectoryError, directory_entries, local_entries

NAMES = ("header.json", "samples/a_epoch_1.json", "_journal/ä.json", "samples/b_epoch_1.json")


def archive(**options: object) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as log:
        for name in NAMES:
            log.writestr(name, f"content of {name}" * 20)
        log.comment = bytes(str(options.get("comment", "")), "ascii")
    return file.getvalue()


def entries(data: bytes, **options: str) -> dict[str, object]:
    return {
        e.name: e.member for e in directory_entries(io.BufferedReader(io.BytesIO(data)), len(data), **options)
    }


@pytest.mark.parametrize("comment", ["", "a comment of some length " * 40])
def test_names_sizes_and_places_are_the_standard_librarys(comment: str) -> None:
    data = archive(comment=comment)
    infos = {info.filename: info for info in zipfile.ZipFile(io.BytesIO(data)).infolist()}
    found = entries(data)
    assert list(found) == list(infos) == list(NAMES)
    for name, member in found.items():
        info = infos[name]
        want = (info.header_offset, info.compress_type, info.compress_size, info.file_size, info.CRC)
        assert tuple(getattr(member, field) for field in member.__slots__) == want  # type: ignore[attr-defined]


def test_names_are_kept_or_skipped_by_their_beginning() -> None:
    assert list(entries(archive(), skip="samples/")) == [NAMES[0], NAMES[2]]
    assert list(entries(archive(), keep="samples/")) == [NAMES[1], NAMES[3]]


def test_walking_finds_the_same_as_the_directory() -> None:
    data = archive()
    walked = dict(local_entries(io.BufferedReader(io.BytesIO(data)), len(data)))
    assert walked == entries(data)


def wide(data: bytes) -> bytes:
    """Write the end again as archives beyond 4 GiB or 65,535 entries have it."""
    at = data.rfind(b"PK\x05\x06")
    count, length, start = struct.unpack_from("<HII", data, at + 10)
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, length, start)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, at, 1)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return data[:at] + end64 + locator + end


def test_large_archives() -> None:
    assert entries(wide(archive())) == entries(archive())


def test_sizes_in_the_extra_field(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as log, log.open("big.json", "w", force_zip64=True) as member:
        member.write(b"[1]")
    assert open_members(path).read("big.json") == b"[1]"


def cut_end(data: bytes) -> bytes:
    return data[:-30]


def wrong_start(data: bytes) -> bytes:
    at = data.rfind(b"PK\x05\x06")
    return data[: at + 16] + struct.pack("<I", 5) + data[at + 20 :]


def too_long(data: bytes) -> bytes:
    at = data.rfind(b"PK\x05\x06")
    return data[: at + 12] + struct.pack("<I", 2**31) + data[at + 16 :]


def lost_wide_end(data: bytes) -> bytes:
    at = wide(data).rfind(b"PK\x06\x07")
    return wide(data)[: at + 8] + struct.pack("<Q", 3) + wide(data)[at + 16 :]


@pytest.mark.parametrize("damage", [cut_end, wrong_start, too_long, lost_wide_end])
def test_a_directory_that_does_not_fit_is_none(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    data = damage(archive())
    with pytest.raises(NoDirectoryError):
        entries(data)
    path = tmp_path / "a.eval"
    path.write_bytes(data)
    members = open_members(path)
    assert members.torn and NAMES[0] in members.members and set(members.samples()) == {NAMES[1], NAMES[3]}


def test_no_member_unpacks_to_more_than_it_declares(tmp_path: Path) -> None:
    data = bytearray(archive())
    at = data.rfind(b"PK\x01\x02", 0, data.index(b"samples/a", data.index(b"PK\x01\x02")))
    struct.pack_into("<I", data, at + 24, 10)
    path = tmp_path / "a.eval"
    path.write_bytes(data)
    members = open_members(path)
    with pytest.raises(LogError, match="damaged"):
        members.read(NAMES[1], members.samples()[NAMES[1]])
