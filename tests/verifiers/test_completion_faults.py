"""Replies that are none: error frames, bodies without choices, shapes that no completion has."""

from typing import Any

import pytest

from tests.verifiers.completion_frames import USAGE, chunk, stream
from verifiers.completion import (
    CompletionAssembler,
    ErrorFrame,
    MalformedReply,
    NoChoices,
    read_completion,
)


@pytest.mark.parametrize(
    ("frame", "message", "code", "kind"),
    [
        pytest.param(
            {"error": {"message": "m", "code": 500, "type": "ServerError", "param": None}},
            "m",
            500,
            "ServerError",
            id="object",
        ),
        pytest.param({"error": "m"}, "m", None, None, id="words"),
        pytest.param(
            {"error": {"message": "m"}, "choices": [{"delta": {}}]}, "m", None, None, id="beside choices"
        ),
        pytest.param(
            {"object": "error", "message": "m", "code": 40001, "type": "T"}, "m", 40001, "T", id="old vLLM"
        ),
        pytest.param(
            {"type": "error", "error": {"type": "overloaded", "message": "m"}},
            "m",
            None,
            "overloaded",
            id="event",
        ),
        pytest.param({"detail": "m"}, "m", None, None, id="FastAPI"),
        pytest.param(
            {"detail": [{"loc": ["body"], "msg": "m", "type": "missing"}]},
            "m",
            None,
            "missing",
            id="FastAPI validation",
        ),
        pytest.param({"code": "E1", "msg": "m", "choices": []}, "m", "E1", None, id="msg"),
        pytest.param(
            {"base_resp": {"status_code": 1004, "status_msg": "m"}}, "m", 1004, None, id="base_resp"
        ),
        pytest.param({"error": {"errno": 3}}, '{"errno": 3}', None, None, id="unknown words are shown"),
        pytest.param(
            {"choices": [{"finish_reason": "error", "error": {"message": "m", "code": 502}}]},
            "m",
            502,
            None,
            id="in the choice",
        ),
        pytest.param(
            {"choices": [{"delta": {}, "finish_reason": "error", "error": {"message": "m"}}]},
            "m",
            None,
            None,
            id="in a choice with a delta",
        ),
    ],
)
def test_error_frames_carry_the_servers_words(frame: Any, message: str, code: Any, kind: str | None) -> None:
    assembler = CompletionAssembler()
    assembler.add(chunk({"content": "so far"}))
    for read in (read_completion, assembler.add):
        with pytest.raises(ErrorFrame) as caught:
            read(frame)
        assert (caught.value.message, caught.value.code, caught.value.type) == (message, code, kind)
        assert str(caught.value) == message
    assert assembler.finish().content == "so far"


@pytest.mark.parametrize(
    "frame",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"id": "c", "usage": USAGE},
        {"choices": [], "error": None},
        {"error": {}},
    ],
)
def test_body_without_choices(frame: Any) -> None:
    with pytest.raises(NoChoices, match="no choices in"):
        read_completion(frame)


@pytest.mark.parametrize(
    "frame",
    [
        None,
        [],
        "x",
        3,
        {"choices": {"a": 1}},
        {"choices": "x"},
        {"choices": [None]},
        {"choices": ["x"]},
        {"choices": [{"message": "x"}]},
        {"choices": [{"delta": "x"}]},
        {"choices": [{"delta": []}]},
    ],
)
def test_shapes_that_no_completion_has(frame: Any) -> None:
    for read in (read_completion, CompletionAssembler().add):
        with pytest.raises(MalformedReply, match="expected"):
            read(frame)


@pytest.mark.parametrize(
    ("frame", "flags"),
    [
        pytest.param({"type": "ping"}, ("unknown_frame",), id="no completion chunk"),
        pytest.param({"choices": []}, (), id="no choices yet"),
        pytest.param({"choices": [], "prompt_filter_results": [{}]}, (), id="filter results"),
        pytest.param({"usage": USAGE}, (), id="usage alone"),
        pytest.param({"choices": None, "usage": USAGE}, (), id="usage, choices null"),
        pytest.param({"choices": [], "usage": USAGE, "base_resp": {"status_code": 0}}, (), id="good status"),
    ],
)
def test_chunks_without_choices(frame: Any, flags: tuple[str, ...]) -> None:
    response = stream(chunk({"content": "x"}), frame, chunk({}, "stop"))
    assert (response.content, response.flags) == ("x", flags)
