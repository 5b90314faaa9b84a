"""Raw bytes to what they amount to; the bodies are those of real servers, typed off and shortened."""

import json
from typing import Any

import pytest

from evals.probe_client import Ended, RawReply
from evals.probe_reply import read_error, read_reply
from verifiers.contract_evidence import ReplyKind

VLLM_PLAIN = {
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "reasoning": "Primary colors are",
                "refusal": None,
            },
            "finish_reason": "length",
        }
    ],
    "usage": {"prompt_tokens": 35, "total_tokens": 83, "completion_tokens": 48},
}
VLLM_N2 = {
    "choices": [
        {"index": index, "message": {"role": "assistant", "content": "Three"}, "finish_reason": "length"}
        for index in (0, 1)
    ]
}
LLAMA_STREAM = (
    'data: {"choices":[{"finish_reason":null,"index":0,"delta":{"role":"assistant","content":null}}]}\n\n'
    'data: {"choices":[{"finish_reason":null,"index":0,"delta":{"content":"The"}}]}\n\n'
    'data: {"choices":[{"finish_reason":"stop","index":0,"delta":{}}]}\n\n'
    'data: {"choices":[],"usage":{"completion_tokens":2,"prompt_tokens":35,"total_tokens":37}}\n\n'
    "data: [DONE]\n\n"
)
HTML = "<html><head><title>502 Bad Gateway</title></head></html>"


def raw(body: Any, status: int = 200, **more: Any) -> RawReply:
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    return RawReply(**{"ended": Ended.WHOLE, "status": status, "body": data, **more})


def test_a_plain_reply() -> None:
    reply = read_reply(raw(VLLM_PLAIN))
    assert (reply.kind, reply.n_choices, reply.is_stream) == (ReplyKind.ANSWERED, 1, False)
    assert reply.response is not None
    assert reply.response.reasoning == "Primary colors are"
    assert reply.fields == {"reasoning"}


def test_several_choices_are_counted_plain_and_streamed() -> None:
    assert read_reply(raw(VLLM_N2)).n_choices == 2
    chunks = [
        {"choices": [{"index": index, "delta": {"content": "a"}, "finish_reason": reason}]}
        for index, reason in ((0, None), (1, None), (0, "stop"), (1, "stop"))
    ]
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    assert read_reply(raw(text)).n_choices == 2


def test_a_streamed_reply() -> None:
    reply = read_reply(raw(LLAMA_STREAM))
    assert (reply.kind, reply.is_stream, reply.is_done) == (ReplyKind.ANSWERED, True, True)
    assert reply.response is not None
    assert (reply.response.content, reply.fields) == ("The", {"content"})
    assert reply.response.usage is not None
    assert reply.response.usage.prompt_tokens == 35


def test_a_content_of_parts_is_noted() -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "OK"}]}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    assert "content[]" in read_reply(raw(body)).fields


BROKEN = {
    "html": (HTML, "HTML"),
    "empty": ("", "empty"),
    "not json": ("{nope", "not JSON"),
    "a list": ("[1]", "list"),
    "no choices": ({"object": "chat.completion", "choices": []}, "no choices"),
    "error under 200": ({"error": {"message": "Engine is gone", "code": 500}}, "Engine is gone"),
    "no finish reason": (
        {"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": None}]},
        "finish reason",
    ),
    "aborted": (
        {"choices": [{"index": 0, "message": {"content": "a"}, "finish_reason": "abort"}]},
        "abort",
    ),
    "cut stream": (LLAMA_STREAM.split("data: {", 3)[2].join(("data: {", "")), "finish reason"),
    "garbage frame": ('data: {"choices":[\n\ndata: [DONE]\n\n', "not JSON"),
    "error in the stream": ('data: {"error": {"message": "died", "code": 500}}\n\n', "died"),
}


@pytest.mark.parametrize(("body", "words"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_completion_is_broken_and_says_how(body: Any, words: str) -> None:
    reply = read_reply(raw(body))
    assert reply.kind is ReplyKind.BROKEN
    assert reply.response is None
    assert words in reply.fault


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, ReplyKind.REFUSED),
        (401, ReplyKind.REFUSED),
        (404, ReplyKind.REFUSED),
        (422, ReplyKind.REFUSED),
        (408, ReplyKind.BROKEN),
        (429, ReplyKind.BROKEN),
        (302, ReplyKind.BROKEN),
        (500, ReplyKind.BROKEN),
        (502, ReplyKind.BROKEN),
    ],
)
def test_only_a_no_to_the_request_is_a_refusal(status: int, kind: ReplyKind) -> None:
    assert read_reply(raw({"error": {"message": "no"}}, status)).kind is kind


@pytest.mark.parametrize(
    ("body", "message"),
    [
        # vLLM, llama.cpp, FastAPI's own page, vLLM's older flat form, a proxy
        ({"error": {"message": "n must be at least 1, got 0.", "param": None, "code": 400}}, "n must be at least 1, got 0."),
        ({"error": {"code": 400, "message": "'messages' is required", "type": "bad"}}, "'messages' is required"),
        ({"detail": "Not Found"}, None),
        ({"object": "error", "message": "bad", "code": 400}, None),
        ({"error": "bad"}, None),
        ({"error": {"code": 400}}, None),
        ([], None),
        (HTML, None),
        ("", None),
    ],
)  # fmt: skip
def test_an_error_object_is_one_of_openais_form(body: Any, message: str | None) -> None:
    error = read_error(raw(body).body)
    assert (error.message if error is not None else None) == message
