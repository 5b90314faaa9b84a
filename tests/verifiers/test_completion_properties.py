"""What holds of any reply, however its stream is cut: nothing shared, nothing changed, nothing raised unnamed."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verifiers.completion_frames import END, USAGE, body, chunk, piece, stream, tools
from verifiers.completion import (
    CompletionAssembler,
    ErrorFrame,
    UnusableReplyError,
    read_completion,
)
from verifiers.response import Response


def test_instances_share_nothing() -> None:
    one, two = CompletionAssembler(), CompletionAssembler()
    one.add(tools(piece("{}", name="f", id="x")))
    one.add(chunk({"content": "x"}, "stop", usage=USAGE))
    assert two.finish() == Response()


def test_finish_may_be_asked_twice() -> None:
    assembler = CompletionAssembler()
    for item in (tools({}), tools(piece("{}", name="f")), END):
        assembler.add(item)
    assert assembler.finish() == assembler.finish()


def test_chunks_are_not_changed() -> None:
    frames = [
        tools(piece({"a": [1]}, name="f", id="x")),
        chunk({"content": [{"text": "x"}]}, usage=dict(USAGE)),
        END,
    ]
    before = copy.deepcopy(frames)
    stream(*frames)
    assert frames == before


@settings(deadline=None)
@given(st.text(), st.data())
def test_cutting_a_text_anywhere_changes_nothing(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=5)))
    pieces = [text[i:j] for i, j in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    response = stream(*(chunk({"content": part, "reasoning": part}) for part in pieces), chunk({}, "stop"))
    assert (response.content, response.reasoning, response.flags) == (text, text, ())


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=30)), max_size=4), st.data())
def test_any_fragments_in_any_interleaving_give_the_plain_calls(
    arguments: list[tuple[str, str]], data: st.DataObject
) -> None:
    queues = []
    for index, (first, second) in enumerate(arguments):
        head = piece(first, name=f"tool_{index}", id=f"functions.tool_{index}:{index}", index=index)
        queues.append([head, {"index": index, "function": {"arguments": second}}])
    expected = [
        {"id": q[0]["id"], "function": {"name": q[0]["function"]["name"], "arguments": "".join(pair)}}
        for q, pair in zip(queues, arguments, strict=True)
    ]
    frames = []
    while any(queues):
        queue = data.draw(st.sampled_from([q for q in queues if q]))
        frames.append(tools(queue.pop(0)))
    plain = read_completion(body({"tool_calls": expected}, "tool_calls"))
    assert stream(*frames, END).tool_calls == plain.tool_calls


KEYS = st.sampled_from(
    [
        "choices",
        "index",
        "delta",
        "message",
        "text",
        "finish_reason",
        "usage",
        "error",
        "content",
        "reasoning",
        "reasoning_content",
        "type",
        "id",
        "name",
        "reasoning_details",
        "tool_calls",
        "function",
        "function_call",
        "arguments",
        "refusal",
        "prompt_tokens",
        "completion_tokens",
        "completion_tokens_details",
        "reasoning_tokens",
        "code",
        "detail",
        "summary",
        "thinking",
        "base_resp",
        "status_code",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["stop", "{}", '{"a":1}', "text"])
)
JSONISH = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
CHOICES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "index": LEAVES,
            "delta": st.dictionaries(KEYS, JSONISH, max_size=4),
            "message": st.dictionaries(KEYS, JSONISH, max_size=4),
            "finish_reason": JSONISH,
            "usage": JSONISH,
            "error": JSONISH,
        },
    ),
    max_size=3,
)
FRAMES = JSONISH | st.fixed_dictionaries({"choices": CHOICES}, optional={"usage": JSONISH})


@settings(deadline=None)
@given(st.lists(FRAMES, max_size=5))
def test_any_json_gives_a_response_or_a_named_fault(frames: list[Any]) -> None:
    assembler = CompletionAssembler()
    for frame in frames:
        for read in (read_completion, assembler.add):
            try:
                read(frame)
            except UnusableReplyError as fault:
                assert str(fault)
    response = assembler.finish()
    json.dumps([response.content, response.flags, [call.arguments for call in response.tool_calls]])


def test_nesting_beyond_what_json_can_write() -> None:
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    for field in ("content", "reasoning", "tool_calls", "refusal", "function_call"):
        read_completion(body({field: deep}))
        stream(chunk({field: deep}))
    with pytest.raises(ErrorFrame):
        read_completion({"error": {"why": deep}})
