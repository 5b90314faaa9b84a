"""Short answers: the last numbers, the words last said; a failure is never a score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.outcome import Outcome
from verifiers.response import Response
from verifiers.short_answer import grade_numbers, grade_words

CORRECT, INCORRECT, NO_ANSWER = Outcome.CORRECT, Outcome.INCORRECT, Outcome.NO_ANSWER
OTHERS = ("Rome", "Madrid", "Vatican City")


def said(text, finish="stop", reasoning=None):
    return Response(content=text, reasoning=reasoning, finish_reason=finish)


@pytest.mark.parametrize(
    ("text", "target", "outcome"),
    [
        pytest.param("15", [15], CORRECT, id="bare"),
        pytest.param("7 + 8 = 15.", [15], CORRECT, id="sentence end"),
        pytest.param("**15**", [15], CORRECT, id="markdown"),
        pytest.param("7 + 8 is 14, no: 15", [15], CORRECT, id="last wins"),
        pytest.param("15, since 7 + 8", [15], INCORRECT, id="not the last"),
        pytest.param(r"\boxed{15} (that is 7 + 8)", [15], CORRECT, id="box wins over later numbers"),
        pytest.param(r"\boxed{14}, so \boxed{15}", [15], CORRECT, id="last box"),
        pytest.param(r"15 \boxed{}", [15], CORRECT, id="empty box says nothing"),
        pytest.param("1,234", [1234], CORRECT, id="grouped"),
        pytest.param("1234.0", [1234], CORRECT, id="zero fraction"),
        pytest.param("15.5", [15], INCORRECT, id="a fraction is another number"),
        pytest.param("15.5", [5], INCORRECT, id="no part of a number"),
        pytest.param("115", [15], INCORRECT, id="no tail of a number"),
        pytest.param("-15", [15], INCORRECT, id="sign"),
        pytest.param("\u221215", [15], INCORRECT, id="typographic sign"),
        pytest.param("23-8=15", [15], CORRECT, id="a minus between numbers is no sign"),
        pytest.param("\uff11\uff15", [15], CORRECT, id="full-width digits"),
        pytest.param("45 is larger than 12.", [45], CORRECT, id="what is compared with is no answer"),
        pytest.param("12 is larger than 45.", [45], INCORRECT, id="the wrong one is larger"),
        pytest.param("fifteen", [15], NO_ANSWER, id="no number"),
        pytest.param("", [15], NO_ANSWER, id="empty"),
        pytest.param("12, 45, 78", [12, 45, 78], CORRECT, id="in order"),
        pytest.param("12,45,78", [12, 45, 78], CORRECT, id="without blanks"),
        pytest.param("12,345,678.0", [12345678], CORRECT, id="grouped twice"),
        pytest.param("12 < 45 < 78", [12, 45, 78], CORRECT, id="with signs between"),
        pytest.param("1. 12\n2. 45\n3. 78", [12, 45, 78], CORRECT, id="numbers of a list do not count"),
        pytest.param("From 78, 45, 12: 12 45 78", [12, 45, 78], CORRECT, id="restated first"),
        pytest.param("12, 78, 45", [12, 45, 78], INCORRECT, id="other order"),
        pytest.param("45, 78", [12, 45, 78], INCORRECT, id="too few"),
        pytest.param("9" * 5_000, [9], NO_ANSWER, id="endless digits"),
    ],
)
def test_numbers(text, target, outcome):
    grade = grade_numbers(said(text), target)
    assert grade.outcome is outcome and grade.score == (1.0 if outcome is CORRECT else 0.0)


@pytest.mark.parametrize(
    ("text", "outcome", "answer"),
    [
        pytest.param("Paris", CORRECT, "Paris", id="bare"),
        pytest.param("The capital of France is **paris**.", CORRECT, "Paris", id="case and markup"),
        pytest.param("Not Rome but Paris", CORRECT, "Paris", id="last wins"),
        pytest.param("Paris? No, Rome.", INCORRECT, "Rome", id="another one last"),
        pytest.param("Vatican City", INCORRECT, "Vatican City", id="several words"),
        pytest.param("Parisian", INCORRECT, "Parisian", id="no part of a word"),
        pytest.param("Lyon", INCORRECT, "Lyon", id="unknown, shown as it stands"),
        pytest.param(" \n", NO_ANSWER, None, id="blank"),
    ],
)
def test_words(text, outcome, answer):
    grade = grade_words(said(text), "Paris", OTHERS)
    assert (grade.outcome, grade.answer) == (outcome, answer)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        pytest.param("Maple, river; stone.", CORRECT, id="punctuation"),
        pytest.param("maple river stone\nmaple river", CORRECT, id="more behind"),
        pytest.param("maple stone river", INCORRECT, id="other order"),
        pytest.param("maple and river stone", INCORRECT, id="a word between"),
    ],
)
def test_several_words_stand_together(text, outcome):
    assert grade_words(said(text), "maple river stone").outcome is outcome


def test_thinking_earns_nothing():
    assert grade_numbers(said("<think>15</think>14"), [15]).outcome is INCORRECT
    assert grade_words(said("", reasoning="Paris"), "Paris").outcome is NO_ANSWER


@pytest.mark.parametrize(
    ("finish", "outcome", "score"),
    [
        pytest.param("length", Outcome.TRUNCATED, 0.0, id="cut"),
        pytest.param(None, Outcome.ERROR, None, id="never ended"),
    ],
)
def test_the_ending_decides_first(finish, outcome, score):
    for grade in (grade_numbers(said("15", finish), [15]), grade_words(said("Paris", finish), "Paris")):
        assert (grade.outcome, grade.score) == (outcome, score)


def test_a_target_that_says_nothing_is_refused():
    with pytest.raises(ValueError, match="no number"):
        grade_numbers(said("1"), [])
    with pytest.raises(ValueError, match="has no words"):
        grade_words(said("1"), "...")


@given(st.text(max_size=200))
def test_no_text_breaks_a_rule(text):
    assert grade_numbers(said(text), [15]).outcome in Outcome
    assert grade_words(said(text), "Paris", OTHERS).outcome in Outcome


@given(st.lists(st.integers(min_value=0, max_value=10**9), min_size=1, max_size=5))
def test_numbers_written_out_are_read_back(numbers):
    for between in (" ", ", ", "\n"):
        assert grade_numbers(said(between.join(map(str, numbers))), numbers).score == 1.0
