"""``quantcheck run`` when its endpoint goes and does not come back: stopped, named, nothing lost."""

import json
import threading
import time
from urllib.request import Request, urlopen

import pytest
from inspect_ai.log import read_eval_log_sample_summaries

from evals.transport.failure import Failure, FailureKind

N_BEFORE = 20
N_EXPECTED = 120  # far more than are in flight when the endpoint goes
LASTING_S = 600  # longer than any patience of these tests


def lose(running, mode):
    """Let the endpoint go once it has answered some requests."""

    def wait_and_close():
        until = time.monotonic() + 30
        while running.ledger.statuses[200] < N_BEFORE and time.monotonic() < until:
            time.sleep(0.01)
        body = json.dumps({"seconds": LASTING_S, "mode": mode}).encode()
        url = running.base_url.removesuffix("/v1") + "/simulation/outage"
        headers = {"Content-Type": "application/json"}
        with urlopen(Request(url, data=body, headers=headers), timeout=10) as answer:
            assert answer.status == 200

    thread = threading.Thread(target=wait_and_close)
    thread.start()
    return thread


@pytest.mark.parametrize(("mode", "workers"), [("closed", 1), ("http_503", 1), ("closed", 2)])
def test_an_endpoint_that_goes_for_good_stops_the_run(ask, serve, tmp_path, mode, workers):
    flags = ["--json", "--max-connections", 8, "--outage", 0.4, "--workers", workers]
    running = serve(ttft_s=0.1)
    closing = lose(running, mode)
    ended = ask(running.base_url, *flags, limit=30, epochs=4)
    closing.join()
    summary = ended.document
    assert (ended.code, summary["status"], summary["expected"]) == (5, "partial", N_EXPECTED)
    assert "quantcheck: stopped: server: " in ended.err
    assert "nothing answers at the endpoint: bring it back and run the same command again" in ended.err
    assert "Ctrl-C" not in ended.err
    assert summary["outcomes"]["error"] == 0, "what was not answered is missing, not failed"
    kept = summary["completed"]
    assert N_BEFORE <= kept < N_EXPECTED
    if workers > 1:
        (log,) = (tmp_path / "runs").glob("x/aime25/*/*.eval")
        assert len(read_eval_log_sample_summaries(log)) == kept, (
            "what was never asked is no sample of the log"
        )
    again = ask(serve().base_url, *flags[:-2], limit=30, epochs=4).document
    assert (again["status"], again["outcomes"]["error"]) == ("complete", 0)
    assert again["requests_sent"] == N_EXPECTED - kept


def test_requests_that_break_a_living_server_do_not_stop_the_run(ask, serve):
    ended = ask(serve("http_500=100%").base_url, "--json", "--outage", 0.3, "--max-connections", 2)
    assert (ended.code, ended.document["outcomes"]["error"]) == (4, 12)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        pytest.param(
            Failure(kind=FailureKind.SERVER, message="connection: refused", is_endpoint_gone=True),
            "stopped: server: connection: refused; nothing answers at the endpoint",
            id="gone",
        ),
        pytest.param(
            Failure(kind=FailureKind.CONFIGURATION, message="HTTP 401: key", status=401),
            "stopped: configuration: HTTP 401: key; change what the endpoint refuses (quantcheck check names it)",
            id="refused",
        ),
    ],
)
def test_the_way_on_is_told_where_it_is_known(failure, words):
    assert failure.stop_words.startswith(words)
    assert failure.stops_run(is_whole_request=False)
