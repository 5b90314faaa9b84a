"""One data file out of a file, a directory or an archive: nothing unfolds beyond what data may hold."""

import gzip
import io
import tarfile
from pathlib import Path

import pytest

import tasks.archive
from tasks.archive import find_data_file
from tasks.rows import DataError

NAME = "samples.jsonl"


def archive(path: Path, members: dict[str, bytes], *, link: str | None = None) -> Path:
    mode = "w" if path.suffix == ".tar" else "w:gz"
    with tarfile.open(path, mode) as tar:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        if link is not None:
            info = tarfile.TarInfo(NAME)
            info.type, info.linkname = tarfile.SYMTYPE, link
            tar.addfile(info)
    return path


@pytest.mark.parametrize(
    "name", ["tool-calls.tar.gz", "tool-calls.tgz", "TOOL-CALLS.TAR.GZ", "tool-calls.tar"]
)
@pytest.mark.parametrize(
    "members",
    [
        pytest.param({NAME: b"data"}, id="alone"),
        pytest.param({f"._{NAME}": b"mac", NAME: b"data"}, id="behind its shadow"),
        pytest.param(
            {"tool-calls/._x": b"mac", f"tool-calls/{NAME}": b"data", "r.jsonl": b"r"}, id="in a folder"
        ),
        pytest.param({f"../../{NAME}": b"data"}, id="with a name that leads out"),
    ],
)
def test_the_named_member_is_read_and_no_other(tmp_path, name, members):
    found = find_data_file(archive(tmp_path / name, members), NAME)
    assert found.read_bytes() == b"data"
    assert found.name == NAME and tmp_path not in found.parents


def test_an_archive_is_unpacked_once(tmp_path, monkeypatch):
    path = archive(tmp_path / "a.tar.gz", {NAME: b"data"})
    first = find_data_file(path, NAME)
    monkeypatch.setattr(tasks.archive, "_unpack", lambda *_: pytest.fail("unpacked again"))
    assert find_data_file(path, NAME) == first


def test_a_gzipped_file_and_a_plain_one(tmp_path):
    (tmp_path / "s.jsonl.gz").write_bytes(gzip.compress(b"data"))
    assert find_data_file(tmp_path / "s.jsonl.gz", NAME).read_bytes() == b"data"
    assert find_data_file(tmp_path / "any.jsonl", NAME) == tmp_path / "any.jsonl"


def test_a_directory_holds_the_file_beside_others(tmp_path):
    for name in (NAME, f"._{NAME}", "kimi-k2-thinking_results.jsonl"):
        (tmp_path / name).write_text(name)
    assert find_data_file(tmp_path, NAME) == tmp_path / NAME


def bomb(path: Path) -> Path:
    path.write_bytes(gzip.compress(b"\0" * 5_000_000))
    return path


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda p: p, "holds no samples.jsonl", id="a directory without it"),
        pytest.param(
            lambda p: archive(p / "a.tar.gz", {"._samples.jsonl": b"", "b.txt": b""}),
            "only b.txt",
            id="an archive with the shadow alone",
        ),
        pytest.param(
            lambda p: archive(p / "a.tar.gz", {}, link="/etc/passwd"), "holds no", id="a link is no file"
        ),
        pytest.param(lambda p: bomb(p / "a.gz"), "unpacks to more than 1,000,000", id="a file that unfolds"),
        pytest.param(
            lambda p: archive(p / "a.tar.gz", {"big": b"\0" * 2_000_000, NAME: b"data"}),
            "unpacks to more than",
            id="a member that unfolds before it",
        ),
    ],
)
def test_what_is_refused(tmp_path, monkeypatch, make, words):
    monkeypatch.setattr(tasks.archive, "MAX_UNPACKED_BYTES", 1_000_000)
    with pytest.raises(DataError, match=words):
        find_data_file(make(tmp_path), NAME)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar", "a.gz"])
@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8b", b"no archive at all" * 50, gzip.compress(b"x" * 9000)[:40]],
    ids=["two bytes", "no archive", "cut"],  # not the bytes: they hold the time of their making
)
def test_a_damaged_archive_is_named_and_leaves_nothing(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=r"cannot be unpacked|holds no"):
        find_data_file(tmp_path / name, NAME)
    kept = tasks.archive.cache_directory() / "unpacked"
    assert not [path for path in kept.rglob("*") if path.is_file()]
