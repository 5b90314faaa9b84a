"""The local side of a run in object storage: what is put, what is taken over, what two machines do to each other."""

import pytest

from evals.storage.journal import Journal
from evals.storage.object_store import ObjectStore
from evals.storage.spool import Spool
from tests.evals.storage.test_journal import exchange

RUN = "x/aime25/key"


@pytest.fixture
def store(tmp_path):
    return ObjectStore(f"memory://bucket-{tmp_path.name}/runs")


@pytest.fixture
def machine(store, tmp_path):
    """Return a function that makes the spool of one machine, by its name."""

    def spool(name):
        root = tmp_path / name
        return Spool(store, root, root / RUN)

    return spool


def add(spool, *keys):
    with Journal(spool.directory / "journal.zst") as journal:
        for key in keys:
            journal.append(key, exchange(key), {})


def keys_of(spool):
    with Journal(spool.directory / "journal.zst") as journal:
        return {key for key in "abcdefg" if key in journal and journal.find(key) == exchange(key)}


def test_another_machine_takes_over(machine):
    one, other = machine("one"), machine("other")
    one.fetch()
    add(one, "a", "b")
    (one.directory / "manifest.json").write_text('{"n": 1}')
    (one.directory / "summary.json").write_text("{}")
    (one.directory / "1.eval").write_text("log")
    one.push(with_logs=True)
    other.fetch()
    assert keys_of(other) == {"a", "b"}
    assert {path.name for path in other.directory.iterdir()} == {
        *("journal.zst", "manifest.json", "summary.json", "1.eval", ".store.json")
    }
    assert (other.directory / "1.eval").read_text() == "log"


def test_at_intervals_only_what_is_new_is_put(machine, store):
    spool = machine("one")
    spool.fetch()
    add(spool, "a")
    (spool.directory / "1.eval").write_text("torn")
    spool.push(with_logs=False)
    first = {name: info.size for name, info in store.find().items() if name.endswith(".zst")}
    spool.push(with_logs=False)
    add(spool, "b")
    spool.push(with_logs=False)
    parts = {name: info.size for name, info in store.find().items() if name.endswith(".zst")}
    assert len(first) == 1 and len(parts) == 2 and first.items() <= parts.items()
    assert sum(parts.values()) == (spool.directory / "journal.zst").stat().st_size
    assert not any(name.endswith(".eval") for name in store.find())


def test_a_spool_goes_on_where_it_was_killed(machine, store):
    spool = machine("one")
    spool.fetch()
    add(spool, "a")
    spool.push(with_logs=False)
    again = machine("one")
    again.fetch()
    add(again, "b")
    again.push(with_logs=False)
    assert len({name.split("/")[4] for name in store.find() if name.endswith(".zst")}) == 1, "one writer"
    other = machine("other")
    other.fetch()
    assert keys_of(other) == {"a", "b"}


def test_a_record_that_was_torn_when_it_was_put_is_not_lost(machine):
    spool = machine("one")
    spool.fetch()
    add(spool, "a")
    path = spool.directory / "journal.zst"
    whole = path.read_bytes()
    path.write_bytes(whole + whole[: len(whole) // 2])  # killed within a record
    spool.push(with_logs=False)
    again = machine("one")
    again.fetch()
    add(again, "b")  # opening the journal cuts the torn record off
    again.push(with_logs=False)
    other = machine("other")
    other.fetch()
    assert keys_of(other) == {"a", "b"}


def test_two_machines_at_once_lose_nothing(machine):
    one, other = machine("one"), machine("other")
    one.fetch()
    other.fetch()
    add(one, "a", "b")
    add(other, "b", "c")
    one.push(with_logs=False)
    other.push(with_logs=False)
    third = machine("third")
    third.fetch()
    assert keys_of(third) == {"a", "b", "c"}
    again = machine("one")
    again.fetch()
    assert keys_of(again) == {"a", "b", "c"}


def test_what_was_taken_over_is_not_fetched_again(machine, store, monkeypatch):
    one, other = machine("one"), machine("other")
    one.fetch()
    add(one, "a")
    (one.directory / "1.eval").write_text("log")
    one.push(with_logs=True)
    other.fetch()
    monkeypatch.setattr(ObjectStore, "read", None)
    monkeypatch.setattr(ObjectStore, "get", None)
    machine("other").fetch()


def test_journals_of_shards_are_put_and_go_with_them(machine, store):
    spool = machine("one")
    spool.fetch()
    shard = spool.directory / ".shards" / "1-of-2"
    shard.mkdir(parents=True)
    with Journal(shard / "journal.zst") as journal:
        journal.append("c", exchange("c"), {})
    spool.push(with_logs=False)
    other = machine("other")
    other.fetch()
    assert keys_of(other) == {"c"}
    with Journal(spool.directory / "journal.zst") as journal:
        journal.absorb(shard / "journal.zst")
    (shard / "journal.zst").unlink()
    spool.push(with_logs=True)
    assert not any("1-of-2" in name for name in store.find())


def test_a_superseded_log_goes_there_as_well(machine, store):
    spool = machine("one")
    spool.fetch()
    (spool.directory / "1.eval").write_text("part")
    spool.push(with_logs=True)
    (spool.directory / "1.eval").unlink()
    (spool.directory / "2.eval").write_text("whole")
    spool.push(with_logs=True)
    assert [name for name in store.find() if name.endswith(".eval")] == [f"{RUN}/2.eval"]


def test_the_newer_manifest_counts(machine):
    one, other = machine("one"), machine("other")
    one.fetch()
    (one.directory / "manifest.json").write_text('{"n": 1}')
    one.push(with_logs=True)
    other.fetch()
    (other.directory / "manifest.json").write_text('{"n": 22}')
    other.push(with_logs=True)
    again = machine("one")
    again.fetch()
    assert (again.directory / "manifest.json").read_text() == '{"n": 22}'


def test_a_lost_spool_starts_anew(machine):
    one = machine("one")
    one.fetch()
    add(one, "a")
    one.push(with_logs=True)
    for path in sorted(one.directory.iterdir()):
        path.unlink()
    again = machine("one")
    again.fetch()
    assert keys_of(again) == {"a"}
