"""What the first replies of a run give away, each said once."""

import dataclasses

import pytest

from evals.preflight.first_replies import FirstReplies
from evals.transport.exchange import Reply
from evals.transport.wire import WireRequest
from verifiers.response import Response, Usage

USAGE = Usage(prompt_tokens=10, completion_tokens=20)
GOOD = Response(content="21", reasoning="7+7+7", finish_reason="stop", usage=USAGE)
OFF = {"chat_template_kwargs": {"thinking": False}, "max_tokens": 64}
ON = {"chat_template_kwargs": {"thinking": True}, "max_tokens": 64}


def told(response, body=None, *, n=1, ttft_s=0.1, stream=True):
    lines = []
    first = FirstReplies(tell=lines.append)
    for _ in range(n):
        reply = Reply(response=response, ttft_s=ttft_s, duration_s=1.0, n_chunks=3)
        first.look(WireRequest(body=body or {"max_tokens": 64}, key="k", stream=stream), reply)
    return lines


def test_nothing_is_said_of_good_replies():
    assert told(GOOD, n=10) == [] and told(GOOD, ON, n=10) == []
    assert told(GOOD, stream=False, ttft_s=None) == []


@pytest.mark.parametrize(
    ("response", "more", "words"),
    [
        pytest.param(Response(content="21", finish_reason="stop"), {}, "no usage", id="no usage"),
        pytest.param(GOOD, {"ttft_s": None}, "plain replies come", id="plain replies to streams"),
        pytest.param(
            Response(content="<think>a</think>21", finish_reason="stop", usage=USAGE),
            {},
            "without its reasoning parser",
            id="tags in the content",
        ),
        pytest.param(GOOD, {"body": OFF}, "thinking_not_disabled", id="thinks though switched off"),
        pytest.param(
            Response(content="The user asks for 21.", finish_reason="stop", usage=USAGE),
            {"body": OFF},
            "cot_in_content_suspected",
            id="thinks aloud though switched off",
        ),
        pytest.param(
            Response(content="!" * 60, finish_reason="length", usage=USAGE), {}, "over and over", id="flood"
        ),
        pytest.param(
            Response(content="x", finish_reason="stop", usage=Usage(completion_tokens=500)),
            {},
            "budget of 64 tokens is not honoured",
            id="beyond the budget",
        ),
        pytest.param(
            Response(content="21", finish_reason="stop", usage=USAGE),
            {"body": ON, "n": 3},
            "no reasoning arrives",
            id="no reasoning though asked for",
        ),
    ],
)
def test_each_trouble_is_said_once(response, more, words):
    lines = told(response, **{"n": 8, **more})
    assert len(lines) == 1 and words in lines[0]


FLOOD = Response(content="!" * 60, finish_reason="length", usage=USAGE)
DIGITS = Response(content="0" * 60, finish_reason="length", usage=USAGE)


def whole(response):
    return Reply(response=response, ttft_s=0.1, duration_s=1.0, n_chunks=3)


def part(response):
    """What has come of a reply so far."""
    return dataclasses.replace(response, finish_reason=None, usage=None)


@pytest.mark.parametrize(
    ("looks", "stops"),
    [
        pytest.param([whole(FLOOD)] * 8, True, id="all of the first"),
        pytest.param([whole(FLOOD)] * 7, False, id="not yet all"),
        pytest.param([whole(GOOD), *[whole(FLOOD)] * 12], False, id="one lives"),
        pytest.param([whole(DIGITS)] * 8, False, id="a long number is no flood"),
        pytest.param([part(FLOOD)] * 8, True, id="while they are being written"),
        pytest.param([part(FLOOD)] * 5 + [whole(FLOOD)] * 3, True, id="some are whole"),
        pytest.param([part(FLOOD)] * 7, False, id="not enough of them"),
        pytest.param([part(GOOD)] * 8 + [part(FLOOD)] * 8, False, id="a few of many that are being written"),
        pytest.param([part(GOOD)] * 8 + [whole(FLOOD)] * 8, True, id="a part that says something is no life"),
        pytest.param([whole(GOOD), *[part(FLOOD)] * 8], False, id="one whole reply is"),
        pytest.param([part(DIGITS)] * 8, False, id="a long number in the making"),
    ],
)
def test_a_run_of_floods_is_stopped(looks, stops):
    lines, reasons = [], []
    first = FirstReplies(tell=lines.append, stop=reasons.append)
    for number, reply in enumerate(looks):
        asked = WireRequest(body={}, key=str(number))
        if isinstance(reply, Reply):
            first.look(asked, reply)
        else:
            first.look_at_part(asked, reply)
    assert len(reasons) == stops
    assert all("dead checkpoint" in reason and "'!'" in reason for reason in reasons)
    assert [line for line in lines if "over and over" in line] == lines[:1] or not stops


def test_a_request_counts_once_as_a_flood():
    reasons = []
    first = FirstReplies(tell=lambda _line: None, stop=reasons.append)
    for key in "abcdabcd":
        first.look_at_part(WireRequest(body={}, key=key), part(FLOOD))
    for key in "abcd":
        first.look(WireRequest(body={}, key=key), whole(FLOOD))
    assert reasons == []


def test_a_part_that_turns_into_a_flood_says_something_no_more():
    reasons = []
    first = FirstReplies(tell=lambda _line: None, stop=reasons.append)
    first.look_at_part(WireRequest(body={}, key="0"), part(GOOD))
    for key in "1234567":
        first.look_at_part(WireRequest(body={}, key=key), part(FLOOD))
    assert reasons == []
    first.look(WireRequest(body={}, key="0"), whole(FLOOD))
    assert len(reasons) == 1


def test_only_the_first_replies_are_looked_at():
    lines = []
    first = FirstReplies(tell=lines.append)
    good = Reply(response=GOOD, ttft_s=0.1, duration_s=1.0, n_chunks=3)
    bare = Reply(
        response=Response(content="21", finish_reason="stop"), ttft_s=0.1, duration_s=1.0, n_chunks=1
    )
    for reply in [*[good] * 8, bare]:
        first.look(WireRequest(body={}, key="k"), reply)
    assert lines == []


def test_one_reply_without_reasoning_is_no_trouble_yet():
    assert told(Response(content="21", finish_reason="stop", usage=USAGE), ON, n=2) == []
