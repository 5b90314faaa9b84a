"""The endpoint as a client meets it: good replies, refusals, introspection, outages."""

import asyncio
import base64
import hashlib
import io
import json
import re
import time

import aiohttp
import pytest
from PIL import Image

from evals.simulator.answers import AnswerBook, AnswerKind
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
        {"messages": [{"role": "user", "content": [image_part("data:image/png;base64,AAAA")]}]},
        400,
        "Failed to load image",
        id="bytes that are no image",
    ),
    pytest.param(
        {"messages": [{"role": "user", "content": [image_part("https://example.org/a.png")]}]},
        400,
        "data: URL",
        id="image elsewhere",
    ),
    pytest.param(
        {"messages": [{"role": "user", "content": [image_part(png("red")[:-60])]}]},
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


def test_images_are_decoded_looked_at_and_counted(start, entry):
    urls = [png(colour) for colour in ("red", "blue")]
    digests = [hashlib.sha256(base64.b64decode(url.split(",")[1])).hexdigest() for url in urls]
    book = AnswerBook.from_entries(
        entry(
            str(place),
            prompt_text="Read it.",
            n_images=1,
            image_sha256=(digest,),
            kind=AnswerKind.OCR,
            target=(f"word{place}",),
        )
        for place, digest in enumerate(digests)
    )
    client = start(book=book)

    def show(text: str, *urls: str) -> object:
        content = [{"type": "text", "text": text}, *map(image_part, urls)]
        return client.ask("", messages=[{"role": "user", "content": content}])

    assert show("Which colour is this image?", urls[1]).message["content"] == "The image is blue."
    assert [show("Read it.", url).message["content"] for url in urls] == ["word0", "word1"]


def test_a_wrong_number_of_images_is_refused(start, entry):
    client = start(book=AnswerBook.from_entries([entry("a", n_images=2)]))
    content = [{"type": "text", "text": "Problem a"}, image_part(png("red"))]
    answer = client.ask("", messages=[{"role": "user", "content": content}])
    assert answer.status == 400 and "has 2 images; 1 were sent" in answer.json()["error"]["message"]


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


def test_truth_is_told_and_holds(start):
    client = start()
    truth = client.send("GET", "/simulation/truth").json()
    assert truth["tasks"]["aime25"] == {
        "n_items": 3,
        "mean": 0.5,
        "items": {"always": 1.0, "half": 0.5, "never": 0.0},
    }
    for sample_id, expected in (("always", {"correct"}), ("half", {"correct", "wrong"})):
        for seed in range(12):
            answer = client.ask(f"Problem {sample_id}", seed=seed)
            is_right = r"\boxed{70}" in answer.message["content"]
            assert is_right or sample_id != "always"
        played = {item["played"][0] for item in client.ledger()["items"] if item["sample_id"] == sample_id}
        assert expected <= played


def test_the_ledger_counts_requests_statuses_and_duplicates(start):
    client = start("http_500=first:1")
    for _ in range(3):
        client.ask("Problem half", seed=4)
    client.ask("Problem half", seed=5)
    ledger = client.ledger()
    assert (ledger["n_requests"], ledger["statuses"], ledger["faults"]) == (
        4,
        {"200": 2, "500": 2},
        {"http_500": 2},
    )
    first = next(item for item in ledger["items"] if item["seed"] == 4)
    assert (first["attempts"], first["completed"], first["statuses"]) == (3, 2, [500, 200, 200])
    assert [item["seed"] for item in ledger["duplicates"]] == [4]
    assert client.send("POST", "/simulation/reset").status == 200
    assert client.ledger()["n_requests"] == 0 and client.ledger()["items"] == []


def test_bodies_are_kept_byte_for_byte_on_request(start):
    client = start(record_bodies=True)
    raw = b'{"messages": [ {"content":"hi", "role":"user"}], "model":"m","x":null}'
    client.send("POST", "/v1/chat/completions", raw)
    assert client.running.ledger.bodies == [raw]


def test_an_outage_answers_503_and_ends(start):
    client = start()
    assert client.send("POST", "/simulation/outage", {"seconds": 0.2}).status == 200
    assert [client.ask().status, client.send("GET", "/health").status] == [503, 503]
    time.sleep(0.25)
    assert client.ask().status == 200


def test_a_closed_port_refuses_and_comes_back(start):
    client = start()
    client.send("POST", "/simulation/outage", {"seconds": 0.3, "mode": "closed"})
    time.sleep(0.15)
    with pytest.raises(ConnectionRefusedError):
        client.ask()
    time.sleep(0.4)
    assert client.ask().status == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"seconds": -1},
        {"seconds": "1"},
        {"seconds": True},
        {"seconds": 1, "mode": "x"},
        {"seconds": 1, "mode": ["closed"]},
        [],
        b"{",
    ],
    ids=str,
)
def test_an_outage_that_makes_no_sense_is_a_400(start, body):
    assert start().send("POST", "/simulation/outage", body).status == 400


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
