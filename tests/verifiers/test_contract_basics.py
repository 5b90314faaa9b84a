import pytest

from tests.verifiers.contract_replies import UNUSABLE, broke, refused, said, status_of
from verifiers.contract_basics import answers, content_is_text, event_stream, finish_reasons
from verifiers.contract_evidence import ProbeReply, ProbeStatus

PASS, FAIL, NOT_APPLICABLE, ERROR = (
    ProbeStatus.PASS,
    ProbeStatus.FAIL,
    ProbeStatus.NOT_APPLICABLE,
    ProbeStatus.ERROR,
)


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(said("OK"), PASS, id="text"),
        pytest.param(said("<think>hm</think>OK"), PASS, id="text behind a closed thinking block"),
        pytest.param(said(None), FAIL, id="content null"),
        pytest.param(said("  \n"), FAIL, id="blank"),
        # vLLM with Kimi's parser and thinking left on: the text lands in `reasoning`
        pytest.param(said(None, reasoning="Primary colors are red"), FAIL, id="reasoning only, stopped"),
        pytest.param(
            said(None, reasoning="The primary colours are", finish_reason="length"),
            ERROR,
            id="reasoning only, budget ended it",
        ),
        pytest.param(said("!" * 400, finish_reason="length"), FAIL, id="flood of one sign"),
        pytest.param(refused("too long"), ERROR, id="refused"),
    ],
)
def test_a_plain_question_gets_visible_text(reply: ProbeReply, status: ProbeStatus) -> None:
    assert status_of(answers("plain text"), plain_text=reply) is status


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_nothing_unusable_counts_as_an_answer(reply: ProbeReply) -> None:
    assert status_of(answers("plain text"), plain_text=reply) is ERROR


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(said(is_stream=True, is_done=True), PASS, id="events and [DONE]"),
        pytest.param(said(is_stream=True), FAIL, id="no [DONE]"),
        pytest.param(said(), FAIL, id="a plain object in place of a stream"),
        pytest.param(broke(200, None, fault="cut", is_stream=True), FAIL, id="cut"),
        pytest.param(broke(200, "died", is_stream=True), FAIL, id="error within the stream"),
        pytest.param(broke(200, None, fault="still sending", is_endless=True), FAIL, id="never ends"),
        pytest.param(broke(500), FAIL, id="500 though plain replies come"),
        pytest.param(broke(502, None), ERROR, id="a proxy's page"),
    ],
)
def test_a_stream_is_events_to_the_end(reply: ProbeReply, status: ProbeStatus) -> None:
    assert status_of(event_stream("plain text"), plain_text=reply) is status


@pytest.mark.parametrize(
    ("whole", "cut", "status"),
    [
        ("stop", "length", PASS),
        ("eos", "length", FAIL),
        ("stop", "max_tokens", FAIL),
        ("length", "stop", FAIL),
        ("stop", "stop", NOT_APPLICABLE),
        ("length", "length", ERROR),
    ],
)
def test_finish_reasons_are_those_that_clients_know(whole: str, cut: str, status: ProbeStatus) -> None:
    judge = finish_reasons(stopped="plain text", cut="short budget")
    replies = {"plain_text": said(finish_reason=whole), "short_budget": said(finish_reason=cut)}
    assert status_of(judge, **replies) is status


def test_a_content_of_parts_is_no_text() -> None:
    judge = content_is_text("plain text")
    assert status_of(judge, plain_text=said()) is PASS
    assert status_of(judge, plain_text=said(fields=frozenset({"content", "content[]"}))) is FAIL
