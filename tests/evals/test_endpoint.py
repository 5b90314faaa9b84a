"""Which URL, key and thinking switch a request gets."""

import pytest

from evals.endpoint import (
    BaseUrlError,
    Endpoint,
    EndpointError,
    normalise_base_url,
    read_key,
    request_headers,
    thinking_parameters,
    with_key,
)
from tasks.spec import ThinkMode


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1/", "http://127.0.0.1:8000/v1"),
        ("http://127.0.0.1:8000/v1//", "http://127.0.0.1:8000/v1"),
        ("  http://127.0.0.1:8000/v1\n", "http://127.0.0.1:8000/v1"),
        ("HTTP://Host.example/v1", "http://Host.example/v1"),
        ("https://host.example", "https://host.example/v1"),
        ("https://host.example/v1/chat/completions", "https://host.example/v1"),
        ("https://host.example/v1/chat/completions/", "https://host.example/v1"),
        ("https://host.example/v1/completions", "https://host.example/v1"),
        ("https://host.example/v1/models", "https://host.example/v1"),
        ("https://host.example/kimi", "https://host.example/kimi/v1"),
        ("https://host.example/kimi/v1", "https://host.example/kimi/v1"),
        ("https://host.example/api/paas/v4", "https://host.example/api/paas/v4"),
        ("https://host.example/v1beta", "https://host.example/v1beta"),
        ("https://host.example/V2", "https://host.example/V2"),
        ("https://host.example/v100-nodes", "https://host.example/v100-nodes/v1"),
        ("https://host.example/v", "https://host.example/v/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://host_name:8000", "http://host_name:8000/v1"),
    ],
)
def test_base_urls_come_out_alike(text, expected):
    assert normalise_base_url(text) == expected
    assert normalise_base_url(expected) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "localhost:8000",
            "127.0.0.1:8000/v1",
            "ftp://host/v1",
            "http://",
            "http:///v1",
            "not a url",
        ),
        *(
            "http://a b/v1",
            "http://host:port/v1",
            "http://host:99999/v1",
            "http://host:0/v1",
            "http://[::1/v1",
        ),
        *("http://ho\tst/v1", "http://host/v1\x00", "file:///etc/passwd", "//host/v1", "http//host"),
    ],
)
def test_what_is_no_url_is_refused_with_the_way_out(text):
    with pytest.raises(BaseUrlError, match="not an http") as caught:
        normalise_base_url(text)
    assert repr(text) in str(caught.value)
    assert "http://127.0.0.1:8000/v1" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "http://user:hunter2@host/v1",
        "https://token-hunter2@host",
        "http://host/v1?api_key=hunter2",
        "http://host/v1#hunter2",
    ],
)
def test_secrets_in_a_url_are_refused_and_not_repeated(text):
    with pytest.raises(BaseUrlError) as caught:
        normalise_base_url(text)
    assert "hunter2" not in str(caught.value)
    assert "host" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "expected"), [(None, None), ("", None), ("  ", None), (" sk-1\n", "sk-1"), ("sk-1", "sk-1")]
)
def test_the_key_is_read_from_the_default_variable(monkeypatch, value, expected):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("OPENAI_API_KEY", value)
    assert read_key("OPENAI_API_KEY") == expected


def test_a_variable_that_was_named_must_be_set(monkeypatch):
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(EndpointError, match="MY_KEY is not set"):
        read_key("MY_KEY")


def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-\nsecret")
    with pytest.raises(EndpointError, match="MY_KEY holds control characters") as caught:
        read_key("MY_KEY")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["Authorization", "authorization", "AUTHORIZATION"])
def test_an_authorization_header_of_ones_own_wins_over_the_key(name):
    assert with_key({name: "Basic abc"}, "sk-1") == {name: "Basic abc"}


def test_headers_of_a_request(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1")
    endpoint = Endpoint(base_url="u", model="m", label="l", api_key_env="MY_KEY", headers={"X-A": "b"})
    assert request_headers(endpoint) == {
        "Content-Type": "application/json",
        "X-A": "b",
        "Authorization": "Bearer sk-1",
    }
    assert request_headers(endpoint, key="sk-2")["Authorization"] == "Bearer sk-2"
    assert "sk-1" not in repr(endpoint)


KIMI, OPEN, NONE = ThinkMode.KIMI, ThinkMode.OPENSOURCE, ThinkMode.NONE


@pytest.mark.parametrize(
    ("mode", "thinking", "effort", "expected"),
    [
        (NONE, None, None, {}),
        (KIMI, None, None, {}),
        (OPEN, None, None, {}),
        (KIMI, True, None, {"thinking": {"type": "enabled"}}),
        (KIMI, False, None, {"thinking": {"type": "disabled"}}),
        (KIMI, True, "high", {"thinking": {"type": "enabled", "keep": "all", "effort": "high"}}),
        (KIMI, None, "low", {"thinking": {"type": "enabled", "keep": "all", "effort": "low"}}),
        (KIMI, False, "high", {"thinking": {"type": "disabled"}}),
        (OPEN, True, None, {"chat_template_kwargs": {"thinking": True}}),
        (OPEN, False, None, {"chat_template_kwargs": {"thinking": False}}),
        (
            OPEN,
            True,
            "max",
            {"chat_template_kwargs": {"thinking": True, "preserve_thinking": True, "thinking_effort": "max"}},
        ),
        (OPEN, False, "max", {"chat_template_kwargs": {"thinking": False}}),
    ],
)
def test_how_thinking_is_switched(mode, thinking, effort, expected):
    assert thinking_parameters(mode, thinking=thinking, effort=effort) == expected
