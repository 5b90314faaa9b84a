"""One status out of two ways of delivery, and which failure explains which."""

from dataclasses import replace

import pytest

from tasks.vendor_contract.outcome import ProbeResult, excused, related
from tasks.vendor_contract.probe import Ask, Delivery, Demand, Group, Probe
from tests.verifiers.contract_replies import broke, refused, said
from verifiers.contract_evidence import ProbeStatus, failed, not_applicable, nothing_shown, passed

STREAM, PLAIN, BOTH = Delivery.STREAM, Delivery.PLAIN, Delivery.BOTH
VERDICTS = {
    "pass": passed("p"),
    "fail": failed("f"),
    "error": nothing_shown("e"),
    "idle": not_applicable("n"),
}


def result(
    name: str, stream: str = "", plain: str = "", *, both: str = "", on: tuple[str, ...] = ()
) -> ProbeResult:
    probe = Probe(
        name=name,
        group=Group.BASICS,
        expectation="It is so.",
        asks=(Ask(name="a", body={}),),
        judge=lambda _: passed(""),
        depends_on=on,
    )
    given = {STREAM: stream, PLAIN: plain, BOTH: both}
    verdicts = {delivery: VERDICTS[word] for delivery, word in given.items() if word}
    return ProbeResult(probe=probe, demand=Demand.REQUIRED, verdicts=verdicts)


def causes(*results: ProbeResult) -> dict[str, str]:
    return {one.probe.name: one.follows_from for one in related(results) if one.follows_from}


@pytest.mark.parametrize(
    ("stream", "plain", "status", "evidence"),
    [
        ("pass", "pass", ProbeStatus.PASS, "p"),
        ("fail", "pass", ProbeStatus.FAIL, "streamed only: f"),
        ("pass", "error", ProbeStatus.ERROR, "plain only: e"),
        ("error", "fail", ProbeStatus.FAIL, "plain only: f"),
        ("idle", "pass", ProbeStatus.PASS, "plain only: p"),
        ("idle", "idle", ProbeStatus.NOT_APPLICABLE, "n"),
    ],
)
def test_the_worst_way_of_delivery_counts(
    stream: str, plain: str, status: ProbeStatus, evidence: str
) -> None:
    found = result("a", stream, plain)
    assert (found.status, found.evidence) == (status, evidence)


def test_a_failure_follows_from_the_end_of_its_chain() -> None:
    root, middle = result("root", "fail", "fail"), result("middle", "fail", "fail", on=("root",))
    leaf = result("leaf", "fail", "fail", on=("middle",))
    assert causes(root, middle, leaf) == {"middle": "root", "leaf": "root"}


def test_a_failure_one_way_does_not_explain_one_the_other_way() -> None:
    cause = result("cause", "fail", "pass")
    assert causes(cause, result("same", "fail", "pass", on=("cause",))) == {"same": "cause"}
    assert causes(cause, result("more", "fail", "fail", on=("cause",))) == {}
    assert causes(cause, result("other", "pass", "fail", on=("cause",))) == {}
    assert causes(cause, result("both", both="fail", on=("cause",))) == {"both": "cause"}


def test_a_probe_that_passes_or_is_not_asked_explains_nothing() -> None:
    assert causes(result("a", "fail", "fail", on=("b", "c")), result("b", "pass", "pass")) == {}


def test_without_an_answer_everything_follows_from_that() -> None:
    found = causes(result("answers", "fail", "fail"), result("other", "fail", "fail"))
    assert found == {"other": "answers"}


def test_where_only_streams_bring_no_answer_the_stream_is_the_cause() -> None:
    results = (
        result("answers", "error", "pass", on=("streaming",)),
        result("streaming", "fail"),
        result("other", "error", "pass"),
    )
    assert causes(*results) == {"answers": "streaming", "other": "streaming"}


def test_a_stream_without_its_end_does_not_explain_what_was_shown() -> None:
    results = (
        result("answers", "pass", "pass"),
        result("streaming", "fail"),
        result("shown", "fail", "pass"),
        result("not shown", "error", "pass"),
    )
    assert causes(*results) == {"not shown": "streaming"}


def test_circles_end() -> None:
    assert set(causes(result("a", "fail", on=("b",)), result("b", "fail", on=("a",)))) == {"a", "b"}


def test_an_optional_feature_may_be_refused_with_a_reason_only() -> None:
    refusal = {"png": refused("not a multimodal model")}
    assert excused(failed("f"), Demand.OPTIONAL, refusal).status is ProbeStatus.NOT_APPLICABLE
    assert excused(failed("f"), Demand.REQUIRED, refusal).status is ProbeStatus.FAIL
    assert excused(failed("f"), Demand.OPTIONAL, {"png": broke(500)}).status is ProbeStatus.FAIL
    assert excused(failed("f"), Demand.OPTIONAL, {"png": said("I see nothing")}).status is ProbeStatus.FAIL
    assert excused(passed("p"), Demand.OPTIONAL, refusal).status is ProbeStatus.PASS
    assert replace(result("a", "pass", "pass"), follows_from="b").follows_from == "b"
