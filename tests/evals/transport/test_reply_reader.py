"""Bytes of one reply to a response: any cut of the bytes, either form, every way to end without an answer."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.transport.failure import Failure, FailureKind
from evals.transport.reply_reader import ReplyReader
from verifiers.response import Usage

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def chunk(*, finish=None, usage=None, **delta):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [choice],
        **({"usage": usage} if usage else {}),
    }


def body(*, finish="stop", **message):
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": USAGE,
    }


def sse(*frames, end=b"\n\n", done=True):
    said = [frame if isinstance(frame, bytes) else json.dumps(frame).encode() for frame in frames]
    return b"".join(b"data: " + data + end for data in [*said, *([b"[DONE]"] if done else [])])


USAGE_FRAME = {"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": USAGE}
GOOD = sse(
    chunk(role="assistant"),
    chunk(reasoning="because"),
    chunk(content="Answer: 7"),
    chunk(finish="stop"),
    USAGE_FRAME,
)


def read(*blocks, was_cut=False):
    reader = ReplyReader(0.0)
    for block in blocks:
        if reader.is_done:
            break
        reader.feed(block)
    return reader.finish(was_cut=was_cut)


def cut(data, places):
    return [data[start:stop] for start, stop in itertools.pairwise([0, *sorted(places), len(data)])]


WELL_SENT = [
    pytest.param(GOOD, id="usage after the finish, empty choices"),
    pytest.param(b"\xef\xbb\xbf" + GOOD, id="byte order mark"),
    pytest.param(b"\r\n\n" + GOOD, id="blank lines first"),
    pytest.param(b": OPENROUTER PROCESSING\n\n" + GOOD, id="a comment first"),
    pytest.param(b"retry: 3000\n\n" + GOOD, id="a retry field first"),
    pytest.param(b"id: 0\nevent: message\n" + GOOD, id="event and id first"),
    pytest.param(GOOD.replace(b"\n\n", b"\r\n\r\n"), id="CRLF"),
    pytest.param(GOOD.replace(b"\n\n", b"\n"), id="one newline"),
    pytest.param(GOOD.replace(b"\n\n", b"\n\n: ping\n\ndata:\n\n"), id="keep-alives and empty events"),
    pytest.param(GOOD + b"data: {not json", id="something after [DONE]"),
    pytest.param(
        sse(
            chunk(reasoning_content="because"), chunk(content="Answer: 7"), chunk(finish="stop", usage=USAGE)
        ),
        id="usage on the finish chunk, reasoning_content",
    ),
    pytest.param(
        sse(chunk(reasoning="because"), chunk(content="Answer: 7", finish="stop"), USAGE_FRAME, done=False),
        id="finish on the last text, no [DONE]",
    ),
    pytest.param(json.dumps(body(reasoning="because", content="Answer: 7")).encode(), id="plain"),
    pytest.param(
        b"\xef\xbb\xbf" + json.dumps(body(reasoning="because", content="Answer: 7")).encode(),
        id="plain, marked",
    ),
    pytest.param(
        b" \r\n\n" + json.dumps(body(reasoning_content="because", content="Answer: 7")).encode() + b"\n",
        id="plain, blank around",
    ),
    pytest.param(
        json.dumps(body(reasoning="because", content="Answer: 7"), indent=2).encode(), id="plain, pretty"
    ),
]


@pytest.mark.parametrize("sent", WELL_SENT)
@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
def test_one_answer_however_it_is_sent_and_cut(sent, size):
    reply = read(*(sent[start : start + size] for start in range(0, len(sent), size)))
    response = reply.response
    assert (response.reasoning, response.content, response.finish_reason) == ("because", "Answer: 7", "stop")
    assert response.usage == Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15)
    assert response.flags == ()


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.data())
def test_any_text_survives_any_cut(text, data):
    sent = sse(chunk(content=text[:3]), chunk(content=text[3:]), chunk(finish="stop"), USAGE_FRAME).decode()
    raw = json.loads(json.dumps(sent)).encode()
    places = data.draw(st.lists(st.integers(0, len(raw)), max_size=8))
    response = read(*cut(raw, places)).response
    assert response.content == text
    plain = json.dumps(body(content=text), ensure_ascii=False).encode()
    assert read(*cut(plain, [place % (len(plain) + 1) for place in places])).response.content == text


def test_absent_usage_stays_unknown_and_chunks_are_counted():
    reply = read(sse(chunk(role="assistant"), chunk(content="a"), chunk(content="b"), chunk(finish="stop")))
    assert reply.response.usage is None
    assert reply.n_chunks == 2
    assert reply.ttft_s is not None


def test_a_plain_reply_has_no_time_to_first_token():
    reply = read(json.dumps(body(content="a")).encode())
    assert (reply.ttft_s, reply.n_chunks) == (None, 0)


FAILURES = [
    pytest.param(b"", "the reply is empty", id="nothing"),
    pytest.param(b" \n\r\n", "the reply is empty", id="white space"),
    pytest.param(b"\xef\xbb\xbf", "the reply is empty", id="a byte order mark"),
    pytest.param(b"<html><h1>Welcome</h1>", "HTML", id="a proxy's page"),
    pytest.param(b"\xef\xbb\xbf<!doctype html>", "HTML", id="a marked page"),
    pytest.param(b"upstream connect error", "not JSON: 'upstream connect error'", id="a proxy's words"),
    pytest.param(b"Internal Server Error", "not JSON", id="words in capitals"),
    pytest.param(b'{"choices": [{"mess', "not JSON", id="half a plain body"),
    pytest.param(b"[]", "list", id="a list"),
    pytest.param(b'"overloaded"', "overloaded", id="a bare string"),
    pytest.param(b"null", "NoneType", id="null"),
    pytest.param(json.dumps({"choices": []}).encode(), "no choices", id="plain without choices"),
    pytest.param(
        json.dumps(body(finish=None, content="a")).encode(),
        "without a finish reason",
        id="plain, null finish",
    ),
    pytest.param(json.dumps(body(finish="abort", content="a")).encode(), "abort", id="plain, aborted"),
    pytest.param(json.dumps(body(finish="error", content="a")).encode(), "error", id="plain, finish error"),
    pytest.param(
        json.dumps({"error": {"message": "engine died", "code": 500}}).encode(),
        "engine died",
        id="200 with an error",
    ),
    pytest.param(sse(chunk(content="a"), done=False), "without a finish reason", id="stream cut"),
    pytest.param(sse(chunk(content="a")), r"ended with \[DONE\] but without", id="[DONE] without a finish"),
    pytest.param(
        sse(chunk(finish=None, content="a"), USAGE_FRAME), "without a finish reason", id="usage but no finish"
    ),
    pytest.param(sse(), "without a finish reason", id="[DONE] alone"),
    pytest.param(b": ping\n\n: ping\n\n", "without a finish reason", id="keep-alives alone"),
    pytest.param(
        sse(chunk(content="a"), {"error": {"message": "engine died"}}), "engine died", id="an error frame"
    ),
    pytest.param(
        sse(chunk(content="a", finish="stop"), {"error": {"message": "late"}}),
        "late",
        id="an error after the finish",
    ),
    pytest.param(
        sse(chunk(content="a"), b'{"choices": [{"del', chunk(finish="stop")), "not JSON", id="a frame cut"
    ),
    pytest.param(sse(chunk(content="a"), b"[1]", chunk(finish="stop")), "list", id="a frame that is a list"),
    pytest.param(sse(chunk(content="a"), chunk(finish="abort")), "abort", id="aborted"),
    pytest.param(
        sse(chunk(content="a"), chunk(finish="quantum_flux")), "quantum_flux", id="a word nobody knows"
    ),
    pytest.param(
        b'data: {"choices": [{"index": 0, "delta": {"content": "a"}, "fini', "not JSON", id="cut in a frame"
    ),
]


@pytest.mark.parametrize(("sent", "words"), FAILURES)
def test_no_answer_is_a_failure_that_is_retried(sent, words):
    with pytest.raises(Failure, match=words) as caught:
        read(sent)
    assert caught.value.kind is FailureKind.SERVER
    assert caught.value.is_retryable


@pytest.mark.parametrize(
    "error",
    [
        {"message": "This model's maximum context length is 1000 tokens", "code": "context_length_exceeded"},
        {"message": "too long", "code": 400},
        {"message": "too long", "code": "400"},
        {"message": "bad", "type": "invalid_request_error", "code": None},
        {"message": "bad", "type": "BadRequestError"},
        {"message": "who are you", "code": 401},
        {"message": "no such model", "code": "model_not_found"},
    ],
    ids=lambda error: str(error.get("code") or error.get("type")),
)
@pytest.mark.parametrize("form", ["plain", "streamed"])
def test_a_refusal_with_status_200_is_a_setting_and_not_retried(error, form):
    with pytest.raises(Failure) as caught:
        read(json.dumps({"error": error}).encode() if form == "plain" else sse({"error": error}))
    assert caught.value.kind is FailureKind.CONFIGURATION
    assert not caught.value.is_retryable
    assert error["message"] in str(caught.value)


@pytest.mark.parametrize("code", [429, "429", "rate_limit_exceeded"])
def test_a_rate_limit_with_status_200_is_one(code):
    with pytest.raises(Failure) as caught:
        read(sse({"error": {"message": "slow down", "code": code}}))
    assert caught.value.is_rate_limit and caught.value.is_retryable


def test_a_stream_cut_after_its_finish_reason_is_whole_and_flagged():
    reader = ReplyReader(0.0)
    reader.feed(sse(chunk(content="Answer: 7"), chunk(finish="stop"), done=False) + b'data: {"choi')
    assert reader.is_finished
    response = reader.finish(was_cut=True).response
    assert (response.content, response.finish_reason) == ("Answer: 7", "stop")
    assert response.flags == ("cut_after_finish",)
    assert response.usage is None


@pytest.mark.parametrize(
    "sent",
    [b"", b"data: ", sse(chunk(content="a"), done=False), json.dumps(body(content="a")).encode()[:-1]],
    ids=["nothing", "half a line", "text", "half a plain body"],
)
def test_what_has_no_finish_reason_is_not_finished(sent):
    reader = ReplyReader(0.0)
    reader.feed(sent)
    assert not reader.is_finished


@pytest.mark.parametrize(
    ("halves", "expected"),
    [
        pytest.param([r"\ud835", r"\udd3d"], "\U0001d53d", id="a sign cut between chunks"),
        pytest.param([r"x\ud835", "y"], "x\ufffdy", id="a half alone"),
        pytest.param([r"\udd3d\ud835", r"\udd3d"], "\ufffd\U0001d53d", id="a half and a whole"),
    ],
)
def test_halves_of_surrogate_pairs_become_text_that_can_be_written(halves, expected):
    frames = [b'{"choices":[{"index":0,"delta":{"content":"' + half.encode() + b'"}}]}' for half in halves]
    content = read(sse(*frames, chunk(finish="stop"))).response.content
    assert content == expected
    content.encode()


def test_numbers_that_json_does_not_know_spoil_nothing():
    frame = b'{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"x":NaN}}],"usage":{"completion_tokens":Infinity}}'
    response = read(sse(frame, chunk(finish="stop"))).response
    assert response.content == "a"
    assert response.usage is None


def test_token_counts_beyond_sense_are_unknown():
    frame = (
        json.dumps(chunk(content="a", finish="stop")).encode()[:-1]
        + b',"usage":{"completion_tokens":1'
        + b"0" * 30
        + b"}}"
    )
    response = read(sse(frame)).response
    assert response.usage is None
    assert "usage_malformed" in response.flags
