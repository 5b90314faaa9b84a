"""Faults of the wire as a client sees them, streamed and plain: statuses, cuts, noise."""

import email.utils
import json
import time

import pytest

from evals.simulator.fault_kind import FaultKind as Kind

STATUSES = {
    Kind.HTTP_400_CONTEXT: 400,
    Kind.HTTP_401: 401,
    Kind.HTTP_403: 403,
    Kind.HTTP_404: 404,
    Kind.HTTP_408: 408,
    Kind.HTTP_409: 409,
    Kind.HTTP_422: 422,
    Kind.HTTP_425: 425,
    Kind.HTTP_429: 429,
    Kind.HTTP_429_DATE: 429,
    Kind.HTTP_429_BARE: 429,
    Kind.HTTP_429_GARBAGE: 429,
    Kind.HTTP_500: 500,
    Kind.HTTP_502_HTML: 502,
    Kind.HTTP_503: 503,
    Kind.HTTP_504: 504,
    Kind.HTTP_529: 529,
}


@pytest.mark.parametrize(("kind", "status"), STATUSES.items(), ids=list(STATUSES))
def test_error_statuses_and_their_end(start, kind, status, shape):
    client = start(f"{kind.value}=first:1")
    assert client.ask(**shape).status == status
    assert client.ask(**shape).status == 200
    ledger = client.ledger()
    assert ledger["statuses"] == {"200": 1, str(status): 1} and ledger["completed"] == 1


def test_retry_after_in_seconds_as_a_date_absent_and_senseless(start):
    assert start("http_429=1", retry_after_s=7).ask().headers["retry-after"] == "7"
    assert "retry-after" not in start("http_429_bare=1").ask().headers
    assert start("http_429_garbage=1").ask().headers["retry-after"] == "soon"
    when = start("http_429_date=1", retry_after_s=7).ask().headers["retry-after"]
    assert 6 <= email.utils.parsedate_to_datetime(when).timestamp() - time.time() <= 9


@pytest.mark.parametrize("kind", ["connect_reset", "connect_close"])
def test_no_reply_at_all(start, kind, shape):
    client = start(f"{kind}=first:1")
    with pytest.raises(ConnectionError):
        client.ask(**shape)
    assert client.ask(**shape).status == 200
    assert client.ledger()["statuses"] == {"0": 1, "200": 1}


@pytest.mark.parametrize(
    ("kind", "shows"),
    [
        ("ok_error_body", lambda answer: answer.json()["error"]["code"] == 500),
        ("ok_error_text", lambda answer: answer.json() == {"error": "Engine is gone (simulated)"}),
        ("ok_error_flat", lambda answer: answer.json()["object"] == "error" and answer.json()["code"] == 500),
        ("ok_no_choices", lambda answer: answer.json()["choices"] == []),
        ("ok_html", lambda answer: answer.body.startswith(b"<html>")),
        ("ok_empty", lambda answer: answer.body == b""),
    ],
)
def test_a_200_that_is_none(start, kind, shows, shape):
    client = start(f"{kind}=1")
    answer = client.ask(**shape)
    assert answer.status == 200 and shows(answer)
    assert client.ledger()["completed"] == 0


def half_way(answer, whole) -> bool:
    return 0 < len(answer.streamed("reasoning")) < len(whole.streamed("reasoning"))


SPOILED_STREAMS = {
    "reset_mid_stream": lambda a, w: (
        a.error == "ConnectionResetError" and half_way(a, w) and not a.finishes()
    ),
    "close_mid_stream": lambda a, w: a.error == "IncompleteRead" and half_way(a, w) and not a.finishes(),
    "error_event": lambda a, w: b"event: error\ndata: {" in a.body and half_way(a, w) and not a.finishes(),
    "cut_mid_stream": lambda a, w: a.error is None and half_way(a, w) and "[DONE]" not in a.payloads(),
    "done_without_finish": lambda a, w: half_way(a, w) and a.payloads()[-1] == "[DONE]" and not a.finishes(),
    "error_frame": lambda a, w: half_way(a, w) and "error" in a.chunks()[-1] and not a.finishes(),
    "finish_null_then_eof": lambda a, w: a.streamed("content") == w.streamed("content") and not a.finishes(),
    "finish_abort": lambda a, w: half_way(a, w) and a.finishes() == ["abort"],
}
SPOILED_PLAIN = {
    "reset_mid_stream": lambda a: a.error == "ConnectionResetError" and b'"choices"' in a.body,
    "close_mid_stream": lambda a: a.error == "IncompleteRead" and b'"choices"' in a.body,
    "error_event": lambda a: a.json()["error"]["code"] == 500,
    "cut_mid_stream": lambda a: a.error is None and not is_json(a.body),
    "garbage_json": lambda a: not is_json(a.body),
    "done_without_finish": lambda a: a.json()["choices"][0]["finish_reason"] is None,
    "finish_null_then_eof": lambda a: a.json()["choices"][0]["finish_reason"] is None,
    "error_frame": lambda a: a.json()["error"]["code"] == 500,
    "finish_abort": lambda a: a.json()["choices"][0]["finish_reason"] == "abort",
}


def is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("kind", SPOILED_STREAMS)
def test_spoiled_streams(start, kind):
    client = start(f"{kind}=first:1", frames_per_write=1)
    broken, whole = (client.ask("Problem always", seed=1, stream=True) for _ in range(2))
    assert SPOILED_STREAMS[kind](broken, whole)
    assert client.ledger()["completed"] == 1


@pytest.mark.parametrize("kind", SPOILED_PLAIN)
def test_spoiled_plain_replies(start, kind):
    client = start(f"{kind}=1")
    assert SPOILED_PLAIN[kind](client.ask("Problem always", seed=1))
    assert client.ledger()["completed"] == 0


def test_a_frame_that_is_not_json(start):
    answer = start("garbage_json=1").ask("Problem always", seed=1, stream=True)
    broken = [
        payload for payload in answer.payloads() if payload != "[DONE]" and not is_json(payload.encode())
    ]
    assert len(broken) == 1 and answer.payloads()[-1] == "[DONE]"


def test_a_stall_lasts_until_the_client_leaves(start, shape):
    client = start("stall=1")
    with pytest.raises(TimeoutError):
        client.ask("Problem always", timeout_s=0.2, **shape)
    time.sleep(0.05)
    assert client.ledger()["abandoned"] == 1


def test_text_without_end_until_the_client_leaves(start, shape):
    client = start("endless=1")
    received = client.receive("Problem always", n_bytes=1_000_000, max_tokens=50, **shape)
    assert len(received) >= 1_000_000 and b'finish_reason":"' not in received
    time.sleep(0.05)
    assert client.ledger()["abandoned"] == 1


def test_a_slow_start(start, shape):
    client = start("slow_start=1", slow_start_s=0.2)
    began = time.monotonic()
    assert client.ask(**shape).status == 200
    assert time.monotonic() - began >= 0.2


NOISES = {
    "keepalive_comments": b": keep-alive\n\n",
    "crlf": b"}\r\n\r\ndata: ",
    "data_no_space": b"\n\ndata:{",
    "sse_fields": b"event: message\nid: 7\ndata: ",
    "empty_choices_first": b'"choices":[]}',
    "no_done": None,
}


@pytest.mark.parametrize(("kind", "mark"), NOISES.items())
def test_noise_changes_nothing_that_is_said(start, kind, mark):
    quiet = start().ask("Problem always", seed=1, stream=True)
    client = start(f"{kind}=1")
    noisy = client.ask("Problem always", seed=1, stream=True)
    assert mark is None or (mark in noisy.body and mark not in quiet.body)
    for field in ("reasoning", "content"):
        assert noisy.streamed(field) == quiet.streamed(field)
    assert (noisy.payloads()[-1] == "[DONE]") == (kind != "no_done") and noisy.finishes() == ["stop"]
    assert client.ledger()["completed"] == 1


def test_white_space_before_a_plain_body(start):
    answer = start("keepalive_comments=1").ask("Problem always", seed=1)
    assert answer.body[:1].isspace() and r"\boxed{70}" in answer.message["content"]


def test_splits_fall_inside_characters_and_lose_nothing(start, shape):
    answer = start("split_utf8=1").ask("Problem always", seed=1, **shape)
    reasoning = answer.streamed("reasoning") if shape else answer.message["reasoning"]
    assert "\u7d20\u6570 \U0001d53d" in reasoning


def test_a_stream_asked_for_and_not_given(start):
    answer = start("ignore_stream=1").ask(stream=True)
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json()["object"] == "chat.completion"
