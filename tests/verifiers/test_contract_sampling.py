import pytest

from tests.verifiers.contract_replies import UNUSABLE, refused, said, status_of
from verifiers.contract_evidence import ProbeReply, ProbeStatus
from verifiers.contract_sampling import accepted, n_choices, narrowed, penalized

PASS, FAIL, NOT_APPLICABLE, ERROR = (
    ProbeStatus.PASS,
    ProbeStatus.FAIL,
    ProbeStatus.NOT_APPLICABLE,
    ProbeStatus.ERROR,
)
SONG = "la la la la la la"


@pytest.mark.parametrize(
    ("narrow", "wide", "status"),
    [
        pytest.param(("a", "a"), ("b", "c"), PASS, id="one text, several without the parameter"),
        pytest.param(("a", "b"), ("b", "c"), FAIL, id="the texts differ: overridden in silence"),
        pytest.param(("a", "a"), ("b", "b"), NOT_APPLICABLE, id="no power: one text without it, too"),
        pytest.param(("a", "a"), ("a", "b"), PASS, id="one of the others may agree"),
    ],
)
def test_a_narrow_parameter_leaves_one_text(
    narrow: tuple[str, str], wide: tuple[str, str], status: ProbeStatus
) -> None:
    judge = narrowed(narrow=("n1", "n2"), wide=("w1", "w2"))
    replies = dict(zip(("n1", "n2", "w1", "w2"), map(said, (*narrow, *wide)), strict=True))
    assert status_of(judge, **replies) is status


def test_reasoning_counts_as_text() -> None:
    judge = narrowed(narrow=("n1", "n2"), wide=("w1", "w2"))
    n1, n2 = said(None, reasoning="one"), said(None, reasoning="other")
    assert status_of(judge, n1=n1, n2=n2, w1=said("b"), w2=said("c")) is FAIL


@pytest.mark.parametrize(
    ("plain", "penalty", "status"),
    [
        pytest.param((said(SONG), said(SONG)), said("la li lu"), PASS, id="changed"),
        pytest.param((said(SONG), said(SONG)), said(SONG), FAIL, id="unchanged though it repeats"),
        pytest.param((said("a b"), said("a b")), said("a b"), NOT_APPLICABLE, id="nothing repeats"),
        pytest.param((said(SONG), said("la li")), said(SONG), NOT_APPLICABLE, id="not repeatable at all"),
        pytest.param((refused(), refused()), refused(), NOT_APPLICABLE, id="temperature 0 is refused"),
    ],
)
def test_a_penalty_changes_what_repeats(
    plain: tuple[ProbeReply, ProbeReply], penalty: ProbeReply, status: ProbeStatus
) -> None:
    judge = penalized(plain=("plain 1", "plain 2"), penalty="penalty")
    assert status_of(judge, plain_1=plain[0], plain_2=plain[1], penalty=penalty) is status


@pytest.mark.parametrize(("seen", "status"), [(1, FAIL), (2, PASS), (3, FAIL)])
def test_choices_are_counted(seen: int, status: ProbeStatus) -> None:
    assert status_of(n_choices("n of 2", 2), n_of_2=said(n_choices=seen)) is status


@pytest.mark.parametrize("reply", UNUSABLE.values(), ids=UNUSABLE)
def test_nothing_unusable_is_accepted_or_honoured(reply: ProbeReply) -> None:
    assert status_of(accepted("a"), a=reply) in (FAIL, ERROR)
    assert status_of(n_choices("a", 1), a=reply) in (FAIL, ERROR)
    judge = narrowed(narrow=("n1",), wide=("w1",))
    assert status_of(judge, n1=reply, w1=reply) in (FAIL, ERROR)
