"""What the endpoint refuses, with which status and in whose words."""

import re

import pytest

# The first bytes of a PNG image.
HALF_AN_IMAGE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAADwAAAAe"

REFUSALS = [
    pytest.param({"model": "other"}, 404, "does not exist", id="unknown model"),
    pytest.param(
        {"temperature": -1}, 400, "got -1. .parameter=temperature, value=-1", id="temperature below 0"
    ),
    pytest.param({"temperature": 2.5}, 400, "temperature", id="temperature above 2"),
    pytest.param({"temperature": "hot"}, 400, "temperature", id="temperature no number"),
    pytest.param({"top_p": 0}, 400, "top_p", id="top_p 0"),
    pytest.param({"top_p": 1.1}, 400, "top_p", id="top_p above 1"),
    pytest.param({"n": 0}, 400, "n must", id="n 0"),
    pytest.param({"seed": "x"}, 400, "seed", id="seed no integer"),
    pytest.param({"max_tokens": 0}, 400, "max_tokens must be at least 1, got 0", id="budget 0"),
    pytest.param({"max_tokens": 1.5}, 400, "max_tokens", id="budget no integer"),
    pytest.param(
        {"max_tokens": 131072},
        400,
        "max_tokens=131072 cannot be greater than max_model_len=2048. Please request fewer output tokens. "
        r"\(parameter=max_tokens, value=131072\)",
        id="budget beyond the context",
    ),
    pytest.param(
        {"max_completion_tokens": 9999},
        400,
        "max_completion_tokens=9999 cannot",
        id="other budget beyond the context",
    ),
    pytest.param(
        {"max_tokens": 2045},
        400,
        "maximum context length is 2048 tokens. However, you requested 2045 output tokens and your prompt "
        "contains at least 4 input tokens, for a total of at least 2049 tokens",
        id="prompt and budget beyond the context",
    ),
    pytest.param({"messages": []}, 400, "messages", id="no messages"),
    pytest.param({"messages": "hi"}, 400, "messages", id="messages no list"),
    pytest.param({"messages": [{"role": "_input", "content": "x"}]}, 400, "role", id="unknown role"),
    pytest.param({"messages": [{"role": "user", "content": 3}]}, 400, "content", id="content no text"),
    pytest.param({"stream": "yes"}, 400, "stream", id="stream no boolean"),
    pytest.param(
        {"stream_options": {"include_usage": True}}, 400, "stream=True", id="stream options without stream"
    ),
    pytest.param({"tool_choice": "required"}, 400, "`tools` must be set", id="required without tools"),
    pytest.param(
        {"tool_choice": "auto", "tools": []}, 400, "`tools` must be set", id="auto with empty tools"
    ),
    pytest.param({"tools": [{"type": "function"}]}, 400, "tool has a function", id="tool without function"),
    pytest.param({"response_format": {"type": "xml"}}, 400, "response_format", id="unknown format"),
    pytest.param({"response_format": {"type": "json_schema"}}, 400, "schema", id="format without schema"),
    pytest.param({"stop": [""]}, 400, "stop", id="empty stop"),
    pytest.param(
        {
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}],
                }
            ]
        },
        400,
        "Failed to load image",
        id="bytes that are no image",
    ),
    pytest.param(
        {
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}],
                }
            ]
        },
        400,
        "data: URL",
        id="image elsewhere",
    ),
    pytest.param(
        {
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": {"url": HALF_AN_IMAGE}}]}
            ]
        },
        400,
        "Failed to load image",
        id="half an image",
    ),
]


@pytest.mark.parametrize(("more", "status", "words"), REFUSALS)
def test_refusals(start, more, status, words):
    answer = start(max_model_len=2048).ask("hello there you", **more)
    error = answer.json()["error"]
    assert (answer.status, error["code"]) == (status, status)
    assert re.search(words, error["message"])


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff\xfe"], ids=str)
def test_a_body_that_is_no_json_object_is_a_400(start, body):
    client = start()
    assert client.send("POST", "/v1/chat/completions", body).status == 400
    assert client.ledger()["statuses"] == {"400": 1}


def test_tool_choice_must_name_a_declared_tool(start, weather):
    client = start()
    named = {"type": "function", "function": {"name": "nope"}}
    assert client.ask("hi", tools=[weather], tool_choice=named).status == 400
    assert client.ask("hi", tools=[weather], tool_choice="sometimes").status == 400


@pytest.mark.parametrize(
    ("key", "status"), [(None, 401), ("wrong", 401), ("secret", 200)], ids=["missing", "wrong", "right"]
)
def test_a_required_key_is_required_everywhere_but_in_introspection(start, key, status):
    client = start(api_key="secret")
    assert client.ask(key=key).status == status
    assert client.send("GET", "/v1/models", key=key).status == status
    assert client.send("GET", "/simulation/truth", key=key).status == 200


@pytest.mark.parametrize(
    ("more", "status"),
    [
        pytest.param({"temperature": 1.0, "top_p": 0.95}, 200, id="thinking as trained"),
        pytest.param({"temperature": 0.6}, 400, id="thinking at the instant temperature"),
        pytest.param({"temperature": 0.6, "thinking": {"type": "disabled"}}, 200, id="instant as trained"),
        pytest.param({"top_p": 0.9}, 400, id="other top_p"),
        pytest.param({"n": 2}, 400, id="two choices"),
        pytest.param({"presence_penalty": 0.5}, 400, id="a penalty"),
        pytest.param({}, 200, id="left to the server"),
    ],
)
def test_immutable_sampling(start, more, status):
    answer = start(immutable_sampling=True).ask(**more)
    assert answer.status == status
    assert status == 200 or "allowed for this model" in answer.json()["error"]["message"]
