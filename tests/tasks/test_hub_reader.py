"""The hub is tried for a few seconds and then passed over, however it fails to answer."""

import http.server
import socket
import threading
import time
from contextlib import contextmanager

import pytest

import tasks.hub_reader
from tasks.hub import HubCopy
from tasks.hub_reader import read_hub_rows
from tasks.rows import DataError

COPY = HubCopy(repo="someone/made", config="default", split="test", revision="a" * 40)


@pytest.fixture(autouse=True)
def _hub(monkeypatch, tmp_path):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    monkeypatch.setattr(tasks.hub_reader, "get_token", lambda: None)
    monkeypatch.setattr(tasks.hub_reader, "PROBE_TIMEOUT_S", 0.5)

    def load(*_, **__):
        raise AssertionError("the dataset was asked for though the hub is no use")

    monkeypatch.setattr(tasks.hub_reader.datasets, "load_dataset", load)


def use_hub(monkeypatch, url):
    monkeypatch.setattr(tasks.hub_reader.constants, "ENDPOINT", url)


@contextmanager
def raw_server(greeting: bytes | None):
    """Accept connections; send ``greeting`` and close, or (``None``) say nothing."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        held = []

        def accept():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                held.append(connection)
                if greeting is not None:
                    connection.sendall(greeting)
                    connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        for connection in held:
            connection.close()


@contextmanager
def http_server(status: int):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def refused(words):
    started = time.monotonic()
    with pytest.raises(DataError, match=words) as caught:
        read_hub_rows(COPY)
    assert time.monotonic() - started < 3
    assert "someone/made" in str(caught.value) and "\n" not in str(caught.value)


def test_nobody_there(monkeypatch):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        use_hub(monkeypatch, f"http://127.0.0.1:{held.getsockname()[1]}")
        refused("cannot be reached")


@pytest.mark.parametrize("greeting", [b"", b"SSH-2.0-OpenSSH_9.6\r\n"], ids=["closes at once", "is not HTTP"])
def test_somebody_else_there(monkeypatch, greeting):
    with raw_server(greeting) as url:
        use_hub(monkeypatch, url)
        refused("cannot be reached")


def test_tls_that_is_none(monkeypatch):
    with raw_server(b"HTTP/1.1 400 Bad Request\r\n\r\n") as url:
        use_hub(monkeypatch, url.replace("http:", "https:"))
        refused("cannot be reached")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_hub_that_is_down(monkeypatch, status):
    with http_server(status) as url:
        use_hub(monkeypatch, url)
        refused(f"the hub answers HTTP {status}")


def test_a_hub_that_accepts_and_says_nothing(monkeypatch):
    with raw_server(None) as url:
        use_hub(monkeypatch, url)
        refused("does not answer within 0.5 s|cannot be reached")


def test_a_resolver_that_hangs_holds_nobody_up(monkeypatch):
    released = threading.Event()

    def hang(*_, **__):
        released.wait(20)
        raise OSError("no resolver")

    monkeypatch.setattr(tasks.hub_reader, "get_session", hang)
    refused("does not answer within 0.5 s")
    waiting = [thread for thread in threading.enumerate() if thread.name == "hub probe"]
    assert waiting and all(thread.daemon for thread in waiting), "the end of the program does not wait for it"
    released.set()


@pytest.mark.parametrize(
    "error", [OSError("gone"), ValueError("odd"), tasks.hub_reader.httpx2.ReadTimeout("slow")]
)
def test_a_hub_that_fails_after_it_answered(monkeypatch, error):
    def load(*_, **__):
        raise error

    monkeypatch.setattr(tasks.hub_reader.datasets, "load_dataset", load)
    with http_server(200) as url:
        use_hub(monkeypatch, url)
        refused(str(error))


def test_offline_only_the_local_copy_is_read(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(tasks.hub_reader, "get_session", lambda: pytest.fail("asked the network"))

    def load(*_, **__):
        raise ConnectionError("not cached")

    monkeypatch.setattr(tasks.hub_reader.datasets, "load_dataset", load)
    refused("HF_HUB_OFFLINE is set")
