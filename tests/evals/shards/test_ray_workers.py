"""Ray tasks ask one run: equal to one process, also where a task's process is killed in the middle."""

import threading
import time

import psutil
import pytest

from evals.cli import run_command_line
from evals.shards import ray_workers

N_RESPONSES = 12

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture
def kill_one(tmp_path):
    """Return a function that kills one Ray task's process once the run has its first response."""

    def watch() -> None:
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            time.sleep(0.05)
            if any(path.stat().st_size for path in tmp_path.rglob("x/aime25/*/journal.zst")):
                for process in psutil.Process().children(recursive=True):
                    if process.is_running() and "work_on_ray" in " ".join(process.cmdline()):
                        process.kill()
                        return

    def start() -> threading.Thread:
        thread = threading.Thread(target=watch)
        thread.start()
        return thread

    return start


def test_a_ray_worker_killed_in_mid_run_goes_on_and_the_scores_are_those_of_one_process(
    ask, serve, scores, tmp_path, kill_one
):
    pytest.importorskip("ray")
    running = serve(model="m", tokens_per_s=40)
    whole = ask(running.base_url, "--label", "whole", "--json")
    killer = kill_one()
    ended = ask(
        running.base_url,
        "--engine",
        "ray",
        "--workers",
        2,
        "--max-connections",
        2,
        "--json",
        limit=6,
        epochs=2,
    )
    killer.join()
    assert ended.code == 0, ended.err
    assert "worker" in ended.err and "started again" in ended.err
    assert ended.document["status"] == "complete"
    assert ended.document["accuracy"] == whole.document["accuracy"]
    assert scores(tmp_path / "runs" / "x").equals(scores(tmp_path / "runs" / "whole"))
    assert 2 * N_RESPONSES <= running.ledger.n_requests <= 2 * N_RESPONSES + 1


def test_without_ray_the_extra_is_named(ask, serve, monkeypatch):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(ray_workers, "import_module", missing)
    ended = ask(serve(model="m").base_url, "--engine", "ray")
    assert ended.code == 2 and "install quantcheck[ray]" in ended.line


def test_an_unknown_engine_is_refused(capsys):
    assert run_command_line(["run", "aime25", "--base-url", "http://127.0.0.1:9/v1", "--engine", "dask"]) == 2
    assert "'dask' is not one of 'local', 'ray'" in capsys.readouterr().err
