"""A refusal is a 400 with a reason, never just any failure; a dead server passes nothing."""

import pytest

from tests.verifiers.contract_replies import (
    UNUSABLE,
    broke,
    call,
    called,
    evidence_of,
    refused,
    refused_without_object,
    said,
    silent,
    status_of,
)
from verifiers import contract_refusal
from verifiers.contract_evidence import ProbeReply, ProbeStatus
from verifiers.contract_sampling import n_choices

PASS, FAIL, ERROR = ProbeStatus.PASS, ProbeStatus.FAIL, ProbeStatus.ERROR

# message, param: as real servers answered (vLLM 0.32 with Kimi's parsers, llama.cpp), typed off by hand
REAL_REFUSALS = {
    "vllm, tools missing": (
        "When using `tool_choice`, `tools` must be set. (parameter=tool_choice)",
        "tool_choice",
    ),
    "vllm, param null": ("presence_penalty must be in [-2, 2], got 3.0.", None),
    "vllm, type with a space": ("1 validation error:\n  {'type': 'missing', 'loc': 'body.messages'}", None),
    "llama.cpp": ("Field 'n': Value must be between 1 <= value <= 4, but got 0", None),
    "moonshot": ("invalid temperature: only 1 is allowed for this model", None),
}


@pytest.mark.parametrize(("message", "param"), REAL_REFUSALS.values(), ids=REAL_REFUSALS)
def test_a_real_400_with_words_is_a_refusal(message: str, param: str | None) -> None:
    reply = refused(message, param=param)
    assert contract_refusal.judge_refusal(reply).status is PASS
    assert message.split()[0] in contract_refusal.judge_refusal(reply).evidence


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(said("OK"), FAIL, id="accepted"),
        pytest.param(called(call()), FAIL, id="accepted with a call"),
        pytest.param(refused(""), FAIL, id="400 with an empty message"),
        pytest.param(refused_without_object(), FAIL, id="400 without OpenAI's error object"),
        pytest.param(refused_without_object(404), FAIL, id="404 page"),
        pytest.param(refused("bad", 422), FAIL, id="422"),
        pytest.param(broke(500), FAIL, id="500 with an error object"),
        pytest.param(broke(501, None), FAIL, id="501"),
        pytest.param(broke(200, "temperature"), FAIL, id="error under HTTP 200"),
        pytest.param(broke(502, None), ERROR, id="502 of a proxy"),
        pytest.param(broke(503), ERROR, id="503"),
        pytest.param(broke(429, "slow down"), ERROR, id="429"),
        pytest.param(broke(200, None, fault="HTML"), ERROR, id="HTML"),
        pytest.param(refused("no key", 401), ERROR, id="401"),
        pytest.param(silent(), ERROR, id="dead server"),
    ],
)
def test_nothing_else_is_a_refusal(reply: ProbeReply, status: ProbeStatus) -> None:
    assert contract_refusal.judge_refusal(reply).status is status


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_an_endpoint_that_answers_everything_alike_passes_no_refusal(reply: ProbeReply) -> None:
    judge = contract_refusal.refused("wrong", control="control")
    assert status_of(judge, wrong=reply, control=reply) in (FAIL, ERROR)


def test_a_refusal_counts_only_beside_a_control_that_is_served() -> None:
    judge = contract_refusal.refused("wrong", control="control")
    assert status_of(judge, wrong=refused(), control=said()) is PASS
    assert status_of(judge, wrong=refused(), control=refused()) is FAIL
    assert status_of(judge, wrong=refused(), control=silent()) is ERROR


def test_all_of_several_must_be_refused_and_the_first_that_is_not_is_named() -> None:
    judge = contract_refusal.refused("one", "other", control="control")
    assert status_of(judge, one=refused(), other=refused(), control=said()) is PASS
    assert "other" in evidence_of(judge, one=refused(), other=said(), control=said())
    assert status_of(judge, one=silent(), other=said(), control=said()) is FAIL


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(said(n_choices=2), PASS, id="honoured"),
        pytest.param(refused(), PASS, id="refused"),
        pytest.param(said(n_choices=1), FAIL, id="accepted and not honoured"),
        pytest.param(broke(), FAIL, id="500"),
        pytest.param(silent(), ERROR, id="silence"),
    ],
)
def test_what_may_be_refused_must_otherwise_be_honoured(reply: ProbeReply, status: ProbeStatus) -> None:
    judge = contract_refusal.refused_or("n of 2", n_choices("n of 2", 2), control="n of 1")
    assert status_of(judge, n_of_2=reply, n_of_1=said()) is status
