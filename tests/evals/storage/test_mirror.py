"""Runs read from object storage: what is fetched, once, and what is gone there is not read here."""

import pytest

from evals.storage.mirror import run_path
from evals.storage.object_store import ObjectStore, StoreError


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "cache"))
    return ObjectStore(f"memory://bucket-{tmp_path.name}/runs")


def files_of(path):
    return {file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file()}


def test_a_local_path_stays_one(tmp_path):
    assert run_path(str(tmp_path / "a")) == tmp_path / "a"


def test_logs_manifests_and_score_files_are_fetched(store):
    for name in ("x/a/k/1.eval", "x/a/k/manifest.json", "x/a/k/journal/0f/run/000000000000000.zst", "s.csv"):
        store.write(name, name.encode())
    mirror = run_path(f"{store.url}/x")
    assert files_of(mirror) == {"a/k/1.eval", "a/k/manifest.json", ".mirror.json"}
    assert (mirror / "a/k/1.eval").read_bytes() == b"x/a/k/1.eval"
    assert mirror.name == "x"
    assert run_path(f"{store.url}/s.csv").read_bytes() == b"s.csv"


def test_only_what_has_changed_is_fetched_again(store, monkeypatch):
    store.write("x/1.eval", b"1")
    store.write("x/2.eval", b"2")
    run_path(f"{store.url}/x")
    fetched = []
    get = ObjectStore.get
    monkeypatch.setattr(
        ObjectStore, "get", lambda self, name, path: (fetched.append(name), get(self, name, path))
    )
    store.write("x/2.eval", b"22")
    store.delete("x/1.eval")
    mirror = run_path(f"{store.url}/x")
    assert fetched == ["2.eval"]
    assert files_of(mirror) == {"2.eval", ".mirror.json"} and (mirror / "2.eval").read_bytes() == b"22"


def test_where_nothing_is_it_says_so(store):
    with pytest.raises(StoreError, match=r"holds no log \(.eval\) and no score file; check the URL"):
        run_path(f"{store.url}/none")
