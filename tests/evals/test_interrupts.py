"""What Ctrl-C does belongs to whoever runs: it is put back when asking has ended."""

import os
import signal
import threading
import time

import pytest

from evals.interrupts import STOPS, handlers_put_back, on_interrupt
from evals.storage.journal import Journal


def _handlers() -> list[object]:
    return [signal.getsignal(number) for number in STOPS]


def _ignore() -> None:
    pass


def test_after_a_run_it_does_what_it_did_before(ask, serve) -> None:
    assert threading.current_thread() is threading.main_thread()  # elsewhere no handler is set at all
    before = _handlers()
    assert ask(serve().base_url).code == 0
    assert _handlers() == before


@pytest.mark.parametrize(
    "during", [handlers_put_back, lambda: on_interrupt(stop=_ignore, kill=_ignore)], ids=["kept", "set"]
)
def test_it_is_put_back_after_an_exception_too(during) -> None:
    before = _handlers()
    with pytest.raises(KeyError), during():
        signal.signal(signal.SIGTERM, lambda _number, _frame: None)
        raise KeyError
    assert _handlers() == before


def test_partial_results_hold_every_answer_that_is_kept(ask, serve, tmp_path) -> None:
    server = serve()

    def interrupt() -> None:
        deadline = time.monotonic() + 60
        while server.ledger.n_requests < 70 and time.monotonic() < deadline:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    ended = ask(server.base_url, "--json", "--max-connections", 32, epochs=40)
    thread.join()
    (path,) = (tmp_path / "runs").rglob("journal.zst")
    with Journal(path) as journal:
        n_kept = len(journal)
    assert (ended.code, ended.document["status"]) == (130, "partial")
    assert 0 < ended.document["completed"] == n_kept < 240
