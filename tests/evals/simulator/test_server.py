"""The endpoint as a client meets it: good replies, refusals, introspection, outages."""

import asyncio
import base64
import io
import json
import time

import aiohttp
import pytest
from PIL import Image

from evals.simulator.config import SimulatorConfig
from evals.simulator.server import serve
from evals.simulator.tokens import count_tokens


def png(colour: str, size: tuple[int, int] = (60, 30)) -> str:
    content = io.BytesIO()
    Image.new("RGB", size, colour).save(content, "PNG")
    return "data:image/png;base64," + base64.b64encode(content.getvalue()).decode()


def image_part(url: object) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": url}}


def test_models_says_what_vllm_says(start):
    answer = start(max_model_len=5000).send("GET", "/v1/models").json()
    assert answer["object"] == "list"
    model = answer["data"][0]
    assert (model["id"], model["max_model_len"], model["owned_by"]) == ("m", 5000, "quantcheck-simulator")
    assert model["root"] == "simulated/short"


def test_version_and_health(start):
    client = start()
    assert client.send("GET", "/version").json()["simulated"] is True
    assert client.send("GET", "/health").status == 200
    assert client.send("GET", "/nothing").status == 404


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_both_shapes_say_the_same_under_one_seed(start, stream):
    client = start()
    plain = client.ask("Problem always", seed=5).json()
    answer = client.ask("Problem always", seed=5, stream=stream, **_with_usage(stream))
    if stream:
        content, reasoning = answer.streamed("content"), answer.streamed("reasoning")
        finish, usage = answer.finishes()[-1], answer.chunks()[-1]["usage"]
        assert answer.payloads()[-1] == "[DONE]"
        assert answer.chunks()[0]["choices"][0]["delta"]["role"] == "assistant"
        assert answer.chunks()[-1]["choices"] == []
    else:
        content, reasoning = answer.message["content"], answer.message["reasoning"]
        finish, usage = answer.json()["choices"][0]["finish_reason"], answer.json()["usage"]
    message = plain["choices"][0]["message"]
    assert (content, reasoning) == (message["content"], message["reasoning"])
    assert (finish, usage) == ("stop", plain["usage"])
    assert r"\boxed{70}" in content and r"\boxed" not in reasoning


def _with_usage(stream: bool) -> dict[str, object]:
    return {"stream_options": {"include_usage": True}} if stream else {}


def test_usage_counts_the_words_sent(start):
    answer = start().ask("Problem always", seed=1)
    usage, message = answer.json()["usage"], answer.message
    n_reasoning = count_tokens(message["reasoning"])
    assert usage["completion_tokens_details"]["reasoning_tokens"] == n_reasoning
    assert usage["completion_tokens"] == n_reasoning + count_tokens(message["content"])
    assert usage["total_tokens"] == usage["completion_tokens"] + usage["prompt_tokens"]
    assert usage["prompt_tokens"] > count_tokens("Problem always")


def test_no_usage_in_a_stream_that_did_not_ask(start):
    assert all("usage" not in chunk for chunk in start().ask(stream=True).chunks())


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_field_is_configurable(start, field):
    client = start(reasoning_field=field)
    other = {"reasoning": "reasoning_content", "reasoning_content": "reasoning"}[field]
    assert client.ask().message[field] and other not in client.ask().message
    streamed = client.ask(stream=True)
    assert streamed.streamed(field) and not streamed.streamed(other)


@pytest.mark.parametrize(
    "switch",
    [
        pytest.param({"chat_template_kwargs": {"thinking": False}}, id="template argument"),
        pytest.param({"thinking": {"type": "disabled"}}, id="hosted switch"),
        pytest.param(
            {"thinking": {"type": "enabled"}, "chat_template_kwargs": {"thinking": False}}, id="off wins"
        ),
    ],
)
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_thinking_off_leaves_no_reasoning(start, switch, stream):
    answer = start().ask("What is 3x7?", stream=stream, **switch)
    reasoning = answer.streamed("reasoning") if stream else answer.message["reasoning"]
    content = answer.streamed("content") if stream else answer.message["content"]
    assert not reasoning and r"\boxed{21}" in content


@pytest.mark.parametrize("field", ["max_tokens", "max_completion_tokens"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
def test_budget_ends_the_reasoning(start, field, stream):
    client = start()
    answer = client.ask("Problem always", seed=1, stream=stream, **{field: 8}, **_with_usage(stream))
    if stream:
        assert answer.streamed("content") == "" and count_tokens(answer.streamed("reasoning")) == 8
        assert answer.finishes() == ["length"]
        assert answer.chunks()[-1]["usage"]["completion_tokens"] == 8
    else:
        assert answer.message["content"] is None and count_tokens(answer.message["reasoning"]) == 8
        assert answer.json()["choices"][0]["finish_reason"] == "length"
    assert client.ledger()["items"][0]["played"] == ["truncated"]


def test_unknown_keys_are_ignored_and_model_may_be_absent(start):
    client = start()
    body = {
        "messages": [{"role": "user", "content": "hi"}],
        "chat_template_kwargs": {"typo": 1},
        "best_of": None,
    }
    assert client.send("POST", "/v1/chat/completions", body).status == 200


def test_several_choices_are_drawn_each_for_itself(start):
    client = start()
    plain = client.ask("Problem always", seed=3, n=3).json()["choices"]
    streamed = client.ask("Problem always", seed=3, n=3, stream=True)
    assert [choice["index"] for choice in plain] == [0, 1, 2]
    assert len({choice["message"]["reasoning"] for choice in plain}) == 3
    assert [streamed.streamed("content", index) for index in range(3)] == [
        choice["message"]["content"] for choice in plain
    ]
    assert streamed.finishes() == ["stop"] * 3


def test_stop_sequences_end_the_visible_text_before_them(start):
    answer = start().ask("Count from 1 to 9", stop=["5"])
    assert answer.message["content"] == "1, 2, 3, 4, "
    assert answer.json()["choices"][0]["finish_reason"] == "stop"


def test_demanded_formats_are_given(start):
    client = start()
    schema = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 7}}, "required": ["n"]}
    wrapped = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    assert json.loads(client.ask(response_format=wrapped).message["content"]) == {"n": 7}
    loose = client.ask(response_format={"type": "json_object"}).message["content"]
    assert isinstance(json.loads(loose), dict)


def test_speed_and_first_token_time_are_kept(start):
    client = start(tokens_per_s=400.0, ttft_s=0.1, frames_per_write=4)
    for stream in (True, False):
        began = time.monotonic()
        client.ask("Count from 1 to 40", stream=stream, thinking={"type": "disabled"})
        assert 0.1 + 75 / 400 <= time.monotonic() - began < 1.5


def test_replies_beyond_the_concurrency_wait():
    async def ask_three() -> tuple[float, int]:
        config = SimulatorConfig(max_concurrency=1, ttft_s=0.1, model="m")
        body = {"messages": [{"role": "user", "content": "What is 1+1?"}]}
        async with serve(config) as running, aiohttp.ClientSession() as session:
            began = time.monotonic()

            async def ask() -> None:
                async with session.post(f"{running.base_url}/chat/completions", json=body) as response:
                    await response.read()

            await asyncio.gather(ask(), ask(), ask())
            return time.monotonic() - began, running.ledger.peak_in_flight

    took_s, peak = asyncio.run(ask_three())
    assert took_s >= 0.3 and peak == 3


def test_a_client_that_leaves_is_counted_and_frees_its_place():
    async def leave_then_ask() -> dict[str, object]:
        config = SimulatorConfig(max_concurrency=1, ttft_s=0.2, model="m")
        body = {"messages": [{"role": "user", "content": "What is 1+1?"}], "stream": True}
        async with serve(config) as running, aiohttp.ClientSession() as session:
            url = f"{running.base_url}/chat/completions"
            with pytest.raises(TimeoutError):
                async with session.post(
                    url, json=body, timeout=aiohttp.ClientTimeout(total=0.05)
                ) as response:
                    await response.read()
            async with session.post(url, json=body) as response:
                await response.read()
            return running.ledger.as_json()

    ledger = asyncio.run(leave_then_ask())
    assert (ledger["abandoned"], ledger["completed"], ledger["in_flight"]) == (1, 1, 0)


def test_a_taken_port_is_an_os_error(start):
    client = start()
    with pytest.raises(OSError, match="address already in use"):
        start(port=client.address.port)
