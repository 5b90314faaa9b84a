"""Replies that never end: each way of it is named, given up early, and not asked for again."""

import asyncio
import json
from dataclasses import replace

import pytest

from evals.transport.failure import Failure, FailureKind
from evals.transport.http_client import DRAIN_BYTES, MAX_REFUSAL_BYTES, Transport
from evals.transport.reply_limits import NO_BUDGET, SPARE, reply_limits
from evals.transport.reply_reader import CHECKED_EVERY_BYTES, ReplyReader
from evals.waits import Waits
from tests.evals.wire_server import STALL, chunked, head, wire_server

TINY = replace(NO_BUDGET, events=50, sent_bytes=300_000, characters=2_000, plain_bytes=100_000)


def event(*, finish=None, index=0, **delta):
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


def call(index, arguments):
    return event(tool_calls=[{"index": index, "function": {"name": "f", "arguments": arguments}}])


TEXT, EMPTY, LAST = event(content="x"), event(), event(finish="stop")
LONG = "x" * 20_000

STREAMS = [
    pytest.param([TEXT] * 51, "50 events", id="text"),
    pytest.param([EMPTY] * 51, "50 events", id="empty events"),
    pytest.param([event(content=LONG)] * 49, "more than 2,000 characters", id="much text in few events"),
    pytest.param([event(reasoning=LONG)] * 49, "more than 2,000 characters", id="reasoning"),
    pytest.param([call(0, LONG)] * 49, "more than 2,000 characters", id="arguments of one call"),
    pytest.param([call(n, LONG) for n in range(49)], "more than 2,000 characters", id="call after call"),
    pytest.param(
        [event(index=n, content=LONG) for n in range(1, 50)],
        "more than 2,000 characters",
        id="choice after choice",
    ),
    pytest.param(
        [b'data: {"choices": [{"message": {"content": "' + b"x" * 20_000 + b'"}}]}\n\n'] * 49,
        "more than 2,000 characters",
        id="message after message",
    ),
    pytest.param([TEXT, b"data: {", *[b"x" * 999] * 200], "100,000 bytes of one event", id="a line"),
    pytest.param([TEXT, *[b"data: {\n" * 100] * 2000], "100,000 bytes of one event", id="lines of one event"),
    pytest.param([TEXT, *[b": ping\n\n" * 100] * 1000], "300,000 bytes of a stream", id="comments"),
    pytest.param([TEXT, *[b"data:\n\n" * 100] * 1000], "300,000 bytes of a stream", id="events of nothing"),
    pytest.param([b" " * 9000] * 20, "100,000 bytes of a plain reply", id="white space"),
    pytest.param([b'{"a": "', *[b"x" * 9000] * 20], "100,000 bytes of a plain reply", id="a plain body"),
]


@pytest.mark.parametrize(("blocks", "words"), STREAMS)
def test_what_never_ends_is_named_and_not_asked_for_again(blocks, words):
    reader = ReplyReader(0.0, TINY)
    with pytest.raises(Failure, match=f"never ends: .*{words}") as caught:
        for block in blocks:
            reader.feed(block)
    assert (caught.value.kind, caught.value.is_retryable) == (FailureKind.SERVER, False)


@pytest.mark.parametrize("after", [EMPTY, TEXT, b": ping\n\n" * 100], ids=["empty", "text", "comments"])
def test_what_follows_the_finish_reason_without_end_is_nobodys(after):
    reader = ReplyReader(0.0, TINY)
    for block in (TEXT, LAST, *[after] * 1000):
        if reader.is_done:
            break
        reader.feed(block)
    assert reader.is_done and reader.finish().response.finish_reason == "stop"


def test_a_long_reply_is_whole():
    limits = reply_limits({"max_tokens": 20_000})
    reader = ReplyReader(0.0, limits)
    word = b"".join(event(content=letter) for letter in "word ")
    for _ in range(20_000):  # as many tokens as the budget has, letter by letter
        reader.feed(word)
    reader.feed(LAST)
    assert len(reader.finish().response.content) == 100_000
    one = ReplyReader(0.0, limits)
    one.feed(event(content=" " * 64 * 20_000))  # every token one of the longest, all in one event
    one.feed(LAST)
    assert len(one.finish().response.content) == 64 * 20_000


@pytest.mark.parametrize(
    ("body", "tokens", "factor"),
    [
        pytest.param({"max_tokens": 10}, 10, 1, id="a budget"),
        pytest.param({"max_tokens": 10, "max_completion_tokens": 30}, 30, 1, id="the larger of two"),
        pytest.param({"max_tokens": 10, "n": 4}, 40, 1, id="several choices"),
        pytest.param({"max_tokens": 10, "logprobs": True}, 10, 64, id="log-probabilities"),
        pytest.param({}, 1_000_000, 1, id="none"),
        pytest.param({"max_tokens": None, "n": None}, 1_000_000, 1, id="null"),
        pytest.param({"max_tokens": -1, "n": 0}, 1_000_000, 1, id="out of range"),
    ],
)
def test_the_budget_sets_the_limits(body, tokens, factor):
    limits = reply_limits(body)
    assert limits.events == 8 * tokens + 1000
    assert limits.characters == 64 * tokens + SPARE
    assert (limits.sent_bytes, limits.plain_bytes) == (
        4096 * factor * tokens + SPARE,
        64 * factor * tokens + SPARE,
    )
    assert limits.writing_s == tokens


def test_text_is_counted_often_enough():
    assert CHECKED_EVERY_BYTES <= SPARE


def send(script, *, stream, waits=None, limits=TINY):
    """Send one request to a server that plays ``script``; return the failure, and how many were sent."""

    async def attempt():
        async with wire_server(script) as server, Transport(waits or Waits()) as transport:
            with pytest.raises(Failure) as caught:
                await transport.send(server.url, b"{}", {}, stream=stream, limits=limits)
            return caught.value

    return asyncio.run(attempt())


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "plain"])
def test_a_stream_without_end_over_a_socket(stream):
    failure = send((head(chunked=True), *[chunked(TEXT * 40)] * 99), stream=stream)
    assert "never ends" in failure.message and not failure.is_retryable


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "plain"])
def test_a_plain_reply_without_end_over_a_socket(stream):
    script = (head(chunked=True), chunked(b'{"choices": "'), *[chunked(b"x" * 9000)] * 99)
    failure = send(script, stream=stream)
    assert "never ends" in failure.message and not failure.is_retryable


def test_a_stream_that_drips_for_ever_is_given_up_when_its_budget_must_be_spent():
    waits = Waits(first_byte_s=0.6, idle_s=0.8)
    script = (head(chunked=True), *[step for _ in range(40) for step in (chunked(TEXT), 0.05)])
    failure = send(script, stream=True, waits=waits, limits=replace(NO_BUDGET, writing_s=0.1))
    assert "never ends: still not done after" in failure.message and not failure.is_retryable


def test_an_error_page_without_end_is_read_no_further():
    page = chunked(b"Sorry. " * MAX_REFUSAL_BYTES)
    failure = send((head("500 Oops", chunked=True), page, STALL), stream=True, waits=Waits(first_byte_s=5.0))
    assert failure.status == 500 and failure.message.startswith("HTTP 500: Sorry.")


def test_what_comes_after_the_end_is_read_no_further(monkeypatch):
    monkeypatch.setattr("evals.transport.http_client.DRAIN_S", 30.0)
    end = chunked(TEXT + LAST + b"data: [DONE]\n\n")

    async def attempt():
        script = (head(chunked=True), end, chunked(b": more\n" * DRAIN_BYTES), STALL)
        async with wire_server(script) as server, Transport(Waits()) as transport, asyncio.timeout(15):
            return await transport.send(server.url, b"{}", {}, stream=True)

    assert asyncio.run(attempt()).response.content == "x"
