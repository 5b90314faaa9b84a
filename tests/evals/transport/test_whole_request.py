"""A whole request reaches the endpoint as it stands, but for what a run merges into it."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser, GenerateConfig

from evals.endpoint import Endpoint
from evals.provider import EndpointAPI
from evals.transport.failure import Failure, FailureKind
from evals.transport.retry import RetryPolicy
from evals.transport.whole_request import encode_whole, whole_body, whole_key
from evals.transport.wire import build_request
from evals.waits import Waits
from tasks.request_failed import RequestFailed
from tasks.response_record import RAW_REQUEST, read_record
from tasks.spec import ThinkMode
from tests.evals.wire_server import CLOSE, head, plain, wire_server

SAMPLING = {"temperature": 1.0, "max_tokens": 64_000}
ASK = {
    "zeta": None,
    "model": "theirs",
    "messages": [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "search:0", "x": 1}]},
        {"tool_call_id": "search:0", "role": "tool", "content": "é"},
    ],
    "max_tokens": 16_000,
    "temperature": 0.6,
    "user": "u",
    "tools": [{"function": {"name": "f", "parameters": {"b": 1, "a": 2.0}}, "type": "function"}],
}


def endpoint(**more):
    return Endpoint(base_url="http://127.0.0.1:1/v1", model="served", label="x", **more)


def test_everything_else_survives_in_its_place():
    body = whole_body({**ASK, "stream": True}, SAMPLING, endpoint())
    expected = ASK | {"model": "served", "max_tokens": 64_000, "temperature": 1.0, "stream": True}
    expected["stream_options"] = {"include_usage": True}
    assert list(body.items()) == list(expected.items())
    assert json.dumps(body) == json.dumps(expected)


@pytest.mark.parametrize(
    ("own", "merged"),
    [
        pytest.param({}, {}, id="says nothing of streams: nothing is said"),
        pytest.param({"stream": False}, {"stream": False}, id="plain"),
        pytest.param(
            {"stream": None, "stream_options": None}, {"stream": None, "stream_options": None}, id="nulls"
        ),
        pytest.param(
            {"stream": True, "stream_options": {"x": 1, "include_usage": False}},
            {"stream": True, "stream_options": {"x": 1, "include_usage": True}},
            id="a stream always tells its usage",
        ),
        pytest.param(
            {"stream": False, "stream_options": {"include_usage": True}},
            {"stream": False},
            id="options of a stream where none is asked would be refused",
        ),
        pytest.param({"max_tokens": None}, {"max_tokens": 64_000}, id="a budget of null is a budget"),
    ],
)
def test_stream_settings_and_budget(own, merged):
    body = whole_body({"messages": [1], **own}, SAMPLING, endpoint())
    added = {"temperature": 1.0, "max_tokens": 64_000, "model": "served"}
    assert body == {"messages": [1], **added, **merged}


def test_the_budget_goes_by_the_name_the_request_uses():
    body = whole_body({"messages": [1], "max_completion_tokens": 5}, SAMPLING, endpoint())
    assert (body["max_completion_tokens"], "max_tokens" in body) == (64_000, False)
    both = whole_body({"messages": [1], "max_completion_tokens": 5, "max_tokens": 6}, SAMPLING, endpoint())
    assert (both["max_completion_tokens"], both["max_tokens"]) == (64_000, 64_000)


def test_thinking_and_the_extra_body_are_merged_into_what_is_there():
    at = endpoint(think_mode=ThinkMode.OPENSOURCE, thinking=False, extra_body={"min_p": 0.1})
    raw = {"messages": [1], "chat_template_kwargs": {"x": 1}}
    body = whole_body(raw, {}, at)
    assert body["chat_template_kwargs"] == {"x": 1, "thinking": False} and body["min_p"] == 0.1
    assert "chat_template_kwargs" not in whole_body({"prompt": "p"}, {}, at)  # it is rendered already


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False)
    | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=6), VALUES, max_size=6))
def test_the_bytes_say_what_the_body_says(body):
    assert json.dumps(json.loads(encode_whole(body))) == json.dumps(body)


@pytest.mark.parametrize("text", ["\ud83d", "a\udc00b", "😀é中"])
def test_text_that_utf8_cannot_hold_goes_as_an_escape(text):
    assert json.loads(encode_whole({"content": text})) == {"content": text}


def key(raw=ASK, salt="1/1", **config):
    message = ChatMessageUser(content="x", metadata={RAW_REQUEST: raw})
    return build_request([message], [], "auto", GenerateConfig(**config), endpoint(), salt=salt).key


def test_every_change_of_what_is_sent_has_an_answer_of_its_own():
    keys = [
        key(),
        key({**ASK, "stream": True}),
        key({**ASK, "stream": False}),
        key({**ASK, "zeta": 0}),
        key(salt="1/2"),
        key(temperature=0.5),
        key(seed=1),
    ]
    assert len(set(keys)) == len(keys)
    assert key() == key(dict(ASK)) and whole_key(ASK, "a") != whole_key(ASK, "b")


def ask(*scripts, raw=ASK, **settings):
    """Send one whole request to a scripted server; return the output, what the server got, and what was fatal."""

    async def run():
        async with wire_server(*scripts) as server:
            api = EndpointAPI("served", base_url=server.url, **settings)
            api.policy = RetryPolicy(
                base_wait_s=0.001, max_wait_s=0.01, outage_s=0.3, cold_s=0.3, max_attempts=2
            )
            api.waits = Waits(idle_s=1, first_byte_s=1, plain_s=1)
            fatal = []
            api.on_fatal = fatal.append
            message = ChatMessageUser(content="x", metadata={RAW_REQUEST: raw})
            try:
                found = await api.generate([message], [], "auto", GenerateConfig(**SAMPLING))
            except RequestFailed as error:
                found = (error, None)
            finally:
                await api.aclose()
            return found, server.requests, fatal

    return asyncio.run(run())


ANSWER = {"choices": [{"index": 0, "message": {"content": "ok"}, "finish_reason": "stop"}]}


def test_the_server_gets_the_bytes_and_the_log_what_was_sent():
    (output, call), requests, _ = ask((plain(ANSWER),), raw={**ASK, "stream": False})
    top, _, content = requests[0].partition(b"\r\n\r\n")
    assert top.startswith(b"POST /v1/chat/completions ")
    assert content == encode_whole(call.request)
    assert list(json.loads(content)) == [*ASK, "stream"]
    assert read_record(output)["streamed"] is False


def test_a_rendered_prompt_goes_to_the_completions_endpoint():
    (output, _), requests, _ = ask(
        (plain({"choices": [{"text": "raw", "finish_reason": "stop"}]}),), raw={"prompt": "p"}
    )
    assert requests[0].startswith(b"POST /v1/completions ") and output.completion == "raw"


@pytest.mark.parametrize("stream", [True, False])
def test_a_server_that_ignores_stream_is_flagged(stream):
    event = b'data: {"choices": [{"index": 0, "delta": {"content": "ok"}, "finish_reason": "stop"}]}\n\n'
    script = (plain(ANSWER),) if stream else (head(), event + b"data: [DONE]\n\n", CLOSE)
    (output, _), _, _ = ask(script, raw={**ASK, "stream": stream})
    flag = "stream_ignored" if stream else "streamed_unasked"
    assert flag in read_record(output)["wire_flags"]


@pytest.mark.parametrize(
    ("status", "is_fatal"),
    [("400 Bad", False), ("413 Large", False), ("422 Odd", False), ("401 No", True), ("404 None", True)],
)
def test_one_refused_request_stops_no_run_but_a_refusal_of_everybody_does(status, is_fatal):
    (error, _), requests, fatal = ask((plain({"error": {"message": "no"}}, status),))
    assert isinstance(error, RequestFailed) and len(requests) == 1
    assert bool(fatal) is is_fatal


def test_a_prompt_that_is_refused_stops_the_run():
    failure = Failure(kind=FailureKind.CONFIGURATION, message="no", status=400, is_retryable=False)
    assert failure.stops_run(is_whole_request=False) and not failure.stops_run(is_whole_request=True)
    for kind, stops in ((FailureKind.SERVER, False), (FailureKind.CLIENT, True)):
        assert Failure(kind=kind, message="x").stops_run(is_whole_request=True) is stops
