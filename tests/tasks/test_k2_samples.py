"""Sample lines keep their number and everything in them, whatever stands around them."""

import hashlib
import json
import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.k2_samples import read_samples, request_digest, sample_row, with_known_roles
from tasks.rows import DataError

ASK = {"model": "m", "messages": [{"role": "user", "content": "q"}], "tools": []}


def written(tmp_path, *lines):
    path = tmp_path / "samples.jsonl"
    path.write_bytes(
        b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    )
    return path


def test_numbers_are_those_of_the_lines(tmp_path):
    rows = read_samples(written(tmp_path, ASK, b"", b"{broken", ASK))
    assert [row["data_index"] for row in rows] == [1, 3, 4]
    assert ["request" in row for row in rows] == [True, False, True]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param(b"{cut", "not JSON", id="cut"),
        pytest.param(b'{"messages": [1]} x', "not JSON", id="something behind it"),
        pytest.param(b"[1]", "a JSON list, not an object", id="a list"),
        pytest.param(b'"text"', "a JSON str, not an object", id="a text"),
        pytest.param(b"null", "a JSON NoneType, not an object", id="null"),
        pytest.param(b"{}", "no messages", id="an empty object"),
        pytest.param(b'{"messages": []}', "no messages", id="empty messages"),
        pytest.param(b'{"messages": "hello"}', "no messages", id="messages that are a text"),
        pytest.param(b'{"messages": null, "request": null}', "no messages", id="null messages"),
        pytest.param(
            b'{"data_index": 7, "request": {"messages": []}}', "no messages", id="a result without any"
        ),
        pytest.param(b"\xff\xfe{}", "codec|not JSON", id="not UTF-8"),
        pytest.param(b"[" * 100_000, "nested too deeply|not JSON", id="nested without end"),
        pytest.param(
            b'{"messages": [' + b"9" * 5000 + b"]}", "Exceeds the limit|integer", id="an endless number"
        ),
    ],
)
def test_a_broken_line_says_what_is_broken(tmp_path, line, words):
    good, bad = read_samples(written(tmp_path, ASK, line))
    assert good["request"] == ASK
    assert re.search(words, bad["broken"]), bad


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_lines_is_refused(tmp_path, content):
    (tmp_path / "s.jsonl").write_bytes(content)
    with pytest.raises(DataError, match="holds no rows"):
        read_samples(tmp_path / "s.jsonl")


def test_a_path_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_samples(tmp_path / "absent.jsonl")


def test_a_byte_order_mark_is_no_fault(tmp_path):
    (row,) = read_samples(written(tmp_path, b"\xef\xbb\xbf" + json.dumps(ASK).encode()))
    assert row["request"] == ASK


def test_results_bring_their_number_and_their_request(tmp_path):
    result = {"data_index": 41, "request": ASK, "response": {"choices": []}, "status": "success"}
    (row,) = read_samples(written(tmp_path, result))
    assert (row["data_index"], row["request"]) == (41, ASK)


KEYS = st.text(max_size=4) | st.sampled_from(["role", "content", "tool_calls", "_input", "id"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
MESSAGES = st.lists(
    st.dictionaries(KEYS, VALUES, max_size=4)
    | st.fixed_dictionaries({"name": VALUES, "role": st.just("_input"), "content": VALUES}),
    min_size=1,
    max_size=4,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), MESSAGES)
def test_only_the_role_input_is_changed(others, messages):
    request = {**others, "messages": messages, "after": None}
    changed = with_known_roles(request)
    text = json.dumps(changed)  # order and nulls as they stand
    back = json.loads(text)
    for message, before in zip(back["messages"], messages, strict=True):
        if before.get("role") == "_input":
            assert message["role"] == "system"
            message["role"] = "_input"
    assert json.dumps(back) == json.dumps(request)


def test_the_digest_is_of_what_is_asked_and_not_of_how(tmp_path):
    request = {**ASK, "tools": [{"a": 1.0, "b": "é"}]}
    other = {"tools": [{"b": "é", "a": 1.0}], "temperature": 0.3, "stream": True, **ASK, "model": "x"}
    other["tools"] = [{"b": "é", "a": 1.0}]
    assert request_digest(request) == request_digest(other)
    asked = {"messages": request["messages"], "tools": request["tools"]}
    canonical = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)
    assert request_digest(request) == hashlib.sha256(canonical).hexdigest()[:16]
    assert request_digest(request) != request_digest({**request, "tools": None})


@pytest.mark.parametrize("odd", ["\ud83d", 2**70, -(2**70)], ids=["half a pair", "huge", "huge and negative"])
def test_what_strict_json_cannot_hold_has_a_digest_too(odd):
    request = {"messages": [{"role": "user", "content": odd}]}
    assert request_digest(request) == request_digest(json.loads(json.dumps(request)))
    assert "request" in sample_row(1, request)
