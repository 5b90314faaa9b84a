"""A good vendor passes everything that applies; each fault is named, and what follows from it says so."""

import pytest

from evals.vendor.contract_run import Exchange
from tasks.vendor_contract.clauses import GivenData
from tasks.vendor_contract.probe import Delivery
from tasks.vendor_contract.profiles import PROFILES
from tasks.vendor_contract.schema_directory import GivenSchema
from tasks.vendor_contract.token_counts import TokenCount
from tests.evals.contract_vendor import ask_vendor, bad, roots
from verifiers.contract_evidence import ProbeStatus

OFFICIAL, OPEN, GENERIC = "kimi-k2.6-official", "kimi-k2.6-open", "generic"


@pytest.mark.parametrize("profile", PROFILES)
def test_a_good_vendor_passes_everything(profile: str) -> None:
    run = ask_vendor(profile)
    assert {result.probe.name: result.evidence for result in bad(run)} == {}
    assert {result.status for result in run.results} == {ProbeStatus.PASS}
    assert run.is_usable


# fault -> the one probe that names it; everything else that breaks must say that it follows from it
NAMED = {
    "usage_missing=1": "usage_present",
    "usage_wrong=1": "usage_adds_up",
    "finish_odd=1": "finish_reason",
    "several_choices=1": "one_choice",
    "content_null=1": "answers",
    "content_parts=1": "content_is_text",
    "think_in_content=1": "reasoning_place",
    "think_unclosed=1": "reasoning_place",
    "cot_in_content=1": "instant_text",
    "thinking_ignored=1": "thinking_off",
    "max_tokens_ignored=1": "max_tokens",
    "stop_ignored=1": "stop",
    "format_ignored=1": "json_object",
    "image_ignored=1": "image_png",
    "bad_values_accepted=1": "bad_values",
    "refused_with_500=1": "bad_request",
    "ignore_stream=1": "streaming",
    "cut_mid_stream=1@stream": "streaming",
    "http_500=1@stream": "streaming",
    "tool_name_unknown=1": "tool_arguments",
    "tool_args_invalid=1": "tool_arguments",
    "tool_args_object=1": "tool_arguments",
    "tool_leak_content=1": "tool_leak",
    "tool_leak_reasoning=1@stream": "tool_leak",
    "tool_id_openai=1": "tool_ids",
    "tool_id_missing=1": "tool_ids",
    "tool_finish_stop=1": "tool_finish",
    "tool_finish_without_calls=1": "tool_choice_required",
    "tool_choice_ignored=1": "tool_choice_required",
    "tool_duplicate_index=1": "tool_wire",
    "tool_name_fragmented=1": "tool_wire",
    "tool_parallel_unordered=1": "parallel_calls",
}


@pytest.mark.parametrize(("fault", "probe"), NAMED.items(), ids=NAMED)
def test_each_fault_is_named_and_the_rest_follows_from_it(fault: str, probe: str) -> None:
    run = ask_vendor(OFFICIAL, fault)
    assert roots(run) == {probe}
    assert {result.follows_from for result in bad(run)} <= {"", probe}


# faults that a good client never notices: nothing of the contract is broken
HARMLESS = {
    "usage": ("usage_on_finish=1", "both_reasoning=1", "empty_choices_first=1"),
    "frames": ("usage_every_chunk=1", "data_no_space=1", "keepalive_comments=1", "crlf=1", "split_utf8=1"),
}


@pytest.mark.parametrize("faults", HARMLESS.values(), ids=HARMLESS)
def test_what_breaks_nobody_is_not_held_against_a_vendor(faults: tuple[str, ...]) -> None:
    assert bad(ask_vendor(OPEN, *faults)) == []


def test_transport_faults_that_pass_are_retried() -> None:
    assert bad(ask_vendor(GENERIC, "http_503=first:1@stream", "connect_reset=first:1@plain")) == []


DEAD = (
    *("http_500=1", "http_502_html=1", "http_401=1", "http_404=1", "http_400_context=1", "http_429_bare=1"),
    *("ok_html=1", "ok_empty=1", "ok_no_choices=1", "ok_error_body=1", "garbage_json=1"),
    *("connect_reset=1", "cut_mid_stream=1", "done_without_finish=1", "finish_abort=1", "stall=1"),
    "endless=1",
)


@pytest.mark.parametrize("fault", DEAD)
def test_an_endpoint_that_answers_nothing_passes_nothing(fault: str) -> None:
    run = ask_vendor(GENERIC, fault, timeout_s=0.5)
    assert not run.is_usable
    assert {result.status for result in run.results} == {ProbeStatus.ERROR}
    assert all(result.evidence for result in run.results)
    assert roots(run) == {"answers"}


def test_an_endpoint_that_fails_one_way_only_is_judged_on_the_other() -> None:
    run = ask_vendor(GENERIC, "ok_html=1@plain")
    assert run.is_usable
    assert roots(run) == {"answers"}
    streamed = [r.verdicts[Delivery.STREAM].status for r in run.results if Delivery.STREAM in r.verdicts]
    assert set(streamed) <= {ProbeStatus.PASS, ProbeStatus.NOT_APPLICABLE}


def test_prompt_tokens_are_held_against_given_constants() -> None:
    body = {"messages": [{"role": "user", "content": "one two three four five six"}]}
    given = GivenData(token_counts=(TokenCount(name="six words", body=body, tokens=10),))
    assert roots(ask_vendor(GENERIC, given=given)) == set()
    assert roots(ask_vendor(GENERIC, "usage_prompt_inflated=1", given=given)) == {"token_counts"}


def test_given_schemas_are_asked_and_tallied() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    schemas = tuple(
        GivenSchema(name=f"S/{kind}:1", is_valid=kind == "valid", parameters=schema)
        for kind in ("valid", "invalid")
    )
    given = GivenData(schemas=schemas)
    results = {result.probe.name: result for result in ask_vendor(GENERIC, given=given).results}
    assert results["given_schemas"].status is ProbeStatus.PASS
    assert "0 of 1 refused" in results["given_schemas_invalid"].evidence
    broken = ask_vendor(GENERIC, "tool_args_invalid=1", given=given)
    assert roots(broken) == {"tool_arguments"}


def test_equal_requests_are_sent_once_and_every_exchange_is_kept() -> None:
    exchanges: list[Exchange] = []
    run = ask_vendor(GENERIC, exchanges=exchanges)
    n_asked = sum(len(r.probe.asks) * len(r.probe.deliveries) for r in run.results)
    assert len(exchanges) == run.n_requests < n_asked
    assert {exchange.delivery for exchange in exchanges} == {Delivery.STREAM, Delivery.PLAIN}
