import pytest

from tests.verifiers.contract_replies import UNUSABLE, evidence_of, said, status_of, usage
from verifiers.contract_evidence import ProbeReply, ProbeStatus
from verifiers.contract_thinking import answer_alone, does_not_think, effort_graded, reasoning_apart, thinks

PASS, FAIL, NOT_APPLICABLE, ERROR = (
    ProbeStatus.PASS,
    ProbeStatus.FAIL,
    ProbeStatus.NOT_APPLICABLE,
    ProbeStatus.ERROR,
)
ALOUD = "Okay, the user wants a short reply. I should say OK."


@pytest.mark.parametrize(
    ("reply", "on", "off"),
    [
        pytest.param(said("42", reasoning="17 + 25"), PASS, FAIL, id="reasoning field"),
        pytest.param(said("<think>17 + 25</think>42"), PASS, FAIL, id="reasoning between tags"),
        pytest.param(said("42"), FAIL, PASS, id="answer alone"),
        pytest.param(said("42", reasoning=""), FAIL, PASS, id="empty reasoning"),
        pytest.param(
            said("42", usage=usage(9, 30, reasoning_tokens=28)), FAIL, FAIL, id="reasoning tokens billed"
        ),
        pytest.param(said("42", usage=usage(9, 2, reasoning_tokens=0)), FAIL, PASS, id="none billed"),
    ],
)
def test_thinking_is_seen_wherever_it_stands(reply: ProbeReply, on: ProbeStatus, off: ProbeStatus) -> None:
    assert status_of(thinks("a"), a=reply) is on
    assert status_of(does_not_think("a"), a=reply) is off


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        pytest.param(said("42", reasoning="17 + 25"), PASS, id="apart"),
        pytest.param(said("<think>17 + 25</think>42"), FAIL, id="tags in the content"),
        pytest.param(said("17 + 25</think>42"), FAIL, id="bare closer"),
        pytest.param(said("<think>17 + 25"), FAIL, id="unclosed"),
        pytest.param(
            said("42", reasoning="17", fields=frozenset({"content", "reasoning_details"})),
            FAIL,
            id="in reasoning_details only",
        ),
        pytest.param(said(None, reasoning="17 + 25 is 42"), FAIL, id="no content"),
        # vLLM on a small model: reasoning never closes within the budget
        pytest.param(said(None, reasoning="17", finish_reason="length"), ERROR, id="budget ended it"),
        pytest.param(said("42"), NOT_APPLICABLE, id="no reasoning"),
    ],
)
def test_reasoning_belongs_into_its_own_field(reply: ProbeReply, status: ProbeStatus) -> None:
    assert status_of(reasoning_apart("a"), a=reply) is status


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("OK", PASS),
        ("ok.", PASS),
        ('"OK"', PASS),
        ("**OK**", PASS),
        (ALOUD, FAIL),
        ("The user asks for one word. OK", FAIL),
        ("Hmm, wait. OK", FAIL),
        ("Sure! Here is my reply: OK", NOT_APPLICABLE),
    ],
)
def test_thinking_aloud_is_told_from_an_answer(text: str, status: ProbeStatus) -> None:
    assert status_of(answer_alone("a", "OK"), a=said(text)) is status


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        pytest.param((10, 20), (90, 80), PASS, id="clearly less each time"),
        pytest.param((90, 80), (90, 80), FAIL, id="the same"),
        pytest.param((90, 80), (10, 20), FAIL, id="more"),
        pytest.param((10, 95), (90, 90), NOT_APPLICABLE, id="less in sum only"),
        pytest.param((80, 80), (85, 85), NOT_APPLICABLE, id="hardly less"),
        pytest.param((0, 0), (0, 0), NOT_APPLICABLE, id="no reasoning"),
    ],
)
def test_effort_must_show_in_every_pair(
    low: tuple[int, int], high: tuple[int, int], status: ProbeStatus
) -> None:
    judge = effort_graded((("low 1", "max 1"), ("low 2", "max 2")))
    replies = {
        f"{effort}_{draw}": said("5", reasoning="r" * length)
        for effort, lengths in (("low", low), ("max", high))
        for draw, length in enumerate(lengths, 1)
    }
    assert status_of(judge, **replies) is status
    assert evidence_of(judge, **replies)


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_nothing_unusable_shows_thinking_or_its_absence(reply: ProbeReply) -> None:
    for judge in (thinks("a"), does_not_think("a"), reasoning_apart("a"), answer_alone("a", "OK")):
        assert status_of(judge, a=reply) in (FAIL, ERROR)
