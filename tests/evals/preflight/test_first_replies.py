"""What the first replies of a run give away, each said once."""

import pytest

from evals.preflight.first_replies import FirstReplies
from evals.transport.exchange import Reply
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
        first.look(body or {"max_tokens": 64}, reply, stream=stream)
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


@pytest.mark.parametrize(
    ("responses", "stops"),
    [
        pytest.param([FLOOD] * 8, True, id="all of the first"),
        pytest.param([FLOOD] * 7, False, id="not yet all"),
        pytest.param([GOOD, *[FLOOD] * 12], False, id="one lives"),
        pytest.param([DIGITS] * 8, False, id="a long number is no flood"),
    ],
)
def test_a_run_of_floods_is_stopped(responses, stops):
    reasons = []
    first = FirstReplies(tell=lambda _line: None, stop=reasons.append)
    for response in responses:
        reply = Reply(response=response, ttft_s=0.1, duration_s=1.0, n_chunks=3)
        first.look({}, reply, stream=True)
    assert len(reasons) == stops
    assert all("dead checkpoint" in reason and "'!'" in reason for reason in reasons)


def test_only_the_first_replies_are_looked_at():
    lines = []
    first = FirstReplies(tell=lines.append)
    good = Reply(response=GOOD, ttft_s=0.1, duration_s=1.0, n_chunks=3)
    bare = Reply(
        response=Response(content="21", finish_reason="stop"), ttft_s=0.1, duration_s=1.0, n_chunks=1
    )
    for reply in [*[good] * 8, bare]:
        first.look({}, reply, stream=True)
    assert lines == []


def test_one_reply_without_reasoning_is_no_trouble_yet():
    assert told(Response(content="21", finish_reason="stop", usage=USAGE), ON, n=2) == []
