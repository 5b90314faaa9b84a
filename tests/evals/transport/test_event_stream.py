"""Server-sent events: the same events come out however the bytes were cut, ended, commented or marked."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.transport.event_stream import EventStream


def events_of(*blocks: bytes) -> list[bytes]:
    stream = EventStream()
    found = [data for block in blocks for data in stream.feed(block)]
    return [*found, *stream.close()]


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        pytest.param(b'data: {"a":1}\n\ndata: [DONE]\n\n', [b'{"a":1}', b"[DONE]"], id="LF"),
        pytest.param(b'data: {"a":1}\r\n\r\ndata: [DONE]\r\n\r\n', [b'{"a":1}', b"[DONE]"], id="CRLF"),
        pytest.param(b'data: {"a":1}\r\rdata: [DONE]\r\r', [b'{"a":1}', b"[DONE]"], id="CR alone"),
        pytest.param(b'data: {"a":1}\r\n\ndata: [DONE]\n\r\n', [b'{"a":1}', b"[DONE]"], id="mixed ends"),
        pytest.param(b'data:{"a":1}\n\n', [b'{"a":1}'], id="no space after the colon"),
        pytest.param(b'data:   {"a":1}  \n\n', [b'{"a":1}'], id="several spaces"),
        pytest.param(b': hello\n\ndata: {"a":1}\n\n: bye\n\n', [b'{"a":1}'], id="comments between"),
        pytest.param(b'data: {"a":\n: ping\ndata: 1}\n\n', [b'{"a":\n1}'], id="comment within an event"),
        pytest.param(
            b'event: message\nid: 7\nretry: 10\ndata: {"a":1}\n\n',
            [b'{"a":1}'],
            id="other fields are passed over",
        ),
        pytest.param(b'data: {"a":1}\nevent: x\n\n', [b'{"a":1}'], id="a field after the data"),
        pytest.param(b'data: {\ndata:  "a": 1\ndata: }\n\n', [b'{\n"a": 1\n}'], id="data over several lines"),
        pytest.param(
            b'data: {"a":[\ndata: {"b":1},\ndata: {"b":2}]}\n\n',
            [b'{"a":[\n{"b":1},\n{"b":2}]}'],
            id="a continued line that begins an object",
        ),
        pytest.param(
            b'data: {"a":1}\ndata: {"a":2}\ndata: [DONE]\n',
            [b'{"a":1}', b'{"a":2}', b"[DONE]"],
            id="one newline instead of two",
        ),
        pytest.param(b'data: {"a":1}\n\ndata: [DONE]', [b'{"a":1}', b"[DONE]"], id="no newline at the end"),
        pytest.param(
            b'data: {"a":1}\r\n\r\ndata: [DONE]\r', [b'{"a":1}', b"[DONE]"], id="ends in half a CRLF"
        ),
        pytest.param(b'\xef\xbb\xbfdata: {"a":1}\n\n', [b'{"a":1}'], id="byte order mark"),
        pytest.param(b"\xef\xbb\xbf", [], id="a byte order mark alone"),
        pytest.param(b'\n\n\ndata: {"a":1}\n\n\n\n', [b'{"a":1}'], id="blank lines around"),
        pytest.param(
            b'data: {"a":1}\n  \ndata: {"a":2}\n\n', [b'{"a":1}', b'{"a":2}'], id="a blank line of spaces"
        ),
        pytest.param(b"data:\n\n", [b""], id="no data is an empty event"),
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"Internal Server Error\n", [], id="no events at all"),
    ],
)
def test_events(sent, expected):
    assert events_of(sent) == expected
    assert events_of(*(bytes([byte]) for byte in sent)) == expected, "byte by byte"


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
MARKS = st.sampled_from([b"", b"\xef\xbb\xbf"])
ENDS = st.sampled_from([b"\n", b"\r\n", b"\r"])
NOISE = st.sampled_from([b"", b": ping", b"event: message", b"id: 3"])


@given(st.lists(TEXTS, max_size=6), MARKS, ENDS, st.lists(NOISE, min_size=7, max_size=7), st.data())
def test_any_cut_gives_the_same_events(texts, mark, end, noise, data):
    payloads = [json.dumps({"text": text}, ensure_ascii=False).encode() for text in texts]
    frames = [
        (extra + end if extra else b"") + b"data: " + payload + end + end
        for payload, extra in zip(payloads, noise, strict=False)
    ]
    sent = mark + b"".join(frames)
    cuts = data.draw(st.lists(st.integers(0, len(sent)), max_size=12).map(sorted))
    blocks = [sent[start:stop] for start, stop in itertools.pairwise([0, *cuts, len(sent)])]
    assert events_of(*blocks) == payloads


@given(st.lists(st.binary(max_size=20), max_size=8))
def test_no_bytes_are_too_odd(blocks):
    whole = events_of(b"".join(blocks))
    assert events_of(*blocks) == whole
