"""Ray tasks ask one run: equal to one process, also where a task's process is killed in the middle.

The tests share one cluster of two CPUs, as users have one: each run is a driver of its own.
"""

import importlib
import threading
import time

import psutil
import pytest

from evals.cli import run_command_line
from evals.shards import ray_workers

N_RESPONSES = 12
N_WORKERS = 2

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture
def kill_one(tmp_path):
    """Return a function that kills one Ray process of a name once the run has its first response."""

    def watch(name: str) -> None:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            time.sleep(0.05)
            if any(path.stat().st_size for path in tmp_path.rglob("x/aime25/*/journal.zst")):
                for process in psutil.Process().children(recursive=True):
                    if process.is_running() and name in " ".join(process.cmdline()):
                        process.kill()
                        return

    def start(name: str) -> threading.Thread:
        thread = threading.Thread(target=watch, args=(name,))
        thread.start()
        return thread

    return start


@pytest.fixture(scope="module")
def ray_address():
    """The address of a cluster on this machine."""
    pytest.importorskip("ray")
    cluster_utils = importlib.import_module("ray.cluster_utils")
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": N_WORKERS, "include_dashboard": False}
    )
    yield cluster.address
    cluster.shutdown()


@pytest.fixture
def ask_ray(ask, ray_address, monkeypatch):
    """Return a function that runs aime25 on the cluster, and returns how it ended."""
    monkeypatch.setenv("RAY_ADDRESS", ray_address)

    def run(url, *more, **size):
        workers = ["--engine", "ray", "--workers", N_WORKERS, "--max-connections", N_WORKERS]
        return ask(url, *workers, "--json", *more, **size)

    return run


def test_a_ray_worker_killed_in_mid_run_goes_on_and_the_scores_are_those_of_one_process(
    ask, ask_ray, serve, scores, tmp_path, kill_one
):
    running = serve(model="m", tokens_per_s=40)
    whole = ask(running.base_url, "--label", "whole", "--json")
    killer = kill_one("work_on_ray")
    ended = ask_ray(running.base_url)
    killer.join()
    assert ended.code == 0, ended.err
    assert "worker" in ended.err and "started again" in ended.err
    assert "most likely by the kernel's out-of-memory killer; use fewer --workers" in ended.err
    assert ended.document["status"] == "complete"
    assert ended.document["accuracy"] == whole.document["accuracy"]
    assert scores(tmp_path / "runs" / "x").equals(scores(tmp_path / "runs" / "whole"))
    n_sent = running.ledger.n_requests - N_RESPONSES
    assert N_RESPONSES <= n_sent <= N_RESPONSES + 1
    # the message of a request in flight may not have got out of the killed worker
    assert n_sent - 1 <= ended.document["requests_sent"] <= n_sent


def test_a_ray_worker_whose_mailbox_dies_is_started_again(ask_ray, serve, kill_one):
    running = serve(model="m", tokens_per_s=40)
    killer = kill_one("ray::Mailbox")
    ended = ask_ray(running.base_url)
    killer.join()
    assert (ended.code, ended.document["status"]) == (0, "complete"), ended.err
    assert "died (ActorDiedError: " in ended.err and "started again" in ended.err


def test_ray_workers_ask_replicas_and_survive_one_that_fails(ask_ray, serve):
    one, other, sick = serve(model="m"), serve(model="m"), serve("http_500=1.0", model="m")
    ended = ask_ray(None, *(f"--base-url={server.base_url}" for server in (one, other, sick)))
    assert (ended.code, ended.document["outcomes"]["error"]) == (0, 0), ended.err
    figures = {entry["replica"]: entry for entry in ended.document["replicas"]["by_replica"]}
    for well in (one, other):
        assert figures[well.base_url]["responses"] == well.ledger.n_requests > 0
    assert one.ledger.n_requests + other.ledger.n_requests == N_RESPONSES
    assert (
        figures[sick.base_url]["failed_attempts"] == ended.document["retries"] == sick.ledger.n_requests > 0
    )


def test_a_run_of_ray_workers_is_kept_in_object_storage(ask, ask_ray, serve, tmp_path, monkeypatch):
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path / "cache"))
    running, url = serve(model="m"), f"memory://bucket-{tmp_path.name}/runs"
    first = ask_ray(running.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "one")
    assert (first.code, first.document["requests_sent"]) == (0, N_RESPONSES), first.err
    assert f"stored in {url}/x/aime25/" in first.err
    again = ask(running.base_url, "--runs-dir", url, "--spool-dir", tmp_path / "two", "--json")
    assert (again.document["status"], again.document["requests_sent"]) == ("complete", 0)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        pytest.param(
            lambda errors: errors.OutOfMemoryError("Task was killed due to the node running low on memory."),
            "was stopped by Ray: its node ran out of memory (it used 2.0 GB); use fewer --workers or"
            " --max-connections, or more memory (Task was killed due to the node running low on memory.)",
            id="Ray's own guard",
        ),
        pytest.param(
            lambda errors: errors.RayTaskError("work", "...", MemoryError()).as_instanceof_cause(),
            "died: it ran out of memory (it used 2.0 GB); use fewer --workers or --max-connections, or more memory",
            id="MemoryError",
        ),
    ],
)
def test_a_ray_worker_without_memory_says_so(error, words, monkeypatch):
    ray = pytest.importorskip("ray")
    raised = error(ray.exceptions)

    def get(_task):
        raise raised

    monkeypatch.setattr(ray, "get", get)
    dead = object.__new__(ray_workers.RayWorker)
    dead._ray, dead._task, dead._lost_mailbox = ray, None, None
    assert dead.death(2 * 10**9) == words


def test_without_ray_the_extra_is_named(ask, serve, monkeypatch):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(ray_workers, "import_module", missing)
    ended = ask(serve(model="m").base_url, "--engine", "ray")
    assert ended.code == 2 and "install quantcheck[ray]" in ended.line


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("127.0.0.1:1", "cannot be reached (Connection refused)"),
        ("ray://127.0.0.1:1", "cannot be reached (Connection refused)"),
        ("nowhere", "cannot be used (Invalid address format: nowhere)"),
    ],
)
def test_a_cluster_that_is_not_there_is_named(ask, serve, monkeypatch, address, words):
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_ADDRESS", address)
    running = serve(model="m")
    ended = ask(running.base_url, "--engine", "ray")
    assert ended.code == 5 and f"Ray cluster {address!r}: {words}; " in ended.line
    assert running.ledger.n_requests == 0


def test_an_unknown_engine_is_refused(capsys):
    assert run_command_line(["run", "aime25", "--base-url", "http://127.0.0.1:9/v1", "--engine", "dask"]) == 2
    assert "'dask' is not one of 'local', 'ray'" in capsys.readouterr().err
