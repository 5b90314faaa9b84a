"""``quantcheck run --runs-dir URL``: kept in object storage, resumed anywhere, and nothing lost where it refuses."""

import json
import time

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from evals.storage.object_store import ObjectStore


@pytest.fixture
def url(tmp_path, monkeypatch):
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "cache"))
    return f"memory://bucket-{tmp_path.name}/runs"


@pytest.fixture
def refuse(monkeypatch):
    """Return a function that lets the store refuse what the name of an object says, and one to undo it."""

    def start(*parts):
        def pipe(self, path, *args, **kwargs):
            if any(part in path for part in parts):
                raise PermissionError("Access Denied")
            return pipe_file(self, path, *args, **kwargs)

        def put(self, here, there, *args, **kwargs):
            if any(part in there for part in parts):
                raise PermissionError("Access Denied")
            return put_file(self, here, there, *args, **kwargs)

        pipe_file, put_file = MemoryFileSystem.pipe_file, MemoryFileSystem.put_file
        monkeypatch.setattr(MemoryFileSystem, "pipe_file", pipe)
        monkeypatch.setattr(MemoryFileSystem, "put_file", put)

        def stop():
            monkeypatch.setattr(MemoryFileSystem, "pipe_file", pipe_file)
            monkeypatch.setattr(MemoryFileSystem, "put_file", put_file)

        return stop

    return start


def test_a_run_is_kept_and_resumed_on_another_machine(ask, serve, cli, url, tmp_path):
    server = serve()
    first = ask(server.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "one", "--json")
    assert first.document["requests_sent"] == 12 and f"stored in {url}/x/aime25/" in first.err
    names = {name.rpartition("/")[2] for name in ObjectStore(url).find()}
    assert {"manifest.json", "summary.json", first.document["log"]} <= names
    again = ask(server.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "two", "--json", epochs=3)
    assert (again.document["requests_sent"], again.document["completed"]) == (6, 18)
    logs = [name for name in ObjectStore(url).find() if name.endswith(".eval")]
    assert len(logs) == 1 and logs[0].endswith(again.document["log"]), "the smaller run's log is superseded"
    assert not (tmp_path / "runs").exists()


def test_runs_are_compared_and_exported_from_their_urls(ask, serve, cli, url, tmp_path):
    summary = ask(serve().base_url, "--runs-dir", url, "--json").document
    compared = cli("compare", f"{url}/x", f"{url}/x", "--out", tmp_path / "out", "--json")
    (task,) = json.loads(compared.out)["tasks"]
    assert task["baseline"]["value"] == pytest.approx(summary["accuracy"]["value"])
    exported = cli("export", f"{url}/x")
    assert exported.code == 0 and exported.out.count("\n") == 13


def test_what_is_finished_is_in_the_store_before_the_run_ends(ask, serve, url, monkeypatch, tmp_path):
    monkeypatch.setattr("evals.storage.stored_run.UPLOAD_EVERY_S", 0.05)
    seen = []
    push = ObjectStore.write

    def write(self, name, content):
        seen.append((time.monotonic(), name))
        push(self, name, content)

    monkeypatch.setattr(ObjectStore, "write", write)
    ended = ask(serve(tokens_per_s=60.0).base_url, "--runs-dir", url)
    parts = [name for _, name in seen if name.endswith(".zst")]
    assert ended.code == 0 and len(parts) > 1


def test_a_store_that_refuses_from_the_start_costs_no_request(ask, serve, refuse, url):
    refuse("journal/")
    server = serve()
    ended = ask(server.base_url, "--runs-dir", url)
    assert ended.code == 5 and "cannot be written (Access Denied)" in ended.line
    assert server.ledger.n_requests == 0


def test_a_store_that_refuses_at_the_end_loses_nothing(ask, serve, refuse, url, tmp_path):
    stop = refuse(".eval")
    server = serve()
    ended = ask(server.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "spool", "--json")
    assert ended.code == 5
    (last,) = [line for line in ended.err.splitlines() if line.startswith("quantcheck: ")]
    assert "Access Denied" in last and f"nothing is lost: the run is in {tmp_path / 'spool'}" in last
    stop()
    again = ask(server.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "spool", "--json")
    assert (again.code, again.document["requests_sent"]) == (0, 0)
    assert any(name.endswith(".eval") for name in ObjectStore(url).find())


def test_a_refusal_on_the_way_is_told_once_and_tried_again(ask, serve, refuse, url, monkeypatch):
    monkeypatch.setattr("evals.storage.stored_run.UPLOAD_EVERY_S", 0.05)
    refuse("/run/")
    ended = ask(serve(tokens_per_s=60.0).base_url, "--runs-dir", url)
    warnings = [line for line in ended.err.splitlines() if line.startswith("warning: object storage")]
    assert ended.code == 5 and "nothing is lost" in ended.err
    assert len(warnings) == 1 and "Access Denied" in warnings[0] and "tried again" in warnings[0]


def test_a_run_that_fails_is_kept_as_well(ask, serve, url):
    ended = ask(serve("http_500=1.0").base_url, "--runs-dir", url, "--outage", 0.2)
    assert ended.code == 4
    assert any(name.endswith("summary.json") for name in ObjectStore(url).find())


def test_a_url_that_holds_nothing(cli, url):
    ended = cli("compare", f"{url}/x", f"{url}/y")
    assert ended.code == 5 and "holds no log" in ended.line
