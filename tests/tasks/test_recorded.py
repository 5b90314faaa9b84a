from typing import Any

import pytest

from tasks.recorded import RowError, read_recorded


def completion(content: str | None, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
    }
    return {"id": "c", "object": "chat.completion", "choices": [choice]}


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


@pytest.mark.parametrize(
    ("row", "content", "reasoning", "finish"),
    [
        pytest.param({"response": "x"}, "x", None, "stop", id="text alone stopped by itself"),
        pytest.param({"response": "x", "finish_reason": "length"}, "x", None, "length", id="told finish"),
        pytest.param(
            {"response": "x", "finish_reason": None}, "x", None, None, id="null finish never finished"
        ),
        pytest.param({"response": None, "reasoning": "r"}, None, "r", "stop", id="reasoning only"),
        pytest.param({"raw": completion("x", reasoning="r")}, "x", "r", "stop", id="a whole completion"),
        pytest.param({"response": completion("x")}, "x", None, "stop", id="a completion as response"),
        pytest.param(
            {"chunks": [chunk({"content": "x"}), chunk({}, "stop")]}, "x", None, "stop", id="chunks"
        ),
        pytest.param({"chunks": [chunk({"content": "x"})]}, "x", None, None, id="chunks without an end"),
        pytest.param(
            {
                "chunks": [
                    'data: {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}]}',
                    "data: [DONE]",
                ]
            },
            "x",
            None,
            "stop",
            id="chunks as they came over the wire",
        ),
        pytest.param({"chunks": []}, None, None, None, id="no chunk at all"),
    ],
)
def test_every_form_of_a_response_is_read(
    row: dict[str, Any], content: str | None, reasoning: str | None, finish: str | None
) -> None:
    response = read_recorded({"id": "a", **row}).response
    assert response is not None
    assert (response.content, response.reasoning, response.finish_reason) == (content, reasoning, finish)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        pytest.param({"raw": {"error": {"message": "out of memory"}}}, "out of memory", id="an error body"),
        pytest.param({"raw": {"choices": []}}, "no choices", id="no choices"),
        pytest.param({"raw": "<html>"}, "not JSON", id="a page of a proxy"),
        pytest.param({"response": {"error": "rate limit"}}, "rate limit", id="an error as response"),
        pytest.param(
            {"chunks": [chunk({"content": "x"}), {"error": {"message": "boom"}}]}, "boom", id="mid-stream"
        ),
    ],
)
def test_what_the_endpoint_failed_to_give_is_a_fault_and_no_response(row: dict[str, Any], words: str) -> None:
    recorded = read_recorded({"id": "a", **row})
    assert recorded.response is None
    assert words in recorded.fault


@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"response": "x"}, "id"),
        ({"id": None, "response": "x"}, "id"),
        ({"id": True, "response": "x"}, "id"),
        ({"id": "", "response": "x"}, "id"),
        ({"id": "a"}, "no response"),
        ({"id": "a", "response": 7}, "response is a int"),
        ({"id": "a", "response": "x", "epoch": "1"}, "epoch"),
        ({"id": "a", "response": "x", "epoch": 1.5}, "epoch"),
        ({"id": "a", "response": "x", "reasoning": []}, "reasoning"),
        ({"id": "a", "response": "x", "finish_reason": 3}, "finish_reason"),
        ({"id": "a", "raw": [1]}, "raw"),
        ({"id": "a", "chunks": {}}, "chunks"),
        ({"id": "a", "chunks": [3]}, r"chunks\[0\]"),
    ],
)
def test_a_row_that_says_too_little_is_refused_by_field(row: dict[str, Any], named: str) -> None:
    with pytest.raises(RowError, match=named):
        read_recorded(row)
