from typing import Any

import pytest

from tests.verifiers.contract_replies import (
    CITY,
    UNUSABLE,
    WEATHER,
    call,
    called,
    evidence_of,
    refused,
    said,
    silent,
    status_of,
)
from verifiers import contract_tools
from verifiers.contract_evidence import Evidence, ProbeReply, ProbeStatus
from verifiers.contract_schemas import all_conform, refusals_counted
from verifiers.contract_tools import Aspect

PASS, FAIL, NOT_APPLICABLE, ERROR = (
    ProbeStatus.PASS,
    ProbeStatus.FAIL,
    ProbeStatus.NOT_APPLICABLE,
    ProbeStatus.ERROR,
)
TOOLS = (WEATHER,)
NATIVE = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city": "Paris"}<|tool_call_end|><|tool_calls_section_end|>'
)
# vLLM with thinking left on: a finish reason that promises what is not there
PROMISED = said("", reasoning="Paris, the City of Light", finish_reason="tool_calls")
# vLLM with thinking off and a small model: digits run on until the budget ends
RUNAWAY = called(call(arguments="{}", id="functions.get_weather:2022010111"), finish_reason="length")


@pytest.mark.parametrize(
    ("reply", "status", "words"),
    [
        pytest.param(called(call()), PASS, "get_weather", id="called"),
        pytest.param(said("It is sunny."), FAIL, "sunny", id="text in place of a call"),
        pytest.param(said(NATIVE), FAIL, "native tokens", id="left in the content"),
        pytest.param(said(None, reasoning=NATIVE), FAIL, "native tokens", id="left in the reasoning"),
        pytest.param(PROMISED, FAIL, "finish reason says tool_calls", id="promised and not there"),
        pytest.param(
            said("<|tool_calls_secti", finish_reason="length"), ERROR, "budget", id="budget ended it"
        ),
        pytest.param(RUNAWAY, ERROR, "within its call", id="a call that the budget cut"),
        pytest.param(silent(), ERROR, "refused", id="silence"),
    ],
)
def test_a_call_is_made(reply: ProbeReply, status: ProbeStatus, words: str) -> None:
    judge = contract_tools.call_made("required", TOOLS)
    assert status_of(judge, required=reply) is status
    assert words in evidence_of(judge, required=reply)


def test_a_named_tool_is_the_only_one_called() -> None:
    judge = contract_tools.call_made("named", TOOLS, only="get_gate_code")
    assert status_of(judge, named=called(call("get_gate_code", "{}"))) is PASS
    assert status_of(judge, named=called(call())) is FAIL
    assert status_of(judge, named=called(call("get_gate_code", "{}"), call())) is FAIL


def test_no_call_is_made_where_none_is_allowed() -> None:
    judge = contract_tools.no_call_made("none")
    assert status_of(judge, none=said("It is sunny.")) is PASS
    assert status_of(judge, none=said(NATIVE)) is PASS  # a leak, which another probe names
    assert status_of(judge, none=called(call())) is FAIL


ASPECTS: dict[str, tuple[Aspect, ProbeReply]] = {
    "undeclared tool": (contract_tools.arguments_fault, called(call("get_time", "{}"))),
    "off the schema": (contract_tools.arguments_fault, called(call(arguments='{"town": 1}'))),
    "null arguments": (contract_tools.arguments_fault, called(call(arguments=None))),
    "empty arguments": (contract_tools.arguments_fault, called(call(arguments=""))),
    "double encoded": (contract_tools.arguments_fault, called(call(arguments='"{}"'))),
    "truncated": (contract_tools.arguments_fault, called(call(arguments='{"city": "Pa'))),
    "an object": (contract_tools.arguments_fault, called(call(is_text=False))),
    "openai id": (contract_tools.native_id_fault, called(call(id="call_abc123"))),
    "id without separators": (contract_tools.native_id_fault, called(call(id="functionsget_weather0"))),
    "id of another tool": (contract_tools.native_id_fault, called(call(id="functions.get_time:0"))),
    "null id": (contract_tools.native_id_fault, called(call(id=None))),
    "null id anywhere": (contract_tools.missing_id_fault, called(call(id=None))),
    "finish stop": (contract_tools.finish_fault, called(call(), finish_reason="stop")),
    "finish twice": (contract_tools.finish_fault, called(call(), flags=("finish_reason_twice",))),
    "leak beside a call": (contract_tools.leak_fault, said(NATIVE, tool_calls=(call(),))),
    "leak in the reasoning": (contract_tools.leak_fault, said("OK", reasoning=NATIVE)),
    "one index for two": (contract_tools.wire_fault, called(call(), flags=("duplicate_index",))),
    "name in pieces": (contract_tools.wire_fault, called(call(), flags=("name_fragmented",))),
}


EACH_ASPECT = list(dict.fromkeys(aspect for aspect, _ in ASPECTS.values()))  # in one order in every process


@pytest.mark.parametrize(("aspect", "reply"), ASPECTS.values(), ids=ASPECTS)
def test_each_fault_of_a_call_breaks_its_own_aspect_and_no_other(aspect: Aspect, reply: ProbeReply) -> None:
    every = {aspect for aspect, _ in ASPECTS.values()}
    broken = {
        each
        for each in every
        if status_of(contract_tools.calls_keep(each, TOOLS, ("required",)), required=reply) is FAIL
    }
    implied = {contract_tools.missing_id_fault, contract_tools.native_id_fault}
    expected = {aspect} | (
        implied if reply.response and any(not c.id for c in reply.response.tool_calls) else set()
    )
    if reply.response is not None and reply.response.content == NATIVE and reply.response.tool_calls:
        expected.add(contract_tools.finish_fault)  # this reply says stop beside its call
    assert broken == expected


@pytest.mark.parametrize("aspect", EACH_ASPECT)
def test_a_right_call_keeps_every_aspect(aspect: Aspect) -> None:
    judge = contract_tools.calls_keep(aspect, TOOLS, ("auto", "required"))
    assert status_of(judge, auto=said("no call"), required=called(call())) is PASS
    assert status_of(judge, auto=said("no call"), required=said("none")) is NOT_APPLICABLE
    assert status_of(judge, auto=silent(), required=silent()) is ERROR


@pytest.mark.parametrize("aspect", EACH_ASPECT)
def test_a_call_that_the_budget_cut_shows_nothing(aspect: Aspect) -> None:
    # vLLM closes such a call with "{}" plain and "" streamed
    judge = contract_tools.calls_keep(aspect, TOOLS, ("auto", "required"))
    assert status_of(judge, auto=said("no call"), required=RUNAWAY) is ERROR
    assert status_of(judge, auto=called(call()), required=RUNAWAY) is PASS


def test_a_tool_forced_by_name_may_end_with_stop() -> None:
    judge = contract_tools.calls_keep(contract_tools.finish_fault, TOOLS, ("named",), forced="named")
    assert status_of(judge, named=called(call(), finish_reason="stop")) is PASS  # as vLLM and OpenAI end it


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(called(call(), call(number=1)), PASS, id="0, 1"),
        pytest.param(called(call(number=4), call(number=5)), PASS, id="counted on from earlier calls"),
        pytest.param(called(call(number=1), call()), FAIL, id="1, 0"),
        pytest.param(called(call(), call()), FAIL, id="one id for both, as vLLM gave"),
        pytest.param(called(call(id="call_a"), call(id="call_b")), PASS, id="other ids have no order"),
        pytest.param(called(call()), NOT_APPLICABLE, id="one call"),
        pytest.param(said("none"), NOT_APPLICABLE, id="none"),
    ],
)
def test_parallel_calls_are_told_apart_and_in_order(reply: ProbeReply, status: ProbeStatus) -> None:
    assert status_of(contract_tools.calls_in_order("parallel", TOOLS), parallel=reply) is status


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(called(call()), PASS, id="conforms"),
        pytest.param(called(call(), finish_reason="stop"), PASS, id="conforms, finish stop"),
        pytest.param(called(call(arguments="{}")), FAIL, id="a required property is missing"),
        pytest.param(RUNAWAY, ERROR, id="the budget ended it"),
        pytest.param(said("text"), FAIL, id="no call"),
        pytest.param(refused("Unsupported schema"), FAIL, id="the schema is refused"),
    ],
)
def test_a_forced_call_conforms(reply: ProbeReply, status: ProbeStatus) -> None:
    assert status_of(contract_tools.call_conforms("call", TOOLS), call=reply) is status


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        pytest.param(said("The code is KQ-48213."), PASS, id="used"),
        pytest.param(said("the code is kq-48213"), PASS, id="whatever the case"),
        pytest.param(said("I cannot tell you that."), FAIL, id="not used"),
        pytest.param(said("<think>KQ-48213</think>No."), FAIL, id="only thought of"),
        pytest.param(said("Let me", finish_reason="length"), ERROR, id="the budget ended it"),
        pytest.param(refused("unknown role tool"), FAIL, id="refused"),
    ],
)
def test_a_result_is_used(answer: ProbeReply, status: ProbeStatus) -> None:
    judge = contract_tools.result_used("answer", "KQ-48213", TOOLS, after="call")
    assert status_of(judge, call=called(call()), answer=answer) is status


def test_without_a_call_there_is_no_round_trip() -> None:
    judge = contract_tools.result_used("answer", "KQ-48213", TOOLS, after="call")
    assert status_of(judge, call=said("The code is KQ-48213.")) is FAIL
    assert status_of(judge, call=silent()) is ERROR


def _given(**replies: ProbeReply) -> Any:
    return all_conform(dict.fromkeys(replies, TOOLS))(Evidence(replies=replies))


def test_many_schemas_are_tallied_and_the_broken_ones_named() -> None:
    good, bad = called(call()), called(call(arguments="{}"))
    verdict = _given(**{"A/valid:1": good, "A/valid:2": bad, "B/valid:1": silent()})
    assert verdict.status is FAIL
    assert "A/valid:2" in verdict.evidence
    assert (verdict.tally.kept, verdict.tally.judged) == (1, 2)
    assert _given(a=good).status is PASS
    assert _given(a=good, b=silent()).status is ERROR


def test_refusals_of_invalid_schemas_are_for_information_only() -> None:
    judge = refusals_counted(("a", "b", "c"))
    verdict = judge(Evidence(replies={"a": refused(), "b": called(call()), "c": silent()}))
    assert verdict.status is NOT_APPLICABLE
    assert "1 of 3 refused" in verdict.evidence


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_nothing_unusable_is_a_call_or_its_absence(reply: ProbeReply) -> None:
    judges = (
        contract_tools.call_made("a", TOOLS),
        contract_tools.no_call_made("a"),
        contract_tools.calls_keep(contract_tools.leak_fault, TOOLS, ("a",)),
        contract_tools.calls_in_order("a", TOOLS),
        contract_tools.call_conforms("a", TOOLS),
        contract_tools.result_used("a", CITY, TOOLS),
        all_conform({"a": TOOLS}),
    )
    assert all(status_of(judge, a=reply) in (FAIL, ERROR) for judge in judges)
