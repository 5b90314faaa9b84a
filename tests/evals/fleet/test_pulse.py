"""Whether anybody is there: answers of every kind, refusals included, against silence and gateways."""

import asyncio
import contextlib
import socket

import pytest

from evals.fleet import pulse
from evals.fleet.pulse import has_pulse
from tests.evals.wire_server import CLOSE, RESET, STALL, plain, wire_server


def pulse_of(*scripts, n_dead=0):
    """Ask servers with a script each, and ``n_dead`` addresses where nobody listens."""

    async def ask():
        with socket.socket() as held:
            held.bind(("127.0.0.1", 0))
            dead = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
            urls = [dead] * n_dead
            async with contextlib.AsyncExitStack() as stack:
                servers = [await stack.enter_async_context(wire_server(script)) for script in scripts]
                return await has_pulse([*urls, *(server.url for server in servers)], {})

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("script", "there"),
    [
        pytest.param((plain({"data": []}),), True, id="models"),
        pytest.param((plain({}, "404 Not Found"),), True, id="no such page"),
        pytest.param((plain({}, "501 Not Implemented"),), True, id="no such page either"),
        pytest.param((plain({}, "401 Unauthorized"),), True, id="refused"),
        pytest.param((plain({}, "302 Found", Location="/login"),), True, id="redirected"),
        pytest.param((plain({}, "502 Bad Gateway"),), False, id="a gateway without a server"),
        pytest.param((plain({}, "503 Service Unavailable"),), False, id="loading for ever"),
        pytest.param((CLOSE,), False, id="closed"),
        pytest.param((RESET,), False, id="reset"),
        pytest.param((STALL,), False, id="silent"),
    ],
)
def test_what_counts_as_an_answer(monkeypatch, script, there):
    if STALL in script:
        monkeypatch.setattr(pulse, "PULSE_TIMEOUT_S", 0.3)
    assert pulse_of(script) is there


def test_one_that_answers_is_enough():
    assert pulse_of((plain({}),), n_dead=2)
    assert not pulse_of(n_dead=2)
