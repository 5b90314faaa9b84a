"""Request bodies: what is sent, and the key that keeps an answer from being used for another question."""

import json

import pytest
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
)
from inspect_ai.tool import ToolFunction, ToolInfo, ToolParams

from evals.endpoint import Endpoint
from evals.transport.whole_request import merge
from evals.transport.wire import build_request, encode_body, encode_request
from tasks.response_record import RAW_REQUEST
from tasks.spec import ThinkMode

ASKED = [ChatMessageUser(content="What is 3x7?")]
CONFIG = GenerateConfig(temperature=1.0, top_p=0.95, max_tokens=100, seed=5)


def endpoint(**more):
    return Endpoint(base_url="http://h/v1", model="m", label="l", **more)


def request(messages=ASKED, tools=(), tool_choice="auto", config=CONFIG, at=None, salt="a/1", stream=True):
    return build_request(messages, tools, tool_choice, config, at or endpoint(), salt=salt, stream=stream)


def test_the_body_is_what_was_asked_and_nothing_else():
    assert request().body == {
        "model": "m",
        "messages": [{"role": "user", "content": "What is 3x7?"}],
        "temperature": 1.0,
        "top_p": 0.95,
        "max_tokens": 100,
        "seed": 5,
    }


def test_what_is_not_set_is_not_sent():
    assert request(config=GenerateConfig()).body.keys() == {"model", "messages"}


def test_zero_is_set():
    body = request(config=GenerateConfig(temperature=0.0, seed=0)).body
    assert (body["temperature"], body["seed"]) == (0.0, 0)


@pytest.mark.parametrize(
    ("field", "value", "name", "sent"),
    [
        ("top_k", 40, "top_k", 40),
        ("stop_seqs", ["x"], "stop", ["x"]),
        ("frequency_penalty", 0.5, "frequency_penalty", 0.5),
        ("presence_penalty", 0.5, "presence_penalty", 0.5),
        ("reasoning_effort", "low", "reasoning_effort", "low"),
        ("extra_body", {"min_p": 0.1}, "min_p", 0.1),
    ],
)
def test_what_inspect_is_told_is_sent(field, value, name, sent):
    assert request(config=GenerateConfig(**{field: value})).body[name] == sent


@pytest.mark.parametrize(
    ("mode", "extra", "expected"),
    [
        (ThinkMode.OPENSOURCE, {}, {"chat_template_kwargs": {"thinking": True}}),
        (ThinkMode.KIMI, {}, {"thinking": {"type": "enabled"}}),
        (ThinkMode.NONE, {"top_k": 1}, {"top_k": 1}),
        (
            ThinkMode.OPENSOURCE,
            {"chat_template_kwargs": {"tools_in_user": True}, "min_p": 0.1},
            {"chat_template_kwargs": {"thinking": True, "tools_in_user": True}, "min_p": 0.1},
        ),
        (ThinkMode.KIMI, {"thinking": {"keep": "all"}}, {"thinking": {"type": "enabled", "keep": "all"}}),
        (ThinkMode.KIMI, {"thinking": None}, {"thinking": None}),
    ],
)
def test_thinking_and_extra_body_are_merged(mode, extra, expected):
    thinking = True if mode is not ThinkMode.NONE else None
    body = request(at=endpoint(think_mode=mode, thinking=thinking, extra_body=extra)).body
    assert body.items() >= expected.items()


def test_inspects_own_extra_body_does_not_undo_the_thinking_switch():
    config = GenerateConfig(extra_body={"chat_template_kwargs": {"a": 1}})
    body = request(config=config, at=endpoint(think_mode=ThinkMode.OPENSOURCE, thinking=False)).body
    assert body["chat_template_kwargs"] == {"thinking": False, "a": 1}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, {}),
        ({"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": {"x": {"p": 1}}}, {"a": {"x": {"q": 2}}}, {"a": {"x": {"q": 2}}}),
        ({"a": {"x": 1}}, {"a": 3}, {"a": 3}),
        ({"a": 3}, {"a": {"x": 1}}, {"a": {"x": 1}}),
    ],
)
def test_merge_is_one_level_deep_and_changes_nothing(first, second, expected):
    before = json.dumps([first, second])
    assert merge(first, second) == expected
    assert json.dumps([first, second]) == before


def key(**more):
    return request(**more).key


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"messages": [ChatMessageUser(content="What is 3x8?")]}, id="prompt"),
        pytest.param({"messages": [ChatMessageSystem(content="s"), *ASKED]}, id="system message"),
        pytest.param({"config": CONFIG.model_copy(update={"temperature": 0.9})}, id="temperature"),
        pytest.param({"config": CONFIG.model_copy(update={"top_p": None})}, id="top_p unset"),
        pytest.param({"config": CONFIG.model_copy(update={"max_tokens": 101})}, id="budget"),
        pytest.param({"config": CONFIG.model_copy(update={"seed": 6})}, id="seed"),
        pytest.param({"config": CONFIG.model_copy(update={"top_k": 1})}, id="top_k"),
        pytest.param(
            {"config": CONFIG.model_copy(update={"extra_body": {"a": 1}})}, id="Inspect's extra body"
        ),
        pytest.param({"at": endpoint(extra_body={"min_p": 0.1})}, id="extra body"),
        pytest.param({"at": endpoint(think_mode=ThinkMode.KIMI, thinking=True)}, id="thinking on"),
        pytest.param({"at": endpoint(think_mode=ThinkMode.KIMI, thinking=False)}, id="thinking off"),
        pytest.param({"at": endpoint(think_mode=ThinkMode.OPENSOURCE, thinking=True)}, id="think mode"),
        pytest.param({"at": endpoint(think_mode=ThinkMode.KIMI, thinking=True, effort="low")}, id="effort"),
        pytest.param({"at": Endpoint(base_url="http://h/v1", model="m2", label="l")}, id="model"),
        pytest.param({"salt": "a/2"}, id="epoch"),
        pytest.param({"salt": "b/1"}, id="sample"),
        pytest.param({"tools": [ToolInfo(name="f", description="d")]}, id="tools"),
    ],
)
def test_a_changed_setting_never_finds_the_old_answer(changed):
    assert key(**changed) != key()


def test_every_change_has_a_key_of_its_own():
    keys = [key(at=endpoint(extra_body={"a": value})) for value in (1, 1.5, "1", True, None, [1], {"b": 1})]
    assert len(set(keys)) == len(keys)


def test_where_and_how_it_is_sent_does_not_change_the_key():
    moved = Endpoint(
        base_url="https://other/v1", model="m", label="other", headers={"X": "y"}, api_key_env="K"
    )
    assert key(at=moved) == key()
    assert key(stream=False) == key()
    assert key(at=endpoint(extra_body={"a": 1, "b": 2})) == key(at=endpoint(extra_body={"b": 2, "a": 1}))


def test_message_metadata_stays_at_home():
    message = ChatMessageUser(content="q", metadata={"quantcheck_request": {"sample_id": "a"}, "other": 1})
    assert request([message]).body["messages"] == [{"role": "user", "content": "q"}]


def test_parts_and_earlier_turns():
    messages = [
        ChatMessageUser(content=[ContentText(text="look"), ContentImage(image="ref:1")]),
        ChatMessageAssistant(content=[ContentReasoning(reasoning="hidden"), ContentText(text="said")]),
    ]
    assert request(messages).body["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "ref:1"}},
            ],
        },
        {"role": "assistant", "content": "said"},
    ]


@pytest.mark.parametrize("stream", [True, False, None])
def test_a_raw_request_is_sent_as_it_stands(stream):
    raw = {
        "model": "theirs",
        "messages": [{"role": "system", "content": None}],
        "tools": [{"x": 1}],
        "odd": None,
    }
    raw |= {} if stream is None else {"stream": stream}
    message = ChatMessageUser(content="(raw)", metadata={RAW_REQUEST: raw})
    asked = request([message], config=GenerateConfig())
    sent = json.loads(encode_request(asked, load))
    assert {name: sent[name] for name in raw if name != "model"} == {
        name: raw[name] for name in raw if name != "model"
    }
    assert sent["model"] == "m"
    assert (asked.stream, asked.is_whole) == (stream is True, True)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("auto", "auto"),
        ("any", "required"),
        ("none", "none"),
        (ToolFunction(name="f"), {"type": "function", "function": {"name": "f"}}),
    ],
)
def test_tools(choice, expected):
    tool = ToolInfo(name="f", description="d", parameters=ToolParams(properties={}))
    body = request(tools=[tool], tool_choice=choice).body
    assert body["tools"][0]["function"]["name"] == "f"
    assert body["tool_choice"] == expected


def load(reference):
    return f"data:image/png;base64,{reference}"


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
def test_encoding_adds_how_it_is_transported(stream):
    sent = json.loads(encode_body(request().body, stream=stream, load_image=load))
    assert sent["stream"] is stream
    assert sent.get("stream_options") == ({"include_usage": True} if stream else None)


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("ref:1", "data:image/png;base64,ref:1"),
        ("data:image/png;base64,AA", "data:image/png;base64,AA"),
        ("https://h/i.png", "https://h/i.png"),
    ],
)
def test_image_references_become_images_when_sent_and_only_then(url, sent):
    message = ChatMessageUser(content=[ContentText(text="look"), ContentImage(image=url)])
    body = request([message]).body
    encoded = json.loads(encode_body(body, stream=True, load_image=load))
    assert encoded["messages"][0]["content"][1]["image_url"]["url"] == sent
    assert body["messages"][0]["content"][1]["image_url"]["url"] == url
