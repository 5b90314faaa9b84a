"""Whatever comes is kept: refusals, cut replies, streams that never end; only transport faults are retried."""

import asyncio
import json
from typing import Any

import pytest

from evals.probe_client import Ended, ProbeClient, RawReply
from evals.probe_reply import read_reply
from evals.probe_settings import ClientSettings
from evals.transport.retry import RetryPolicy
from tests.evals.wire_server import (
    CLOSE,
    LAST_CHUNK,
    RESET,
    STALL,
    Step,
    chunked,
    head,
    plain,
    wire_server,
)
from verifiers.contract_evidence import ReplyKind

POLICY = RetryPolicy(outage_s=1.0, cold_s=0.2, max_attempts=3, base_wait_s=0.01, max_wait_s=0.02)
WORD = {"choices": [{"index": 0, "delta": {"content": "OK"}, "finish_reason": None}]}
END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
PLAIN = {
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "OK"}, "finish_reason": "stop"}]
}
ERROR = {"error": {"message": "temperature must be non-negative", "type": "BadRequestError", "code": 400}}


def events(*payloads: Any) -> bytes:
    texts = (payload if isinstance(payload, str) else json.dumps(payload) for payload in payloads)
    return "".join(f"data: {text}\n\n" for text in texts).encode()


def ask(*scripts: tuple[Step, ...], timeout_s: float = 2.0, max_tokens: int = 16) -> tuple[RawReply, int]:
    """The reply to one request, and how many were sent for it."""

    async def run() -> tuple[RawReply, int]:
        async with wire_server(*scripts) as server:
            settings = ClientSettings(timeout_s=timeout_s, policy=POLICY)
            async with ProbeClient(server.url, {"Content-Type": "application/json"}, settings) as client:
                return await client.ask({"messages": [], "max_tokens": max_tokens}), client.n_requests

    return asyncio.run(run())


@pytest.mark.parametrize("status", ["400 Bad Request", "401 Unauthorized", "404 Not Found", "422 Bad"])
def test_a_refusal_is_kept_and_not_asked_again(status: str) -> None:
    raw, n_requests = ask((plain(ERROR, status),))
    assert (raw.status, n_requests) == (int(status[:3]), 1)
    reply = read_reply(raw)
    assert reply.kind is ReplyKind.REFUSED
    assert reply.error is not None
    assert reply.error.message == ERROR["error"]["message"]
    assert reply.is_reasoned_refusal is (raw.status == 400)


@pytest.mark.parametrize("status", ["500 Oops", "502 Bad Gateway", "503 Busy", "429 Slow down"])
def test_a_fault_that_passes_is_retried_and_one_that_stays_is_kept(status: str) -> None:
    raw, n_requests = ask((plain(ERROR, status),), (plain(PLAIN),))
    assert (raw.status, raw.n_attempts, n_requests) == (200, 2, 2)
    if not status.startswith("429"):
        raw, n_requests = ask((plain(ERROR, status),))
        assert (raw.status, n_requests) == (int(status[:3]), POLICY.max_attempts)
        assert read_reply(raw).kind is ReplyKind.BROKEN


def test_a_finished_stream_that_is_kept_open_is_done() -> None:
    stream = head(chunked=True) + chunked(events(WORD, END, "[DONE]"))
    raw, _ = ask((stream, STALL))
    reply = read_reply(raw)
    assert raw.ended is Ended.WHOLE
    assert raw.duration_s < 1
    assert (reply.kind, reply.is_stream, reply.is_done) == (ReplyKind.ANSWERED, True, True)


def test_a_stream_that_never_ends_is_given_up_by_size() -> None:
    block = chunked(events(*[WORD] * 10_000))
    raw, n_requests = ask((head(chunked=True), *[block] * 20))
    reply = read_reply(raw)
    assert (raw.ended, n_requests) == (Ended.ENDLESS, 1)
    assert (reply.kind, reply.is_endless) == (ReplyKind.BROKEN, True)


def test_a_stream_that_never_ends_is_given_up_by_time() -> None:
    script = (head(chunked=True), *[step for _ in range(50) for step in (chunked(events(WORD)), 0.05)])
    raw, _ = ask(script, timeout_s=0.5)
    assert raw.ended is Ended.ENDLESS
    assert read_reply(raw).is_endless


def test_a_stall_is_told_from_a_stream_that_never_ends() -> None:
    raw, n_requests = ask((head(chunked=True), STALL), timeout_s=0.2)
    assert (raw.ended, n_requests) == (Ended.TIMEOUT, 1)
    assert read_reply(raw).kind is ReplyKind.SILENT


@pytest.mark.parametrize("end", [RESET, CLOSE], ids=["reset", "close"])
def test_a_cut_reply_is_retried_and_then_kept(end: Step) -> None:
    cut = (head(chunked=True) + chunked(events(WORD)), end)
    whole = head(chunked=True) + chunked(events(WORD, END, "[DONE]")) + LAST_CHUNK
    raw, _ = ask(cut, (whole,))
    assert read_reply(raw).kind is ReplyKind.ANSWERED
    raw, n_requests = ask(cut)
    assert (raw.ended, n_requests) == (Ended.CUT, POLICY.max_attempts)
    assert read_reply(raw).kind is ReplyKind.BROKEN


def test_a_dead_server_is_silence() -> None:
    async def run() -> RawReply:
        settings = ClientSettings(timeout_s=1.0, policy=POLICY)
        async with ProbeClient("http://127.0.0.1:9/v1/chat/completions", {}, settings) as client:
            return await client.ask({"messages": []})

    raw = asyncio.run(run())
    assert (raw.status, raw.ended) == (None, Ended.UNREACHABLE)
    reply = read_reply(raw)
    assert reply.kind is ReplyKind.SILENT
    assert "connection" in reply.fault
