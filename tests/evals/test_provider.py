"""The provider on Inspect's own terms: what arrived is what a scorer reads, and nothing is asked twice."""

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelOutput

from evals.endpoint import EndpointError
from evals.provider import EndpointAPI, _output
from evals.storage.journal import Journal
from evals.transport.exchange import Exchange, Reply
from evals.transport.failure import Failure, FailureKind
from evals.transport.retry import RetryPolicy
from evals.transport.wire import WireRequest
from evals.waits import Waits
from tasks.request_failed import RequestFailed
from tasks.response_record import REQUEST_IDENTITY, read_record, response_of
from tests.evals.wire_server import CLOSE, LAST_CHUNK, RESET, chunked, head, plain, wire_server
from verifiers.response import Response, ToolCall, Usage

ANSWER = {
    "choices": [{"index": 0, "message": {"content": "7", "reasoning": "hm"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2},
}
QUICK = RetryPolicy(base_wait_s=0.001, max_wait_s=0.01, outage_s=1.0, cold_s=0.3, max_attempts=4)


def asked(text="q", epoch=1):
    identity = {"sample_id": "a", "epoch": epoch, "seed": epoch, "salt": f"a/{epoch}"}
    return [ChatMessageUser(content=text, metadata={REQUEST_IDENTITY: identity})]


def generate(*scripts, inputs=None, journal=None, together=False, **settings):
    """Ask the scripted server; return what came of each request, the server and the provider."""

    async def run():
        async with wire_server(*scripts) as server:
            api = EndpointAPI("m", base_url=server.url, **settings)
            api.policy, api.waits, api.journal = QUICK, Waits(idle_s=1, first_byte_s=1, plain_s=1), journal
            api.fatal = []
            api.on_fatal = api.fatal.append
            sent = [one_end(api, one) for one in (inputs or [asked()])]
            try:
                ends = await asyncio.gather(*sent) if together else [await one for one in sent]
            finally:
                await api.aclose()
            return ends, server, api

    return asyncio.run(run())


async def one_end(api, messages):
    try:
        output, _ = await api.generate(messages, [], "auto", GenerateConfig(seed=1))
    except RequestFailed as failure:
        return failure
    return output


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=15)
SPICE = st.sampled_from(
    [
        "",
        "<think>",
        "</think>",
        "<think>a</think>",
        "<internal>x</internal>",
        "\n\n",
        "\\boxed{7}",
        "\x00",
        " ",
    ]
)
CONTENT = st.none() | st.lists(TEXT | SPICE, max_size=4).map("".join)
COUNT = st.none() | st.integers(0, 10**6)
RESPONSES = st.builds(
    Response,
    content=CONTENT,
    reasoning=st.none() | st.lists(TEXT | SPICE, min_size=1, max_size=3).map("".join).filter(bool),
    finish_reason=st.sampled_from(
        ["stop", "length", "tool_calls", "content_filter", "eos_token", "MAX_TOKENS"]
    ),
    tool_calls=st.lists(
        st.builds(
            ToolCall,
            id=st.none() | TEXT,
            name=st.none() | TEXT,
            arguments=st.none() | TEXT,
            is_text=st.booleans(),
        ),
        max_size=2,
    ).map(tuple),
    usage=st.none()
    | st.builds(
        Usage, prompt_tokens=COUNT, completion_tokens=COUNT, reasoning_tokens=COUNT, total_tokens=COUNT
    ),
    flags=st.lists(TEXT, max_size=2).map(tuple),
    refusal=st.none() | TEXT,
)


def exchange(response):
    return Exchange(
        reply=Reply(response=response, ttft_s=0.1, duration_s=1.0, n_chunks=2),
        attempts=(),
        replica="u",
        finished_at=1.0,
    )


@given(RESPONSES)
def test_a_scorer_reads_exactly_what_arrived(response):
    output = _output("m", exchange(response), WireRequest(body={}, key="k", stream=True))
    assert response_of(output) == response
    again = ModelOutput.model_validate_json(output.model_dump_json())
    assert response_of(again) == response, "and so does whoever reads the log"


@pytest.mark.parametrize(
    ("finish", "calls", "stop_reason"),
    [
        ("stop", (), "stop"),
        ("eos_token", (), "stop"),
        ("length", (), "max_tokens"),
        ("content_filter", (), "content_filter"),
        ("repetition", (), "unknown"),
        ("stop", (ToolCall(id="a", name="f", arguments="{}"),), "tool_calls"),
    ],
)
def test_inspects_own_words_for_the_end(finish, calls, stop_reason):
    output = _output(
        "m",
        exchange(Response(content="", finish_reason=finish, tool_calls=calls)),
        WireRequest(body={}, key="k", stream=True),
    )
    assert output.stop_reason == stop_reason
    assert response_of(output).finish_reason == finish


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        (Usage(prompt_tokens=3), None),
        (Usage(prompt_tokens=3, completion_tokens=2), (3, 2, None)),
        (Usage(completion_tokens=2, reasoning_tokens=1), (0, 2, 1)),
    ],
)
def test_usage_that_was_not_said_is_not_zero(usage, expected):
    output = _output(
        "m",
        exchange(Response(content="", finish_reason="stop", usage=usage)),
        WireRequest(body={}, key="k", stream=True),
    )
    shown = output.usage and (
        output.usage.input_tokens,
        output.usage.output_tokens,
        output.usage.reasoning_tokens,
    )
    assert shown == expected
    assert response_of(output).usage == usage


def test_another_providers_cut_answer_is_not_a_finished_one():
    output = ModelOutput.from_content("other", "the answer is \\boxed{7", stop_reason="unknown")
    assert response_of(output).finish_reason == "unknown"


def test_an_answer_carries_its_times_seed_and_attempts():
    (output,), server, api = generate((plain({}, "500 X"),), (plain(ANSWER),), stream=False)
    record = read_record(output)
    assert output.completion == "7"
    assert (record["attempts"], record["seed"]) == (2, 1)
    assert record["failures"] == ["HTTP 500: {}"]
    assert record["duration_s"] > 0 and record["ttft_s"] is None
    assert (api.n_requests_sent, len(server.requests)) == (2, 2)
    assert api.fatal == []


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
def test_the_body_on_the_wire(stream):
    _, server, _ = generate(
        (plain(ANSWER),), stream=stream, think_mode="opensource", thinking=False, extra_body={"min_p": 0.1}
    )
    top, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert top.startswith(b"POST /v1/chat/completions HTTP/1.1")
    expected = {"model": "m", "messages": [{"role": "user", "content": "q"}], "seed": 1, "min_p": 0.1}
    expected |= {"chat_template_kwargs": {"thinking": False}, "stream": stream}
    assert json.loads(body) == expected | ({"stream_options": {"include_usage": True}} if stream else {})


def test_the_key_is_sent_and_not_kept(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1")
    _, server, api = generate((plain(ANSWER),))
    assert b"Authorization: Bearer sk-secret-1" in server.requests[0]
    assert "sk-secret-1" not in repr(vars(api.endpoint))


def test_a_refusal_stops_the_run_with_the_servers_words():
    (end,), server, api = generate((plain({"error": {"message": "max_model_len is 2048"}}, "400 X"),))
    assert end.message == "configuration: HTTP 400: max_model_len is 2048"
    assert str(api.fatal[0]) == "configuration: HTTP 400: max_model_len is 2048"
    assert len(server.requests) == 1


@pytest.mark.parametrize("answers_anything", [True, False])
def test_a_server_that_fails_for_ever(monkeypatch, answers_anything):
    """An error of one sample while the server lives, the end of the run where it is gone."""

    async def has_pulse(base_urls, headers):
        assert len(base_urls) == 1
        return answers_anything

    monkeypatch.setattr("evals.fleet.dispatch.has_pulse", has_pulse)
    (end,), server, api = generate((plain({}, "500 X"),))
    assert len(server.requests) > 2
    if answers_anything:
        assert end.message.startswith("server: HTTP 500: {} (given up after ")
        assert api.fatal == []
    else:
        assert end.message.startswith("Cancelled: ")
        assert [failure.is_endpoint_gone for failure in api.fatal] == [True]


def test_what_was_answered_is_not_asked_again(tmp_path):
    inputs = [asked(), asked(epoch=2), asked("other"), asked()]
    with Journal(tmp_path / "journal.zst") as journal:
        outputs, server, _ = generate((plain(ANSWER),), inputs=inputs, journal=journal)
        assert [output.completion for output in outputs] == ["7"] * 4
        assert len(server.requests) == 3
    with Journal(tmp_path / "journal.zst") as journal:
        outputs, server, api = generate((plain({}, "500 X"),), inputs=inputs, journal=journal)
        assert [output.completion for output in outputs] == ["7"] * 4
        assert (len(server.requests), api.n_requests_sent) == (0, 0)


@pytest.mark.parametrize("end", [RESET, CLOSE], ids=["reset", "closed"])
def test_a_failed_answer_is_not_journalled(tmp_path, end):
    cut = (head(chunked=True), chunked(b'data: {"choices":[{"index":0,"delta":{"content":"7"}}]}\n\n'), end)
    with Journal(tmp_path / "journal.zst") as journal:
        (output,), _, _ = generate(cut, journal=journal)
        assert isinstance(output, RequestFailed)
        assert len(journal) == 0
        (output,), _, _ = generate((plain(ANSWER),), journal=journal)
        assert output.completion == "7"


def test_a_journal_that_cannot_be_written_stops_the_run(tmp_path):
    class Full(Journal):
        def append(self, key, exchange, facts):
            raise Failure(kind=FailureKind.CLIENT, message="no space", is_retryable=False)

    with Full(tmp_path / "journal.zst") as journal:
        (end,), _, api = generate((plain(ANSWER),), journal=journal)
    assert end.message == "client: no space"
    assert api.fatal[0].kind is FailureKind.CLIENT


def test_answers_of_requests_in_flight_together_are_not_mixed_up():
    def script(name):
        frames = [{"choices": [{"index": 0, "delta": {"content": f"{name}{n} "}}]} for n in range(9)]
        frames.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        pieces = [chunked(b"data: " + json.dumps(frame).encode() + b"\n\n") for frame in frames]
        return (head(chunked=True), *(part for piece in pieces for part in (piece, 0.003)), LAST_CHUNK)

    names = "abcdef"
    outputs, _, _ = generate(*map(script, names), inputs=[asked(name) for name in names], together=True)
    assert sorted(output.completion for output in outputs) == [
        "".join(f"{n}{i} " for i in range(9)) for n in names
    ]


def test_without_a_url_it_says_so(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(EndpointError, match="base URL ''"):
        EndpointAPI("m")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h:1")
    assert EndpointAPI("m").endpoint.base_url == "http://h:1/v1"
