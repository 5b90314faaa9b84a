"""Runs of a campaign on different endpoints: at the same time, and whatever ends one leaves the others whole."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from evals.commands import runs_at_once
from evals.commands.run_process import make_run

N_RESPONSES = 6


@pytest.fixture
def campaign_file(aime_file, tmp_path, monkeypatch):
    """Return a function that writes a campaign of checkpoints (label to URL), reports in ``out``."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def write(checkpoints, *, out="out", task="epochs = 2\nlimit = 3"):
        tables = [f'[checkpoints.{label}]\nbase_url = "{url}"\n' for label, url in checkpoints.items()]
        path = tmp_path / f"{out}.toml"
        path.write_text(
            f'baseline = "int4"\nruns_dir = "{tmp_path / out / "runs"}"\nout = "{tmp_path / out}"\n'
            f'[run]\ndataset_path = "{aime_file}"\naccept_dataset = true\nmax_tokens = 400\noutage = 0.2\n'
            f"[tasks.aime25]\n{task}\n" + "".join(tables)
        )
        return path

    return write


@pytest.fixture
def meet():
    """Return a function that holds back the first answer of each endpoint until all have been asked."""

    def hold(*servers):
        barrier = threading.Barrier(len(servers))
        for server in servers:
            arrive, is_first = server.ledger.arrive, [True]

            def wait_for_others(body, *, arrive=arrive, is_first=is_first):
                if is_first:
                    is_first.clear()
                    barrier.wait(timeout=90)
                arrive(body)

            server.ledger.arrive = wait_for_others
        return barrier

    return hold


@pytest.fixture
def when_asked():
    """Return a function that acts once every one of some endpoints has been asked."""
    threads = []

    def start(servers, act):
        def watch():
            deadline = time.monotonic() + 90
            while time.monotonic() < deadline:
                time.sleep(0.02)
                if all(server.ledger.n_requests for server in servers):
                    act()
                    return

        threads.append(threading.Thread(target=watch))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join()


def record_of(tmp_path, out="out"):
    return json.loads((tmp_path / out / "campaign.json").read_text())


def run_states(tmp_path):
    return {run["checkpoint"]: (run["status"], run["exit_code"]) for run in record_of(tmp_path)["runs"]}


def test_different_endpoints_are_asked_at_once_and_the_results_are_those_of_one_after_the_other(
    cli, serve, campaign_file, meet, scores, tmp_path
):
    servers = {"int4": serve(seed=1), "nvfp4": serve(seed=2)}
    urls = {label: server.base_url for label, server in servers.items()}
    in_turn = cli("campaign", "run", campaign_file(urls, out="turn"), "--parallel", 1, "--json")
    barrier = meet(*servers.values())
    at_once = cli("campaign", "run", campaign_file(urls, out="once"), "--json")
    assert not barrier.broken, "one endpoint was asked only after the other had answered"
    assert at_once.code == in_turn.code
    for label, server in servers.items():
        (one, other) = (tmp_path / out / "runs" / label for out in ("turn", "once"))
        assert scores(one).equals(scores(other))
        assert server.ledger.n_requests == 2 * N_RESPONSES
    alike = ("checkpoint", "status", "completed", "accuracy")
    both = [[[run[name] for name in alike] for run in ended.document["runs"]] for ended in (in_turn, at_once)]
    assert both[0] == both[1]
    assert at_once.document == record_of(tmp_path, "once")
    assert "campaign once.toml: 0 of 2 runs done" in at_once.err
    assert "[2/2] aime25 on nvfp4: 6/6 responses" in at_once.err
    assert "[1/2] aime25 on int4: warning: budget: " in at_once.err


def make_run_with_a_bug(work, connection):
    """Make a run as ever, but for one checkpoint, at which our own code fails."""

    def fail(_watch):
        raise ValueError("a bug")

    (asked,) = work.args
    make_run(fail if asked["label"] == "buggy" else work, connection)


def test_a_dead_endpoint_and_a_crash_cost_their_own_runs_alone(
    cli, serve, campaign_file, tmp_path, monkeypatch
):
    monkeypatch.setattr(runs_at_once, "make_run", make_run_with_a_bug)
    path = campaign_file({"int4": serve().base_url, "gone": "http://127.0.0.1:1", "buggy": serve().base_url})
    ended = cli("campaign", "run", path)
    assert ended.code == 5
    assert run_states(tmp_path) == {"int4": ("complete", 0), "gone": ("failed", 5), "buggy": ("failed", 4)}
    assert "gone  failed  exit 5: endpoint http://127.0.0.1:1/v1: cannot be reached" in ended.out
    assert "buggy  failed  exit 4: its process ended with exit code 1 (ValueError: a bug)" in ended.out
    assert "[3/3] aime25 on buggy: Traceback" in ended.err, "a crash of ours is loud"


def test_a_run_whose_process_is_killed_costs_itself_alone_and_goes_on(
    cli, serve, campaign_file, when_asked, tmp_path
):
    servers = {"int4": serve(tokens_per_s=20), "nvfp4": serve(tokens_per_s=20)}
    path = campaign_file({label: server.base_url for label, server in servers.items()})

    def kill_nvfp4():
        (found,) = [child for child in multiprocessing.active_children() if "nvfp4" in child.name]
        found.kill()

    when_asked(servers.values(), kill_nvfp4)
    ended = cli("campaign", "run", path)
    assert run_states(tmp_path) == {"int4": ("complete", 0), "nvfp4": ("failed", 4)}
    assert ended.code == 4
    assert "exit 4: its process was killed by SIGKILL" in ended.out
    assert "out-of-memory killer" in ended.out and "the same command resumes" in ended.out
    n_int4 = servers["int4"].ledger.n_requests
    again = cli("campaign", "run", path)
    assert again.code in (0, 1, 3)
    assert run_states(tmp_path)["nvfp4"] == ("complete", 0)
    assert servers["int4"].ledger.n_requests == n_int4


def test_ctrl_c_stops_all_in_order_and_the_same_command_resumes(
    cli, serve, campaign_file, when_asked, tmp_path
):
    servers = {"int4": serve(tokens_per_s=4), "nvfp4": serve(tokens_per_s=4)}
    path = campaign_file({label: server.base_url for label, server in servers.items()})
    quick = {label: serve() for label in servers}
    when_asked(servers.values(), lambda: os.kill(os.getpid(), signal.SIGINT))
    ended = cli("campaign", "run", path)
    assert ended.code == 130
    assert ended.err.count("stopping: finished responses are kept") == 1
    assert ended.err.splitlines()[-1] == "quantcheck: interrupted; the same command resumes"
    assert "Traceback" not in ended.err
    assert run_states(tmp_path) == {"int4": ("partial", 130), "nvfp4": ("partial", 130)}
    assert not multiprocessing.active_children()
    assert not any(server.ledger.in_flight for server in servers.values())
    urls = {label: server.base_url for label, server in quick.items()}
    again = cli("campaign", "run", campaign_file(urls), "--parallel", 1)
    assert again.code in (0, 1, 3)
    assert run_states(tmp_path) == {"int4": ("complete", 0), "nvfp4": ("complete", 0)}


def test_ctrl_c_twice_stops_at_once_and_leaves_no_process(serve, campaign_file, tmp_path):
    servers = [serve(tokens_per_s=1), serve(tokens_per_s=1)]
    path = campaign_file({"int4": servers[0].base_url, "nvfp4": servers[1].base_url})
    code = "import sys; from quantcheck import main; main()"
    with (tmp_path / "err.txt").open("w") as err:
        started = subprocess.Popen([sys.executable, "-c", code, "campaign", "run", str(path)], stderr=err)
    try:
        deadline = time.monotonic() + 90
        while not all(server.ledger.n_requests for server in servers) and time.monotonic() < deadline:
            time.sleep(0.05)
        children = psutil.Process(started.pid).children(recursive=True)
        started.send_signal(signal.SIGINT)
        started.send_signal(signal.SIGINT)
        time.sleep(0.05)
        started.send_signal(signal.SIGINT)  # two that arrive together are one
        assert started.wait(timeout=20) == 130
    finally:
        started.kill()
    gone, alive = psutil.wait_procs(children, timeout=20)
    assert len(gone) >= 2 and not alive
