"""Every fault as a client sees it, streamed and plain: each kind has its row, and a row says what arrives."""

import email.utils
import json
import time
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from evals.simulator.fault_kind import FaultKind as Kind

PLAIN, STREAM = {}, {"stream": True, "stream_options": {"include_usage": True}}
BOTH = pytest.mark.parametrize("shape", [PLAIN, STREAM], ids=["plain", "stream"])
STATUSES = {
    Kind.HTTP_400_CONTEXT: 400,
    Kind.HTTP_401: 401,
    Kind.HTTP_403: 403,
    Kind.HTTP_404: 404,
    Kind.HTTP_408: 408,
    Kind.HTTP_409: 409,
    Kind.HTTP_422: 422,
    Kind.HTTP_425: 425,
    Kind.HTTP_429: 429,
    Kind.HTTP_429_DATE: 429,
    Kind.HTTP_500: 500,
    Kind.HTTP_502_HTML: 502,
    Kind.HTTP_503: 503,
    Kind.HTTP_504: 504,
    Kind.HTTP_529: 529,
}


@BOTH
@pytest.mark.parametrize(("kind", "status"), STATUSES.items(), ids=list(STATUSES))
def test_error_statuses_and_their_end(start, kind, status, shape):
    client = start(f"{kind.value}=first:1")
    assert client.ask(**shape).status == status
    assert client.ask(**shape).status == 200
    ledger = client.ledger()
    assert ledger["statuses"] == {"200": 1, str(status): 1} and ledger["completed"] == 1


def test_retry_after_as_seconds_and_as_a_date(start):
    assert start("http_429=1", retry_after_s=7).ask().headers["retry-after"] == "7"
    when = start("http_429_date=1", retry_after_s=7).ask().headers["retry-after"]
    assert 6 <= email.utils.parsedate_to_datetime(when).timestamp() - time.time() <= 9


@BOTH
@pytest.mark.parametrize("kind", ["connect_reset", "connect_close"])
def test_no_reply_at_all(start, kind, shape):
    client = start(f"{kind}=first:1")
    with pytest.raises(ConnectionError):
        client.ask(**shape)
    assert client.ask(**shape).status == 200
    assert client.ledger()["statuses"] == {"0": 1, "200": 1}


@BOTH
@pytest.mark.parametrize(
    ("kind", "shows"),
    [
        ("ok_error_body", lambda answer: answer.json()["error"]["code"] == 500),
        ("ok_no_choices", lambda answer: answer.json()["choices"] == []),
        ("ok_html", lambda answer: answer.body.startswith(b"<html>")),
        ("ok_empty", lambda answer: answer.body == b""),
    ],
)
def test_a_200_that_is_none(start, kind, shows, shape):
    client = start(f"{kind}=1")
    answer = client.ask(**shape)
    assert answer.status == 200 and shows(answer)
    assert client.ledger()["completed"] == 0


def half_way(answer, whole) -> bool:
    return 0 < len(answer.streamed("reasoning")) < len(whole.streamed("reasoning"))


SPOILED_STREAMS = {
    "reset_mid_stream": lambda a, w: (
        a.error == "ConnectionResetError" and half_way(a, w) and not a.finishes()
    ),
    "cut_mid_stream": lambda a, w: a.error is None and half_way(a, w) and "[DONE]" not in a.payloads(),
    "done_without_finish": lambda a, w: half_way(a, w) and a.payloads()[-1] == "[DONE]" and not a.finishes(),
    "error_frame": lambda a, w: half_way(a, w) and "error" in a.chunks()[-1] and not a.finishes(),
    "finish_null_then_eof": lambda a, w: a.streamed("content") == w.streamed("content") and not a.finishes(),
    "finish_abort": lambda a, w: half_way(a, w) and a.finishes() == ["abort"],
}
SPOILED_PLAIN = {
    "reset_mid_stream": lambda a: a.error == "ConnectionResetError" and b'"choices"' in a.body,
    "cut_mid_stream": lambda a: a.error is None and not is_json(a.body),
    "garbage_json": lambda a: not is_json(a.body),
    "done_without_finish": lambda a: a.json()["choices"][0]["finish_reason"] is None,
    "finish_null_then_eof": lambda a: a.json()["choices"][0]["finish_reason"] is None,
    "error_frame": lambda a: a.json()["error"]["code"] == 500,
    "finish_abort": lambda a: a.json()["choices"][0]["finish_reason"] == "abort",
}


def is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("kind", SPOILED_STREAMS)
def test_spoiled_streams(start, kind):
    client = start(f"{kind}=first:1", frames_per_write=1)
    broken, whole = (client.ask("Problem always", seed=1, **STREAM) for _ in range(2))
    assert SPOILED_STREAMS[kind](broken, whole)
    assert client.ledger()["completed"] == 1


@pytest.mark.parametrize("kind", SPOILED_PLAIN)
def test_spoiled_plain_replies(start, kind):
    client = start(f"{kind}=1")
    assert SPOILED_PLAIN[kind](client.ask("Problem always", seed=1))
    assert client.ledger()["completed"] == 0


def test_a_frame_that_is_not_json(start):
    answer = start("garbage_json=1").ask("Problem always", seed=1, stream=True)
    broken = [
        payload for payload in answer.payloads() if payload != "[DONE]" and not is_json(payload.encode())
    ]
    assert len(broken) == 1 and answer.payloads()[-1] == "[DONE]"


@BOTH
def test_a_stall_lasts_until_the_client_leaves(start, shape):
    client = start("stall=1")
    with pytest.raises(TimeoutError):
        client.ask("Problem always", timeout_s=0.2, **shape)
    time.sleep(0.05)
    assert client.ledger()["abandoned"] == 1


@BOTH
def test_a_slow_start(start, shape):
    client = start("slow_start=1", slow_start_s=0.2)
    began = time.monotonic()
    assert client.ask(**shape).status == 200
    assert time.monotonic() - began >= 0.2


def test_noise_between_frames_changes_nothing_that_is_said(start):
    quiet = start().ask("Problem always", seed=1, **STREAM)
    for kind, mark in (("keepalive_comments", b": keep-alive\n\n"), ("crlf", b"}\r\n\r\ndata: ")):
        noisy = start(f"{kind}=1").ask("Problem always", seed=1, **STREAM)
        assert mark in noisy.body and mark not in quiet.body
        for field in ("reasoning", "content"):
            assert noisy.streamed(field) == quiet.streamed(field)
        assert noisy.payloads()[-1] == "[DONE]"


def test_white_space_before_a_plain_body(start):
    answer = start("keepalive_comments=1").ask("Problem always", seed=1)
    assert answer.body[:1].isspace() and r"\boxed{70}" in answer.message["content"]


@BOTH
def test_splits_fall_inside_characters_and_lose_nothing(start, shape):
    answer = start("split_utf8=1").ask("Problem always", seed=1, **shape)
    reasoning = answer.streamed("reasoning") if shape else answer.message["reasoning"]
    assert "\u7d20\u6570 \U0001d53d" in reasoning


def test_a_stream_asked_for_and_not_given(start):
    answer = start("ignore_stream=1").ask(**STREAM)
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json()["object"] == "chat.completion"


USAGES = {
    "usage_missing": lambda usage, _: usage is None,
    "usage_zero": lambda usage, _: usage["prompt_tokens"] == usage["completion_tokens"] == 0,
    "usage_wrong": lambda usage, _: (
        usage["total_tokens"] != usage["prompt_tokens"] + usage["completion_tokens"]
    ),
    "usage_on_finish": lambda usage, right: usage == right,
}


@BOTH
@pytest.mark.parametrize("kind", USAGES)
def test_usage_faults(start, kind, shape):
    right = start().ask("Problem always", seed=1).json()["usage"]
    answer = start(f"{kind}=1").ask("Problem always", seed=1, **shape)
    chunks = answer.chunks() if shape else [answer.json()]
    usage = next((chunk["usage"] for chunk in chunks if "usage" in chunk), None)
    assert USAGES[kind](usage, right)
    if kind == "usage_on_finish" and shape:
        assert "usage" in chunks[-1] and chunks[-1]["choices"][0]["finish_reason"] == "stop"


def said(answer, field: str) -> object:
    return answer.streamed(field) if answer.payloads() else answer.message.get(field)


@BOTH
def test_two_choices_though_one_was_asked_for(start, shape):
    answer = start("several_choices=1").ask("Problem always", seed=1, **shape)
    chunks = answer.chunks() if shape else [answer.json()]
    assert {choice["index"] for chunk in chunks for choice in chunk["choices"]} == {0, 1}


@BOTH
def test_content_null(start, shape):
    answer = start("content_null=1").ask("Problem always", seed=1, **shape)
    assert said(answer, "reasoning") and not said(answer, "content")
    assert shape or answer.message["content"] is None


THOUGHTS = {
    "think_in_content": lambda text: text.startswith("<think>\n") and "\n</think>\n\n" in text,
    "think_unclosed": lambda text: text.startswith("<think>\n") and "</think>" not in text,
    "think_bare_closer": lambda text: "<think>" not in text and "\n</think>\n\n" in text,
}


@BOTH
@pytest.mark.parametrize("kind", THOUGHTS)
def test_thinking_in_the_content(start, kind, shape):
    right = start().ask("Problem always", seed=1).message
    answer = start(f"{kind}=1").ask("Problem always", seed=1, **shape)
    content = said(answer, "content")
    assert THOUGHTS[kind](content) and not said(answer, "reasoning")
    assert right["reasoning"] in content and content.endswith(right["content"])


@BOTH
def test_both_reasoning_fields_at_once(start, shape):
    answer = start("both_reasoning=1").ask("Problem always", seed=1, **shape)
    assert said(answer, "reasoning") == said(answer, "reasoning_content") != ""


@BOTH
def test_reasoning_in_details_only(start, shape):
    right = start().ask("Problem always", seed=1).message["reasoning"]
    answer = start("reasoning_details=1").ask("Problem always", seed=1, **shape)
    parts = [c["delta"] for chunk in answer.chunks() for c in chunk["choices"]] if shape else [answer.message]
    details = [detail for part in parts for detail in part.get("reasoning_details", ())]
    assert "".join(detail["text"] for detail in details) == right and not said(answer, "reasoning")


@BOTH
def test_degenerate_output_fills_the_budget(start, shape):
    flood = start("flood=1").ask("Problem always", seed=1, max_tokens=50, **shape)
    assert said(flood, "reasoning") == "!" * 50 and not said(flood, "content")
    loop = start("loop=1").ask("Problem always", seed=1, max_tokens=400, **shape)
    tail = said(loop, "reasoning")[-60:]
    assert said(loop, "reasoning").count(tail) > 3
    instant = start("flood=1").ask(max_tokens=20, thinking={"type": "disabled"}, **shape)
    assert said(instant, "content") == "!" * 20


@BOTH
def test_what_is_asked_is_ignored(start, shape):
    off = start("thinking_ignored=1").ask(thinking={"type": "disabled"}, **shape)
    assert said(off, "reasoning")
    client = start("seed_ignored=1")
    assert said(client.ask(seed=1, **shape), "reasoning") != said(client.ask(seed=1, **shape), "reasoning")
    long = start("max_tokens_ignored=1").ask("Problem always", max_tokens=2, **shape)
    assert said(long, "content")
    assert said(start("stop_ignored=1").ask("Count from 1 to 9", stop=["5"], **shape), "content").endswith(
        "9"
    )
    loose = start("format_ignored=1").ask(response_format={"type": "json_object"}, **shape)
    assert not is_json(said(loose, "content").encode())


def read_calls(answer) -> list[dict[str, object]]:
    """Join call deltas by their id, as a client that trusts no index would."""
    if not answer.payloads():
        return answer.message.get("tool_calls") or []
    calls: list[dict[str, object]] = []
    for delta in (c["delta"] for chunk in answer.chunks() for c in chunk["choices"]):
        for piece in delta.get("tool_calls", ()):
            if "id" in piece:
                calls.append({"id": piece["id"], "name": "", "arguments": "", "type": piece["type"]})
            for field, part in piece["function"].items():
                calls[-1][field] = calls[-1][field] + part if isinstance(part, str) else part
    return [{"id": c["id"], "function": {k: c[k] for k in ("name", "arguments")}} for c in calls]


def first(answer) -> dict[str, object]:
    return read_calls(answer)[0]["function"]


def finish(answer) -> object:
    return answer.finishes()[-1] if answer.payloads() else answer.json()["choices"][0]["finish_reason"]


CALL_FAULTS: dict[str, Callable[[object], bool]] = {
    "tool_name_unknown": lambda a: first(a)["name"] == "undeclared_tool",
    "tool_args_truncated": lambda a: (
        first(a)["arguments"].startswith('{"city"') and not is_json(first(a)["arguments"])
    ),
    "tool_args_double_encoded": lambda a: json.loads(json.loads(first(a)["arguments"]))["days"] == 1,
    "tool_args_empty": lambda a: first(a)["arguments"] == "",
    "tool_args_null": lambda a: first(a)["arguments"] is None,
    "tool_args_object": lambda a: first(a)["arguments"]["days"] == 1,
    "tool_leak_content": lambda a: (
        "functions.get_weather:0<|tool_call_arg" in said(a, "content") and not read_calls(a)
    ),
    "tool_leak_reasoning": lambda a: "<|tool_call_begin|>" in said(a, "reasoning") and not read_calls(a),
    "tool_id_openai": lambda a: read_calls(a)[0]["id"].startswith("call_"),
    "tool_id_malformed": lambda a: read_calls(a)[0]["id"] == "functionsget_weather0",
    "tool_id_missing": lambda a: read_calls(a)[0]["id"] is None,
    "tool_finish_stop": lambda a: read_calls(a) and finish(a) == "stop",
    "tool_finish_without_calls": lambda a: not read_calls(a) and finish(a) == "tool_calls",
    "tool_empty_deltas": lambda a: (
        not read_calls(a) and finish(a) == "tool_calls" and b'"tool_calls":[]' in a.body
    ),
    "tool_not_triggered": lambda a: not read_calls(a) and finish(a) == "stop" and said(a, "content"),
    "tool_parallel_unordered": lambda a: [c["id"][-1] for c in read_calls(a)] == ["1", "0"],
}


@BOTH
@pytest.mark.parametrize("kind", CALL_FAULTS)
def test_tool_call_faults(start, kind, shape, weather):
    answer = start(f"{kind}=1").ask("Weather in Oslo, please", tools=[weather], **shape)
    assert CALL_FAULTS[kind](answer)


@BOTH
@pytest.mark.parametrize("n_required", [0, 1, 2])
def test_invalid_arguments_are_json_and_invalid(start, shape, weather, n_required):
    schema = {**weather["function"]["parameters"], "required": ["city", "days"][:n_required]}
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    clients = (start(), start("tool_args_invalid=1"))
    good, bad = (client.ask(tools=[tool], tool_choice="required", **shape) for client in clients)
    jsonschema.validate(json.loads(first(good)["arguments"]), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(first(bad)["arguments"]), schema)


def test_faults_of_streamed_calls(start, weather):
    def deltas(kind: str) -> tuple[object, list[dict[str, object]]]:
        answer = start(f"{kind}=1").ask("Weather in Oslo", tools=[weather], **STREAM)
        found = [c["delta"].get("tool_calls") for chunk in answer.chunks() for c in chunk["choices"]]
        return answer, [piece for pieces in found for piece in pieces or ()]

    answer, pieces = deltas("tool_duplicate_index")
    assert {piece["index"] for piece in pieces} == {0} and len(read_calls(answer)) == 2
    assert all("index" not in piece for piece in deltas("tool_index_missing")[1])
    names = [
        piece["function"]["name"]
        for piece in deltas("tool_name_fragmented")[1]
        if "name" in piece["function"]
    ]
    assert len(names) == 2 and "".join(names) == "get_weather"
    assert deltas("tool_finish_twice")[0].finishes() == ["tool_calls", "tool_calls"]


@BOTH
def test_tool_choice_ignored(start, weather, shape):
    client = start("tool_choice_ignored=1")
    assert not read_calls(client.ask(tools=[weather], tool_choice="required", **shape))
    assert read_calls(client.ask(tools=[weather], tool_choice="none", **shape))
    assert read_calls(client.ask("Weather in Oslo", tools=[weather], **shape))


def test_every_kind_has_a_description_and_a_row_here():
    tried = {*map(str, STATUSES), *SPOILED_STREAMS, *SPOILED_PLAIN, *USAGES, *THOUGHTS, *CALL_FAULTS}
    source = Path(__file__).read_text()
    assert all(kind.description for kind in Kind)
    assert [kind.value for kind in Kind if kind.value not in tried and f'"{kind.value}' not in source] == []
