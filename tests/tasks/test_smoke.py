"""The smoke exam: the same everywhere, answers that are right, a rule for every form."""

import operator
import re
from collections import Counter

import pytest

from tasks.data import DataError
from tasks.exam import load_exam
from tasks.reading import Reading
from tasks.smoke import PIN, SMOKE, grade, read_items
from tasks.smoke_items import generate_rows
from tasks.smoke_questions import AnswerForm, Draw, ask_choice
from verifiers.outcome import Outcome
from verifiers.response import Response

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
EXAM = load_exam(SMOKE)
ROWS = generate_rows()


def of(category):
    return [row for row in ROWS if row["category"] == category]


def test_the_exam_is_generated_and_the_pinned_one():
    assert EXAM.dataset.source == "generated" and EXAM.dataset.is_pinned_content is True
    assert (EXAM.dataset.n_items, EXAM.dataset.content_hash) == (PIN.n_items, PIN.content_hash)
    assert generate_rows() == ROWS


def test_no_two_questions_are_the_same():
    assert len({item.prompt for item in EXAM.items}) == len({item.sample_id for item in EXAM.items}) == 170


def test_the_first_few_are_of_all_kinds():
    assert len({item.category for item in EXAM.items[:11]}) == 11


def test_arithmetic_is_right():
    asked = [row for row in ROWS if re.search(r"is (\d+) ([-+*]) (\d+)\?", row["question"])]
    assert len(asked) == 70
    for row in asked:
        left, sign, right = re.search(r"is (\d+) ([-+*]) (\d+)\?", row["question"]).groups()
        assert int(row["answer"]) == OPERATIONS[sign](int(left), int(right)) >= 0


def test_copied_texts_stand_in_their_questions():
    for row in of("copied number") + of("copied words"):
        assert row["question"].endswith(f": {row['answer']}")
    assert {len(row["answer"]) for row in of("copied number")} == {4, 5, 6, 7, 8}


def test_the_larger_number_stands_first_as_often_as_second():
    places = Counter()
    for row in of("larger of two"):
        numbers = [int(number) for number in re.findall(r"\d+", row["question"])]
        assert int(row["answer"]) == max(numbers) != min(numbers)
        places[numbers.index(max(numbers))] += 1
    assert abs(places[0] - places[1]) <= 1


def test_sorted_numbers_are_the_ones_asked_for():
    for row in of("sorted numbers"):
        asked = [int(number) for number in re.findall(r"\d+", row["question"])]
        assert [int(number) for number in row["answer"].split()] == sorted(asked)


def test_choices_name_their_right_option_and_every_letter_is_right_sometimes():
    for row in of("multiple choice"):
        assert len(set(row["options"])) == 4
        for letter, option in zip("ABCD", row["options"], strict=True):
            assert f"{letter}. {option}" in row["question"]
    assert set(Counter(row["answer"] for row in of("multiple choice"))) == set("ABCD")
    assert ask_choice(Draw(category="x", place=1)) == ask_choice(Draw(category="x", place=1))


@pytest.mark.parametrize("item", EXAM.items, ids=[item.sample_id for item in EXAM.items])
def test_the_target_is_right_and_the_question_is_not(item):
    def outcome(text):
        return grade(Response(content=text, finish_reason="stop"), item.target, item.grading).outcome

    assert outcome(item.target) is Outcome.CORRECT
    assert outcome("I do not know.") is not Outcome.CORRECT
    if item.category not in ("copied number", "copied words", "larger of two", "sorted numbers"):
        assert outcome(item.prompt) is not Outcome.CORRECT


def test_every_form_is_asked():
    assert {item.grading["form"] for item in EXAM.items} == set(AnswerForm)


def test_a_copy_with_an_unknown_form_is_refused():
    with pytest.raises(DataError, match="row 0: form 'essay' is none of integer, list, text, choice"):
        read_items([ROWS[0] | {"form": "essay"}], Reading())
