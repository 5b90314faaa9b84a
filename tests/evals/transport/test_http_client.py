"""One attempt over a real socket: what the server did is what is reported, and nothing hangs."""

import asyncio
import json
import re
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
import uvloop

from evals.transport.failure import Failure, FailureKind
from evals.transport.http_client import Transport, retry_after_seconds, without_secrets
from evals.waits import Waits
from tests.evals.wire_server import (
    CLOSE,
    LAST_CHUNK,
    RESET,
    STALL,
    chunked,
    head,
    plain,
    wire_server,
    zipped,
)

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
SHORT = Waits(connect_s=1.0, first_byte_s=0.6, idle_s=0.4, plain_s=0.6)
HEADERS = {"Content-Type": "application/json"}


def frame(value) -> bytes:
    return b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"


def delta(finish=None, **fields):
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


TEXT = frame(delta(content="größer \U0001d53d")) + frame(delta(content=" ok"))
FINISH = frame(delta(finish="stop"))
USAGE = frame({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
DONE = frame(b"[DONE]")
WHOLE = TEXT + FINISH + USAGE + DONE
STREAM = head(chunked=True)
ANSWER = {
    "choices": [{"index": 0, "message": {"content": "größer \U0001d53d ok"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}
LENGTH = len(json.dumps(ANSWER).encode())


def send(*scripts, stream=True, waits=SHORT, headers=HEADERS, loop="asyncio", n=1):
    """Send ``n`` requests one after the other; return the replies or failures, and the server."""

    async def attempt():
        async with wire_server(*scripts) as server, Transport(waits) as transport:
            ends = []
            for _ in range(n):
                try:
                    ends.append(await transport.send(server.url, b"{}", headers, stream=stream))
                except Failure as failure:
                    ends.append(failure)
            return ends, server, transport

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        return runner.run(attempt())


WELL = [
    pytest.param((head("201 Created", chunked=True), chunked(WHOLE), LAST_CHUNK), id="status 201"),
    pytest.param((plain(ANSWER, "201 Created"),), id="status 201, plain"),
    pytest.param((STREAM, chunked(WHOLE), LAST_CHUNK), id="chunked"),
    pytest.param((STREAM, chunked(WHOLE, size=1), LAST_CHUNK), id="a byte a chunk, inside UTF-8 too"),
    pytest.param(
        (STREAM, *(piece for byte in WHOLE for piece in (chunked(bytes([byte])),)), LAST_CHUNK),
        id="a byte a write",
    ),
    pytest.param((STREAM, chunked(TEXT), 0.05, chunked(FINISH + USAGE + DONE), LAST_CHUNK), id="a pause"),
    pytest.param((head(version="1.0"), WHOLE, CLOSE), id="HTTP/1.0, ended by closing"),
    pytest.param((head(length=len(WHOLE)), WHOLE), id="of known length"),
    pytest.param((STREAM, chunked(WHOLE), STALL), id="kept open after [DONE]"),
    pytest.param((STREAM, chunked(WHOLE), RESET), id="reset after [DONE]"),
    pytest.param((STREAM, chunked(TEXT + FINISH + USAGE), LAST_CHUNK), id="no [DONE]"),
    pytest.param(
        (head(content_type="application/json", chunked=True), chunked(WHOLE), LAST_CHUNK),
        id="a stream called JSON",
    ),
    pytest.param((plain(ANSWER),), id="a plain reply where a stream was asked"),
    pytest.param((head(length=LENGTH) + json.dumps(ANSWER).encode(),), id="a plain reply called a stream"),
    pytest.param((zipped(ANSWER),), id="gzipped"),
    pytest.param((b"HTTP/1.1 100 Continue\r\n\r\n" + plain(ANSWER),), id="100 Continue first"),
]


@pytest.mark.parametrize("script", WELL)
@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
def test_a_whole_reply_is_read(script, stream):
    (reply,), _, _ = send(script, stream=stream)
    assert not isinstance(reply, Failure), reply
    assert reply.response.content == "größer \U0001d53d ok"
    assert reply.response.usage.completion_tokens == 2
    assert set(reply.response.flags) <= {"stream_ignored" if stream else "streamed_unasked"}


BROKEN = [
    pytest.param((head("204 No Content"),), "empty", id="status 204"),
    pytest.param((RESET,), "connection", id="reset before any reply"),
    pytest.param((CLOSE,), "connection", id="closed before any reply"),
    pytest.param((head(chunked=True)[:30], CLOSE), "connection", id="closed in the headers"),
    pytest.param((STREAM, RESET), "connection", id="reset after the headers"),
    pytest.param((STREAM, CLOSE), "connection|empty", id="closed after the headers"),
    pytest.param((STREAM, chunked(TEXT), RESET), "connection", id="reset in the text"),
    pytest.param((STREAM, chunked(TEXT), CLOSE), "connection", id="closed in the text"),
    pytest.param((STREAM, chunked(TEXT), LAST_CHUNK), "without a finish reason", id="ended well in the text"),
    pytest.param(
        (STREAM, chunked(TEXT + DONE), LAST_CHUNK), "without a finish reason", id="[DONE] in the text"
    ),
    pytest.param(
        (STREAM, chunked(TEXT[:-9]), LAST_CHUNK), "not JSON|without a finish", id="ended in a frame"
    ),
    pytest.param(
        (head(version="1.0"), TEXT, CLOSE), "without a finish reason", id="HTTP/1.0 cut in the text"
    ),
    pytest.param((STREAM, chunked(TEXT), b"zz\r\nx\r\n", CLOSE), "connection", id="a chunk of no size"),
    pytest.param(
        (head(length=LENGTH + 50), json.dumps(ANSWER).encode(), CLOSE),
        "connection",
        id="shorter than announced",
    ),
    pytest.param((b"SSH-2.0-OpenSSH_9.6\r\n", CLOSE), "connection", id="not HTTP"),
    pytest.param((head(X_Long="a" * 100_000), WHOLE, CLOSE), "connection", id="a header too long"),
    pytest.param((zipped(ANSWER)[:-20], CLOSE), "connection", id="gzip cut"),
    pytest.param((head(length=4, Content_Encoding="gzip"), b"abcd"), "connection", id="no gzip at all"),
    pytest.param((STREAM, STALL), "timeout", id="silent after the headers"),
    pytest.param((STALL,), "timeout", id="silent from the start"),
    pytest.param((STREAM, chunked(TEXT), STALL), "timeout", id="silent in the text"),
    pytest.param((plain(ANSWER)[:-20], STALL), "timeout", id="silent in a plain reply"),
]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(("script", "words"), BROKEN)
def test_a_broken_reply_is_a_failure_of_the_server_that_is_retried(script, words, loop):
    started = time.monotonic()
    (failure,), _, _ = send(script, loop=loop)
    assert isinstance(failure, Failure), failure
    assert (failure.kind, failure.is_retryable) == (FailureKind.SERVER, True)
    assert re.search(words, failure.message)
    assert "\n" not in str(failure)
    assert time.monotonic() - started < 4


@pytest.mark.parametrize("end", [STALL, RESET, CLOSE], ids=["silent", "reset", "closed"])
def test_a_stream_that_breaks_after_its_finish_reason_is_whole(end):
    (reply,), _, _ = send((STREAM, chunked(TEXT + FINISH), end))
    assert not isinstance(reply, Failure), reply
    assert reply.response.content == "größer \U0001d53d ok"
    assert reply.response.flags == ("cut_after_finish",)


def test_nobody_listens():
    async def attempt():
        async with wire_server((b"",)) as server:
            url = server.url
        async with Transport(SHORT) as transport:
            await transport.send(url, b"{}", HEADERS, stream=True)

    with pytest.raises(Failure, match=r"refused|connection") as caught:
        asyncio.run(attempt())
    assert caught.value.is_retryable


def test_no_such_host():
    async def attempt():
        async with Transport(SHORT) as transport:
            await transport.send(
                "http://no-such-host.invalid/v1/chat/completions", b"{}", HEADERS, stream=True
            )

    with pytest.raises(Failure) as caught:
        asyncio.run(attempt())
    assert caught.value.kind is FailureKind.SERVER


@pytest.mark.parametrize("loop", LOOPS)
def test_a_live_stream_may_last_longer_than_any_wait(loop):
    pieces = [piece for _ in range(16) for piece in (chunked(frame(delta(content="x"))), 0.1)]
    (reply,), _, _ = send((STREAM, *pieces, chunked(FINISH + DONE), LAST_CHUNK), loop=loop)
    assert not isinstance(reply, Failure), reply
    assert reply.response.content == "x" * 16
    assert reply.duration_s > max(SHORT.idle_s, SHORT.first_byte_s)


def test_keep_alives_hold_a_stream_open_between_tokens():
    pings = [piece for _ in range(5) for piece in (chunked(b": ping\n\n"), 0.1)]
    script = (STREAM, chunked(TEXT), *pings, chunked(FINISH + DONE), LAST_CHUNK)
    (reply,), _, _ = send(script, waits=Waits(idle_s=0.3, first_byte_s=2.0))
    assert not isinstance(reply, Failure), reply


def test_keep_alives_alone_do_not_hold_it_for_ever():
    pings = [piece for _ in range(100) for piece in (chunked(b": ping\n\n"), 0.05)]
    started = time.monotonic()
    (failure,), _, _ = send((STREAM, chunked(TEXT), *pings))
    assert isinstance(failure, Failure) and "timeout" in failure.message
    assert time.monotonic() - started < 2.5


def test_without_streaming_the_whole_wait_counts():
    script = (0.4, plain(ANSWER))
    (reply,), _, _ = send(script, stream=False, waits=Waits(first_byte_s=0.1, idle_s=0.1, plain_s=2.0))
    assert not isinstance(reply, Failure), reply
    (failure,), _, _ = send(script, stream=False, waits=Waits(plain_s=0.1))
    assert "timeout" in failure.message


def test_a_finished_stream_gives_its_connection_back():
    ends, server, _ = send((STREAM, chunked(WHOLE), LAST_CHUNK), n=4)
    assert all(end.response.content for end in ends)
    assert server.n_connections == 1


def test_waiting_for_the_end_of_the_stream_is_not_time_of_the_answer():
    (reply,), _, _ = send((STREAM, chunked(WHOLE), STALL))
    assert reply.duration_s < 0.4


def test_requests_share_nothing():
    async def attempt():
        scripts = [
            (
                STREAM,
                *(part for i in range(20) for part in (chunked(frame(delta(content=f"{name}{i} "))), 0.002)),
                chunked(FINISH + DONE),
                LAST_CHUNK,
            )
            for name in "abcdefgh"
        ]
        async with wire_server(*scripts) as server, Transport(Waits()) as transport:
            sending = [transport.send(server.url, b"{}", HEADERS, stream=True) for _ in scripts]
            return await asyncio.gather(*sending)

    texts = sorted(reply.response.content for reply in asyncio.run(attempt()))
    assert texts == ["".join(f"{name}{i} " for i in range(20)) for name in "abcdefgh"]


def test_chunks_are_counted_while_they_come():
    _, _, transport = send((STREAM, chunked(WHOLE), LAST_CHUNK), n=3)
    assert transport.n_chunks == 6


def refused(status, value=None, **headers):
    (failure,), _, _ = send(
        (plain(value if value is not None else {"error": {"message": "no"}}, status, **headers),)
    )
    assert isinstance(failure, Failure)
    return failure


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 501, 502, 503, 504, 520, 524, 529, 599])
def test_statuses_that_may_pass_are_retried(status):
    failure = refused(f"{status} X")
    assert (failure.kind, failure.is_retryable, failure.status) == (FailureKind.SERVER, True, status)
    assert failure.is_rate_limit == (status == 429)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 406, 410, 413, 415, 422, 451, 301, 307, 308])
def test_other_statuses_are_settings_and_never_retried(status):
    failure = refused(f"{status} X")
    assert (failure.kind, failure.is_retryable, failure.status) == (FailureKind.CONFIGURATION, False, status)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        pytest.param(
            {"error": {"message": "max_tokens is too large: 131072", "type": "BadRequestError"}},
            "max_tokens is too large: 131072",
            id="OpenAI",
        ),
        pytest.param(
            {"object": "error", "message": "context length is 2048", "code": 400},
            "context length is 2048",
            id="older vLLM",
        ),
        pytest.param({"detail": "Not Found"}, "Not Found", id="FastAPI"),
        pytest.param(
            {"detail": [{"loc": ["body", "n"], "msg": "must be int"}]}, "must be int", id="FastAPI's list"
        ),
        pytest.param({"error": "unauthorized"}, "unauthorized", id="a bare word"),
        pytest.param({"error": None, "message": "quota"}, "quota", id="null error beside words"),
        pytest.param({"status": "bad", "reason": "why"}, "why", id="some other object"),
        pytest.param(b"<html>\n<h1>Nope</h1>\n</html>", "Nope", id="HTML"),
        pytest.param(b"plain words\nin two lines", "plain words in two lines", id="text"),
        pytest.param(b"", "Bad Request", id="nothing: the reason of the status line"),
        pytest.param(b"\xff\xfe", "\ufffd", id="bytes that are no text"),
    ],
)
def test_the_servers_own_words_are_repeated_on_one_line(value, words):
    failure = refused("400 Bad Request", value)
    assert words in failure.message
    assert "\n" not in failure.message
    assert failure.message.startswith("HTTP 400: ")


def test_words_without_end_are_cut():
    assert len(refused("400 X", {"error": {"message": "x" * 10_000}}).message) < 500


def test_a_redirect_names_where_to():
    failure = refused("307 Moved", {}, Location="https://example.invalid/v1/")
    assert "https://example.invalid/v1/" in failure.message
    assert not failure.is_retryable


def test_a_key_that_the_server_repeats_is_not_logged():
    script = (
        plain(
            {"error": {"message": "Incorrect API key provided: sk-secret-123 (tenant blue-whale)"}}, "401 No"
        ),
    )
    headers = {**HEADERS, "Authorization": "Bearer sk-secret-123", "X-Tenant": "blue-whale"}
    (failure,), server, _ = send(script, headers=headers)
    assert "sk-secret" not in str(failure) and "blue-whale" not in str(failure)
    assert b"sk-secret-123" in server.requests[0]


def test_short_header_values_and_the_content_type_are_left_alone():
    words = "unsupported application/json for v1"
    assert without_secrets(words, {"Content-Type": "application/json", "X-Version": "v1"}) == words


NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        pytest.param(None, None, id="absent"),
        pytest.param("7", 7.0, id="seconds"),
        pytest.param(" 7 ", 7.0, id="seconds with blanks"),
        pytest.param("0.5", 0.5, id="a fraction"),
        pytest.param("0", 0.0, id="at once"),
        pytest.param("-3", 0.0, id="negative: at once"),
        pytest.param("nan", 0.0, id="not a number"),
        pytest.param(format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0, id="a date"),
        pytest.param(format_datetime(NOW - timedelta(days=1), usegmt=True), 0.0, id="a date in the past"),
        pytest.param("Mon, 30 Nov 2026 13:01:00 +0100", 60.0, id="a date in another zone"),
        pytest.param("Mon, 30 Nov 2026 12:01:00", 60.0, id="a date without a zone is UTC"),
        pytest.param("Monday, 30-Nov-26 12:01:00 GMT", 60.0, id="the obsolete form"),
        pytest.param("soon", None, id="words"),
        pytest.param("", None, id="empty"),
        pytest.param("Mon, 99 Nov 99999 12:00:00 GMT", None, id="no date"),
    ],
)
def test_retry_after(header, expected):
    assert retry_after_seconds(header, NOW.timestamp()) == expected


@pytest.mark.parametrize(("status", "is_rate_limit"), [("429 X", True), ("503 X", True), ("500 X", False)])
def test_retry_after_is_taken_from_the_reply(status, is_rate_limit):
    failure = refused(status, Retry_After="11")
    assert failure.retry_after_s == 11.0
    assert failure.is_rate_limit is is_rate_limit
