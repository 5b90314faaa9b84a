import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verifiers.contract_replies import UNUSABLE, evidence_of, said, status_of, usage
from verifiers.contract_evidence import Evidence, ProbeReply, ProbeStatus
from verifiers.contract_usage import (
    allowed_overcount,
    longer_prompt,
    prompt_tokens_match,
    same_prompt_tokens,
    usage_adds_up,
    usage_present,
)
from verifiers.response import Usage

PASS, FAIL, NOT_APPLICABLE, ERROR = (
    ProbeStatus.PASS,
    ProbeStatus.FAIL,
    ProbeStatus.NOT_APPLICABLE,
    ProbeStatus.ERROR,
)


def counted(prompt: int | None, completion: int | None = 5) -> ProbeReply:
    return said(usage=usage(prompt, completion))


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(counted(35, 48), PASS, id="both told"),
        pytest.param(said(usage=None), FAIL, id="none"),
        pytest.param(counted(None), FAIL, id="prompt not told (zeros are not told)"),
        pytest.param(counted(35, None), FAIL, id="completion not told"),
    ],
)
def test_usage_must_be_told(reply: ProbeReply, status: ProbeStatus) -> None:
    assert status_of(usage_present("a"), a=reply) is status


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        pytest.param(usage(35, 48), PASS, id="vLLM: 35 + 48 = 83"),
        pytest.param(usage(35, 48, 90), FAIL, id="total is off"),
        pytest.param(usage(35, 48, reasoning_tokens=48), PASS, id="all reasoning"),
        pytest.param(usage(35, 48, reasoning_tokens=49), FAIL, id="more reasoning than completion"),
        pytest.param(Usage(prompt_tokens=35), PASS, id="no total to contradict"),
        pytest.param(None, NOT_APPLICABLE, id="none told"),
    ],
)
def test_counts_fit_together(counts: Usage | None, status: ProbeStatus) -> None:
    assert status_of(usage_adds_up("a"), a=said(usage=counts)) is status


def test_a_malformed_count_is_named() -> None:
    reply = said(usage=usage(35, 48), flags=("usage_malformed",))
    assert status_of(usage_adds_up("a"), a=reply) is FAIL


@pytest.mark.parametrize(
    ("plain", "streamed", "status"),
    [(35, 35, PASS), (35, 36, FAIL), (None, 35, NOT_APPLICABLE), (35, None, NOT_APPLICABLE)],
)
def test_one_prompt_has_one_length(plain: int | None, streamed: int | None, status: ProbeStatus) -> None:
    judge = same_prompt_tokens("plain", "stream")
    assert status_of(judge, plain=counted(plain), stream=counted(streamed)) is status


@pytest.mark.parametrize(
    ("told", "expected", "status"),
    [
        (35, 35, PASS),
        (34, 35, FAIL),  # never fewer
        (37, 35, PASS),  # a begin token and a line end
        (38, 35, FAIL),
        (1010, 1000, PASS),
        (1011, 1000, FAIL),
        (48, 35, FAIL),  # a third more
        (None, 35, NOT_APPLICABLE),
    ],
)
def test_prompt_tokens_keep_to_given_constants(told: int | None, expected: int, status: ProbeStatus) -> None:
    assert status_of(prompt_tokens_match({"p": expected}), p=counted(told)) is status


def test_the_prompts_that_are_off_are_named_and_tallied() -> None:
    # the same weights: llama.cpp counts 92 where the given tokenizer counts 112
    judge = prompt_tokens_match({"table": 112, "colours": 35})
    verdict = judge(Evidence(replies={"table": counted(92), "colours": counted(35)}))
    assert verdict.status is FAIL
    assert "table: 92 for 112" in verdict.evidence
    assert verdict.tally is not None
    assert (verdict.tally.kept, verdict.tally.judged) == (1, 2)


@given(st.integers(1, 10**6))
def test_the_allowance_is_small_and_never_shrinks(tokens: int) -> None:
    assert 2 <= allowed_overcount(tokens) <= max(2, tokens / 100)
    assert allowed_overcount(tokens + 1) >= allowed_overcount(tokens)


@pytest.mark.parametrize(
    ("longer", "shorter", "status"),
    [(213, 41, PASS), (41, 41, FAIL), (40, 41, FAIL), (None, 41, NOT_APPLICABLE)],
)
def test_tools_that_vanish_show_in_the_prompt_tokens(
    longer: int | None, shorter: int, status: ProbeStatus
) -> None:
    # llama.cpp with a template without tools: 41 prompt tokens with and without them
    judge = longer_prompt(longer="with", shorter="without", what="tools")
    replies = {"with": counted(longer), "without": counted(shorter)}
    assert judge(Evidence(replies=replies)).status is status


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_nothing_unusable_has_right_counts(reply: ProbeReply) -> None:
    for judge in (usage_present("a"), usage_adds_up("a"), prompt_tokens_match({"a": 1})):
        assert status_of(judge, a=reply) in (FAIL, ERROR)
        assert evidence_of(judge, a=reply)
