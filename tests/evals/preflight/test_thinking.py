"""Where reasoning arrives, and whether the switch does what it says, on replies as engines give them."""

import pytest

from evals.preflight.finding import Status
from evals.preflight.thinking import (
    SwitchReplies,
    Thought,
    answer_finding,
    honours,
    reasoning_finding,
    switch_finding,
    thought_of,
)
from evals.transport.failure import http_failure
from tasks.spec import ThinkMode
from verifiers.response import Response, Usage

# vLLM with Kimi's parsers: thinking on by default, content null until the reasoning closes.
VLLM_ON = Response(content=None, reasoning="The primary colours are", finish_reason="length")
VLLM_OFF = Response(content="The primary colours are", reasoning=None, finish_reason="length")
PLAIN = Response(content="3x7 is 21.", finish_reason="stop")  # llama.cpp with a model that does not think
STILL_THINKS = Response(content=None, reasoning="still thinks", finish_reason="stop")
COT = Response(content="The user asks for 3x7. I compute... 21", finish_reason="stop")
TAGGED = Response(content="<think>7+7+7</think>21", finish_reason="stop")
UNCLOSED = Response(content="<think>7+7+7 is 21", finish_reason="stop")
UNCLOSED_CUT = Response(content="<think>7+7+7 is", finish_reason="length")
COUNTED = Response(content="21", finish_reason="stop", usage=Usage(reasoning_tokens=30))


@pytest.mark.parametrize(
    ("response", "thought"),
    [
        pytest.param(VLLM_ON, Thought.SEPARATE, id="own field"),
        pytest.param(VLLM_OFF, Thought.NONE, id="switched off"),
        pytest.param(PLAIN, Thought.NONE, id="does not think"),
        pytest.param(TAGGED, Thought.TAGGED, id="tags"),
        pytest.param(UNCLOSED_CUT, Thought.TAGGED, id="tag still open"),
        pytest.param(COUNTED, Thought.COUNTED, id="hidden but counted"),
        pytest.param(COT, Thought.SUSPECTED, id="aloud"),
        pytest.param(Response(content="<think></think>21"), Thought.NONE, id="empty pair"),
        pytest.param(
            Response(content="<think>a</think>21", reasoning="b"), Thought.SEPARATE, id="both places"
        ),
    ],
)
def test_where_the_reasoning_of_a_reply_lies(make_asked, response, thought):
    assert thought_of(make_asked(response)) is thought


KIMI, OPENSOURCE = ThinkMode.KIMI, ThinkMode.OPENSOURCE


@pytest.mark.parametrize(
    ("on", "off", "plan", "status", "flags"),
    [
        pytest.param(VLLM_ON, VLLM_OFF, {}, Status.OK, (), id="honoured"),
        pytest.param(VLLM_ON, VLLM_ON, {}, Status.WARN, ("thinking_not_disabled",), id="unused and ignored"),
        pytest.param(
            VLLM_ON, VLLM_ON, {"thinking": False}, Status.FAIL, ("thinking_not_disabled",), id="TR11: ignored"
        ),
        pytest.param(
            STILL_THINKS,
            STILL_THINKS,
            {"thinking": False},
            Status.FAIL,
            ("thinking_not_disabled",),
            id="TR11: reasoning and no content",
        ),
        pytest.param(
            COT, COT, {"thinking": False}, Status.WARN, ("cot_in_content_suspected",), id="TR11: aloud"
        ),
        pytest.param(
            TAGGED, TAGGED, {"thinking": False}, Status.FAIL, ("thinking_not_disabled",), id="ignored, tagged"
        ),
        pytest.param(
            COUNTED,
            COUNTED,
            {"thinking": False},
            Status.FAIL,
            ("thinking_not_disabled",),
            id="ignored, hidden",
        ),
        pytest.param(
            VLLM_ON, VLLM_ON, {"thinking": True}, Status.WARN, ("thinking_not_disabled",), id="one way"
        ),
        pytest.param(PLAIN, PLAIN, {}, Status.WARN, (), id="never thinks, unused"),
        pytest.param(PLAIN, PLAIN, {"thinking": True}, Status.FAIL, (), id="never thinks though asked"),
        pytest.param(PLAIN, PLAIN, {"thinking": False}, Status.WARN, (), id="never thinks, wanted so"),
    ],
)
def test_a_switch_is_judged_by_what_the_run_needs(make_plan, make_asked, on, off, plan, status, flags):
    mode = {"think_mode": KIMI} if plan else {}
    replies = SwitchReplies(mode=KIMI, on=make_asked(on), off=make_asked(off))
    other = SwitchReplies(mode=OPENSOURCE, on=make_asked(VLLM_ON), off=make_asked(VLLM_OFF))
    finding = switch_finding(replies, make_plan(**mode, **plan), other=other)
    assert (finding.name, finding.status, finding.flags) == ("thinking_kimi", status, flags)


def test_the_way_that_works_is_the_advice(make_plan, make_asked):
    ignored = SwitchReplies(mode=KIMI, on=make_asked(VLLM_ON), off=make_asked(VLLM_ON))
    works = SwitchReplies(mode=OPENSOURCE, on=make_asked(VLLM_ON), off=make_asked(VLLM_OFF))
    assert honours(works) and not honours(ignored)
    assert switch_finding(ignored, make_plan(), other=works).advice == "--think-mode opensource"
    assert "no instant score" in switch_finding(ignored, make_plan(), other=ignored).advice


@pytest.mark.parametrize(("mode", "status"), [(KIMI, Status.FAIL), (ThinkMode.NONE, Status.WARN)])
def test_a_refused_switch_fails_only_where_it_is_used(make_plan, make_asked, mode, status):
    refused = make_asked(failure=http_failure(400, "unknown parameter: thinking", None))
    replies = SwitchReplies(mode=KIMI, on=refused, off=refused)
    finding = switch_finding(replies, make_plan(think_mode=mode), other=replies)
    assert finding.status is status and "unknown parameter" in finding.evidence


@pytest.mark.parametrize(
    ("responses", "plan", "status", "flags"),
    [
        pytest.param([VLLM_ON], {}, Status.OK, (), id="own field"),
        pytest.param([TAGGED], {}, Status.WARN, ("think_in_content",), id="tags"),
        pytest.param([TAGGED, VLLM_ON], {}, Status.WARN, ("think_in_content",), id="tags in one of two"),
        pytest.param([UNCLOSED], {}, Status.FAIL, ("think_in_content",), id="never closes"),
        pytest.param([UNCLOSED_CUT], {}, Status.WARN, ("think_in_content",), id="cut before it closes"),
        pytest.param([COUNTED], {}, Status.OK, (), id="hidden"),
        pytest.param([COT], {}, Status.WARN, ("cot_in_content_suspected",), id="aloud"),
        pytest.param([PLAIN], {}, Status.SKIP, (), id="no reasoning"),
        pytest.param(
            [PLAIN], {"think_mode": OPENSOURCE, "thinking": True}, Status.FAIL, (), id="asked for, none comes"
        ),
    ],
)
def test_where_reasoning_arrives(make_plan, make_asked, responses, plan, status, flags):
    finding = reasoning_finding([make_asked(response) for response in responses], make_plan(**plan))
    assert (finding.status, finding.flags) == (status, flags)


def test_the_advice_is_the_engines_own_flag(make_plan, make_asked):
    assert reasoning_finding([make_asked(TAGGED)], make_plan()).advice == "--reasoning-parser kimi_k2"


@pytest.mark.parametrize(
    ("responses", "status"),
    [
        pytest.param([PLAIN], Status.OK, id="an answer"),
        pytest.param([TAGGED], Status.OK, id="an answer after tags"),
        pytest.param([PLAIN, STILL_THINKS], Status.OK, id="one of two answers"),
        pytest.param([VLLM_ON, VLLM_ON], Status.SKIP, id="all cut"),
        pytest.param([STILL_THINKS], Status.WARN, id="one reply without an answer"),
        pytest.param([STILL_THINKS, UNCLOSED], Status.FAIL, id="no reply has an answer"),
        pytest.param([Response(finish_reason="stop")] * 2, Status.FAIL, id="empty replies"),
    ],
)
def test_whole_answers_are_looked_for_in_whole_replies(make_asked, responses, status):
    assert answer_finding([make_asked(response) for response in responses]).status is status
