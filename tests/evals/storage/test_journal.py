"""The journal keeps every finished answer, whatever tears, fills, deletes or copies its file."""

import errno
import fcntl
import os
import resource
import shutil
from contextlib import contextmanager

import pytest
import zstandard

from evals.storage.journal import Journal, JournalError
from evals.transport.exchange import Attempt, Exchange, Reply
from evals.transport.failure import Failure, FailureKind
from verifiers.response import Response, ToolCall, Usage


def exchange(text: str) -> Exchange:
    response = Response(
        content=text,
        reasoning="because " + text,
        finish_reason="stop",
        tool_calls=(ToolCall(id="a", name="f", arguments='{"x": 1'),),
        usage=Usage(prompt_tokens=1, completion_tokens=2),
        flags=("odd",),
    )
    return Exchange(
        reply=Reply(response=response, ttft_s=0.1, duration_s=2.0, n_chunks=3),
        attempts=(Attempt(failure="HTTP 500: x", status=500, duration_s=0.1, waited_s=0.5),),
        replica="http://a/v1",
        finished_at=1.0,
    )


KEYS = ["k0", "k1", "k2"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run" / "journal.zst"


@pytest.fixture
def filled(path):
    with Journal(path) as journal:
        for key in KEYS:
            journal.append(key, exchange(key), {"sample_id": key, "epoch": 1})
    return path


def contents(path):
    with Journal(path) as journal:
        return {key: found for key in [*KEYS, "new"] if (found := journal.find(key)) is not None}


def test_what_was_recorded_is_found_again(filled):
    assert contents(filled) == {key: exchange(key) for key in KEYS}


def test_it_is_found_in_the_same_session_too(path):
    with Journal(path) as journal:
        assert journal.find("k0") is None and len(journal) == 0
        journal.append("k0", exchange("k0"), {})
        journal.append("k1", exchange("k1"), {})
        assert (journal.find("k0"), journal.find("k1")) == (exchange("k0"), exchange("k1"))
        assert "k0" in journal and "k9" not in journal and len(journal) == 2


def test_other_tools_can_read_it(filled):
    whole = zstandard.ZstdDecompressor().stream_reader(filled.read_bytes(), read_across_frames=True).read()
    assert whole.count(b"\n") == 2 * len(KEYS)
    assert whole.startswith(b'{"key":"k0"')
    assert b'"sample_id":"k2"' in whole


def test_a_tail_torn_at_any_byte_costs_the_torn_record_alone(path):
    ends = []
    with Journal(path) as journal:
        for key in KEYS[:2]:
            journal.append(key, exchange(key), {"sample_id": key, "epoch": 1})
            ends.append(path.stat().st_size)
    data = path.read_bytes()
    for size in range(len(data) + 1):
        torn = path.with_name("torn.zst")
        torn.write_bytes(data[:size])
        n_whole = sum(end <= size for end in ends)
        with Journal(torn) as journal:
            assert len(journal) == n_whole, size
            journal.append("new", exchange("new"), {})
        assert contents(torn) == {key: exchange(key) for key in [*KEYS[:n_whole], "new"]}, size


def test_a_byte_damaged_anywhere_never_makes_another_answer(filled):
    data, damaged = filled.read_bytes(), filled.with_name("damaged.zst")
    for place in range(0, len(data), 2):
        damaged.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        found = contents(damaged)
        assert len(found) >= len(KEYS) - 1, f"more than one record lost to byte {place}"
        assert all(found[key] == exchange(key) for key in found), place


@pytest.mark.parametrize("noise", [b"\0" * 5000, b"\x28\xb5\x2f\xfd" * 9, b"garbage " * 900, b"\x28\xb5"])
def test_records_after_damage_are_not_cut_off(filled, noise):
    data = filled.read_bytes()
    filled.write_bytes(data + noise)
    with filled.open("ab") as file:
        file.write(data)
    before = filled.stat().st_size
    assert contents(filled) == {key: exchange(key) for key in KEYS}
    assert filled.stat().st_size == before


def test_a_body_of_zeros_is_asked_again(filled):
    """A machine that lost power may leave the size of a file and none of its bytes."""
    data = filled.read_bytes()
    filled.write_bytes(data[:-60] + b"\0" * 60)
    with Journal(filled) as journal:
        assert journal.find("k2") is None
        assert "k2" not in journal
        journal.append("k2", exchange("k2"), {})
        assert journal.find("k2") == exchange("k2")
    assert contents(filled) == {key: exchange(key) for key in KEYS}


def test_the_last_record_of_a_key_counts(path):
    with Journal(path) as journal:
        journal.append("k0", exchange("first"), {})
        journal.append("k0", exchange("second"), {})
    assert contents(path)["k0"] == exchange("second")


def test_two_runs_at_once_are_refused(filled):
    with Journal(filled), pytest.raises(JournalError, match="another run is writing"):
        Journal(filled)
    assert len(contents(filled)) == len(KEYS), "and possible again afterwards"


def test_a_file_system_without_locks_is_used_all_the_same(filled, monkeypatch):
    def flock(*_):
        raise OSError(errno.ENOSYS, "Function not implemented")

    monkeypatch.setattr(fcntl, "flock", flock)
    assert len(contents(filled)) == len(KEYS)


@pytest.mark.parametrize("content", [b"PK\x03\x04 something", b"{}\n", b"x"])
def test_a_file_that_is_not_ours_is_left_alone(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(JournalError, match="not a journal of ours"):
        Journal(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("kind", ["file for a directory", "directory for a file"])
def test_a_place_that_cannot_be_written_is_one_line(path, kind):
    if kind == "file for a directory":
        path.parent.write_text("")
    else:
        path.mkdir(parents=True)
    with pytest.raises(JournalError, match=r"run directory .*: cannot be written \(.+\)"):
        Journal(path)


@contextmanager
def disk_of(n_bytes: int):
    """No file may grow beyond ``n_bytes``, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_loses_nothing_and_the_next_record_is_whole(filled):
    size = filled.stat().st_size
    with Journal(filled) as journal:
        for room in (0, 1, 30, 90):
            with disk_of(size + room), pytest.raises(Failure, match="cannot be written") as caught:
                journal.append("new", exchange("new " + "x" * room), {})
            assert (caught.value.kind, caught.value.is_retryable) == (FailureKind.CLIENT, False)
            assert "free space" in caught.value.message
            assert filled.stat().st_size == size, "nothing half-written stays"
            assert "new" not in journal
            assert journal.find("k0") == exchange("k0")
        journal.append("new", exchange("new"), {})
        assert journal.find("new") == exchange("new")
    assert contents(filled) == {key: exchange(key) for key in [*KEYS, "new"]}


def test_a_disk_that_cannot_even_be_cut_back_is_read_all_the_same(filled, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EIO, "Input/output error")

    size = filled.stat().st_size
    with Journal(filled) as journal:
        with monkeypatch.context() as patch, disk_of(size + 40), pytest.raises(Failure):
            patch.setattr(os, "ftruncate", refuse)
            journal.append("torn", exchange("torn"), {})
        assert filled.stat().st_size == size + 40
        journal.append("new", exchange("new"), {})
        assert journal.find("new") == exchange("new")
    assert contents(filled) == {key: exchange(key) for key in [*KEYS, "new"]}


@pytest.mark.parametrize("lost", ["file", "directory", "moved"])
def test_a_journal_deleted_under_the_run_is_written_again(filled, lost):
    with Journal(filled) as journal:
        if lost == "file":
            filled.unlink()
        elif lost == "directory":
            shutil.rmtree(filled.parent)
        else:
            filled.parent.rename(filled.parent.with_name("elsewhere"))
        journal.append("new", exchange("new"), {})
        assert journal.find("k1") == exchange("k1")
        assert journal.find("new") == exchange("new")
        with pytest.raises(JournalError, match="another run"):
            Journal(filled)
    assert contents(filled) == {key: exchange(key) for key in [*KEYS, "new"]}


def test_one_deleted_after_the_last_answer_is_written_again_when_asked(filled):
    with Journal(filled) as journal:
        shutil.rmtree(filled.parent)
        journal.return_if_lost()
        journal.return_if_lost()
    assert len(contents(filled)) == len(KEYS)


def test_one_replaced_by_a_copy_is_added_to_the_copy(filled):
    copy = filled.read_bytes()
    with Journal(filled) as journal:
        journal.append("new", exchange("new"), {})
        filled.unlink()
        filled.write_bytes(copy)
        journal.return_if_lost()
        assert journal.find("new") == exchange("new")
    assert contents(filled) == {key: exchange(key) for key in [*KEYS, "new"]}


def test_one_that_cannot_be_written_again_stays_open(filled):
    with Journal(filled) as journal:
        shutil.rmtree(filled.parent)
        filled.parent.write_text("in the way")
        with pytest.raises(Failure, match="cannot be written"):
            journal.append("new", exchange("new"), {})
        assert journal.find("k0") == exchange("k0")
        filled.parent.unlink()
        journal.append("new", exchange("new"), {})
    assert contents(filled) == {key: exchange(key) for key in [*KEYS, "new"]}
