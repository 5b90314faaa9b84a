"""Several processes ask one run: equal to one process, also where workers die or the endpoint refuses."""

import multiprocessing
import threading
import time

import pytest

from evals.shards import crew, processes, worker

N_RESPONSES = 12


@pytest.fixture
def kill_when(tmp_path):
    """Return a function that kills a worker with SIGKILL as soon as one has something in its journal."""

    def start(n_kills: int) -> threading.Thread:
        def watch() -> None:
            killed = set()
            deadline = time.monotonic() + 60
            while len(killed) < n_kills and time.monotonic() < deadline:
                time.sleep(0.02)
                if any(path.stat().st_size for path in tmp_path.rglob(".shards/*/journal.zst")):
                    for process in multiprocessing.active_children():
                        if process.pid not in killed and len(killed) < n_kills:
                            killed.add(process.pid)
                            process.kill()

        thread = threading.Thread(target=watch)
        thread.start()
        return thread

    return start


def test_a_worker_killed_in_mid_run_goes_on_and_the_scores_are_those_of_one_process(
    ask, serve, scores, tmp_path, kill_when
):
    running = serve(model="m", tokens_per_s=60)
    whole = ask(running.base_url, "--label", "whole", "--json")
    killer = kill_when(1)
    ended = ask(running.base_url, "--workers", 2, "--max-connections", 4, "--json")
    killer.join()
    assert ended.code == 0, ended.err
    note = next(line for line in ended.err.splitlines() if line.startswith("note: worker "))
    assert "was killed by SIGKILL" in note and "most likely by the kernel's out-of-memory killer" in note
    assert "use fewer --workers" in note and note.endswith("started again, what it had finished is kept")
    assert ended.document["status"] == "complete"
    assert ended.document["accuracy"] == whole.document["accuracy"]
    assert scores(tmp_path / "runs" / "x").equals(scores(tmp_path / "runs" / "whole"))
    # only what was in flight at the killed worker is asked a second time; what it had sent is counted
    n_sent = running.ledger.n_requests - N_RESPONSES
    assert N_RESPONSES <= n_sent <= N_RESPONSES + 2
    assert ended.document["requests_sent"] == n_sent


def test_a_share_whose_worker_keeps_dying_is_asked_by_the_run(ask, serve, monkeypatch, kill_when):
    monkeypatch.setattr(crew, "MOST_STARTS", 1)
    running = serve(model="m", tokens_per_s=60)
    killer = kill_when(1)
    ended = ask(running.base_url, "--workers", 2, "--max-connections", 4, "--json")
    killer.join()
    assert "what it had finished is kept, the run itself asks the rest of its share" in ended.err
    assert (ended.code, ended.document["status"], ended.document["completed"]) == (0, "complete", N_RESPONSES)
    assert ended.document["requests_sent"] == running.ledger.n_requests


def work_without_memory(*arguments):
    """Be a worker of which memory asks too much."""

    def raise_memory_error(*_arguments, **_keywords):
        raise MemoryError

    worker.run_shard = raise_memory_error
    worker.work(*arguments)


def test_a_worker_that_runs_out_of_memory_says_so_and_the_run_asks_its_share(ask, serve, monkeypatch):
    monkeypatch.setattr(crew, "MOST_STARTS", 1)
    monkeypatch.setattr(processes, "work", work_without_memory)
    ended = ask(serve(model="m").base_url, "--workers", 2, "--json")
    assert (
        "note: worker 1-of-2 died: it ran out of memory" in ended.err and "use fewer --workers" in ended.err
    )
    assert (ended.code, ended.document["status"]) == (0, "complete")


def test_a_request_that_finds_no_memory_stops_the_run_and_says_so(ask, serve, monkeypatch):
    def raise_memory_error(*_arguments, **_keywords):
        raise MemoryError

    running = serve(model="m")
    with monkeypatch.context() as patched:
        patched.setattr("evals.provider.build_request", raise_memory_error)
        ended = ask(running.base_url)
    assert ended.code == 5 and "stopped: client: this process ran out of memory; use fewer" in ended.err
    assert "please report it" not in ended.err
    assert ask(running.base_url).code == 0, "the same command goes on"


def test_the_endpoint_that_refuses_one_stops_all(ask, serve):
    ended = ask(serve("http_401=1.0", model="m").base_url, "--workers", 2)
    assert ended.code == 5 and "stopped: configuration: HTTP 401" in ended.err


def test_what_failed_for_a_worker_is_an_error_and_not_asked_again(ask, serve):
    running = serve("http_500=1.0", model="m")
    ended = ask(running.base_url, "--workers", 2, "--outage", 0.05, "--json")
    assert ended.code == 4
    assert ended.document["outcomes"]["error"] == N_RESPONSES
    assert ended.document["requests_sent"] == running.ledger.n_requests
