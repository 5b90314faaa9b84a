import pytest

from tests.verifiers.contract_replies import UNUSABLE, broke, refused, said, silent, status_of, usage
from verifiers.contract_evidence import ProbeReply, ProbeStatus
from verifiers.contract_limits import (
    budget_honoured,
    context_refused,
    served_within_budget,
    stop_honoured,
)

PASS, FAIL, NOT_APPLICABLE, ERROR = (
    ProbeStatus.PASS,
    ProbeStatus.FAIL,
    ProbeStatus.NOT_APPLICABLE,
    ProbeStatus.ERROR,
)
# typed off what real servers answered to a prompt of 10,000 words
VLLM_TOO_LONG = (
    "This model's maximum context length is 2048 tokens. However, your prompt contains at least 2049 input"
    " tokens, which exceeds this limit even without any output tokens."
)
LLAMA_TOO_LONG = "request (10031 tokens) exceeds the available context size (1024 tokens), try increasing it"


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(said("x", finish_reason="length", usage=usage(9, 16)), PASS, id="at the budget"),
        pytest.param(said("x", finish_reason="eos", usage=usage(9, 16)), PASS, id="at it, odd word"),
        pytest.param(said("x", finish_reason="length", usage=usage(9, 17)), FAIL, id="beyond by count"),
        pytest.param(said("word " * 200, finish_reason="stop"), FAIL, id="beyond by length, no count"),
        pytest.param(said("word", finish_reason="length"), PASS, id="cut, no count"),
        pytest.param(said("OK", usage=usage(9, 2)), NOT_APPLICABLE, id="ended of itself"),
        pytest.param(broke(200, None, fault="still sending", is_endless=True), FAIL, id="never ends"),
        pytest.param(broke(200, None, fault="no end"), ERROR, id="stalls"),
    ],
)
def test_a_reply_ends_at_its_budget(reply: ProbeReply, status: ProbeStatus) -> None:
    assert status_of(budget_honoured("a", 16), a=reply) is status


@pytest.mark.parametrize(
    ("content", "finish", "status"),
    [
        pytest.param("1, 2, 3, 11, ", "stop", PASS, id="ended before it"),
        pytest.param("1, 11, 12", "stop", FAIL, id="it is part of the reply"),
        pytest.param("1, 11, 12, 13, 14", "stop", FAIL, id="ignored"),
        pytest.param("1, 11, ", "length", NOT_APPLICABLE, id="the budget came first"),
        pytest.param("one, two", "stop", NOT_APPLICABLE, id="never comes to it"),
    ],
)
def test_a_stop_sequence_ends_the_reply(content: str, finish: str, status: ProbeStatus) -> None:
    judge = stop_honoured("a", stop="12", before="11", after="13")
    assert status_of(judge, a=said(content, finish_reason=finish)) is status


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(refused(VLLM_TOO_LONG, param="input_tokens"), PASS, id="vLLM"),
        pytest.param(refused(LLAMA_TOO_LONG, kind="exceed_context_size_error"), PASS, id="llama.cpp"),
        pytest.param(refused("Bad request"), FAIL, id="a reason that does not say it"),
        pytest.param(refused(VLLM_TOO_LONG, 413), FAIL, id="413"),
        pytest.param(broke(500, "CUDA out of memory"), FAIL, id="500"),
        pytest.param(said(usage=usage(2048, 5)), FAIL, id="accepted: cut in silence"),
        pytest.param(silent(), ERROR, id="silence"),
    ],
)
def test_a_prompt_beyond_the_context_is_refused_for_that(reply: ProbeReply, status: ProbeStatus) -> None:
    judge = context_refused("long", control="short")
    assert status_of(judge, long=reply, short=said()) is status


def test_refusing_every_prompt_as_too_long_is_no_pass() -> None:
    judge = context_refused("long", control="short")
    assert status_of(judge, long=refused(VLLM_TOO_LONG), short=refused(VLLM_TOO_LONG)) is FAIL


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_nothing_unusable_keeps_a_limit(reply: ProbeReply) -> None:
    judges = (
        budget_honoured("a", 16),
        stop_honoured("a", stop="12", before="11", after="13"),
        served_within_budget("a"),
        context_refused("a", control="a"),
    )
    assert all(status_of(judge, a=reply) in (FAIL, ERROR) for judge in judges)
