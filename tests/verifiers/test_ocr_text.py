import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.ocr_text import FORMULA_CATEGORY, grade_ocr
from verifiers.outcome import Outcome
from verifiers.response import Response

TEXT = "Regular Text Recognition"
TYPES = [TEXT, "Digit String Recognition", "Doc-oriented VQA", "Key Information Extraction", FORMULA_CATEGORY]


def stopped(content: str | None) -> Response:
    return Response(content=content, finish_reason="stop")


@pytest.mark.parametrize(
    ("content", "answers", "category", "correct", "exact"),
    [
        pytest.param("It says banana", "CENTRE", TEXT, 0, 0, id="OC01 a string is one reference"),
        pytest.param("CENTRE", "CENTRE", TEXT, 1, 1, id="a string that matches"),
        pytest.param("The number is 1005", ["5"], "Digit String Recognition", 1, 0, id="OC03 containment"),
        pytest.param("The number is 5.", ["5"], "Digit String Recognition", 1, 1, id="whole token"),
        pytest.param("**5**", ["5"], TEXT, 1, 1, id="markup around the token"),
        pytest.param("<think>CENTRE or CENTER</think> CENTER", ["CENTRE"], TEXT, 0, 0, id="OC04 thinking"),
        pytest.param("The sign reads Centre", ["CENTRE"], TEXT, 1, 1, id="case is ignored"),
        pytest.param("secret recipe\nrestaurant", ["SECRET RECIPE RESTAURANT"], TEXT, 1, 1, id="line break"),
        pytest.param("secret  recipe", ["SECRET RECIPE"], TEXT, 0, 0, id="official: inner blanks are kept"),
        pytest.param("about 5.5 m", ["5"], TEXT, 1, 0, id="a decimal is another token"),
        pytest.param("15%", ["15"], TEXT, 1, 0, id="a percentage is another token"),
        pytest.param("x or y", ["z", "y"], TEXT, 1, 1, id="any reference"),
        pytest.param("他写的是你好吗", ["你好"], TEXT, 1, 1, id="no blanks between tokens"),
        pytest.param("...", ["..."], TEXT, 1, 1, id="punctuation alone"),
        pytest.param("so ...", ["..."], TEXT, 1, 0, id="punctuation amid text"),
        pytest.param("$x ^ 2 = 4$", ["x^2=4\n"], FORMULA_CATEGORY, 1, 1, id="formula: blanks do not count"),
        pytest.param("It is:\n\\[ x^2\n= 4 \\]", ["x ^ 2=4"], FORMULA_CATEGORY, 1, 1, id="over lines"),
        pytest.param("y = x^2 = 4", ["x^2=4"], FORMULA_CATEGORY, 1, 0, id="formula within another"),
        pytest.param("V = F", ["v = f"], FORMULA_CATEGORY, 0, 0, id="formula: case is kept"),
        pytest.param("x=4", ["x = 4"], TEXT, 0, 0, id="other types: blanks are kept"),
    ],
)  # fmt: skip
def test_grades(content: str, answers: str | list[str], category: str, correct: int, exact: int) -> None:
    grade = grade_ocr(stopped(content), answers, category)
    assert grade.outcome is (Outcome.CORRECT if correct else Outcome.INCORRECT)
    assert grade.score == correct
    assert grade.secondary == {"exact": exact}


def test_thinking_is_flagged() -> None:
    assert grade_ocr(stopped("<think>CENTRE</think> CENTER"), ["CENTRE"], TEXT).flags == ("think_in_content",)


@pytest.mark.parametrize("answers", [[], "", " \n", [""], ["a", " "], [None]], ids=repr)
def test_empty_references_are_refused(answers: list[str]) -> None:
    with pytest.raises(ValueError, match=r"ocrbench answers \(Regular Text Recognition\): .*; expected"):
        grade_ocr(stopped("a"), answers, TEXT)


@pytest.mark.parametrize(
    ("response", "outcome"),
    [
        pytest.param(stopped(""), Outcome.NO_ANSWER, id="empty"),
        pytest.param(stopped(None), Outcome.NO_ANSWER, id="null"),
        pytest.param(stopped("<think>CENTRE"), Outcome.NO_ANSWER, id="never left thinking"),
        pytest.param(Response(content="CENTRE", finish_reason="length"), Outcome.TRUNCATED, id="truncated"),
    ],
)
def test_no_credit_and_a_strict_score_of_zero(response: Response, outcome: Outcome) -> None:
    grade = grade_ocr(response, "CENTRE", TEXT)
    assert (grade.outcome, grade.score, grade.secondary) == (outcome, 0.0, {"exact": 0.0})


def test_an_error_has_no_scores() -> None:
    grade = grade_ocr(Response(content="CENTRE"), "CENTRE", TEXT)
    assert (grade.outcome, grade.score, grade.secondary) == (Outcome.ERROR, None, {})


def test_a_cut_text_is_flagged_only_where_it_holds_the_reference() -> None:
    held = grade_ocr(Response(content="the CENTRE of", finish_reason="length"), "CENTRE", TEXT)
    other = grade_ocr(Response(content="the middle of", finish_reason="length"), "CENTRE", TEXT)
    assert (held.flags, other.flags) == (("answer_before_truncation",), ())


references = st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=3)


@given(st.text(), references, st.sampled_from(TYPES))
def test_never_raises_and_strict_is_never_higher(content: str, answers: list[str], category: str) -> None:
    grade = grade_ocr(stopped(content), answers, category)
    assert grade == grade_ocr(stopped(content), answers, category)
    assert grade.score is not None
    assert grade.secondary["exact"] <= grade.score


@given(st.text("abc xyz.\n"), st.text("ABCxyz0189", min_size=1), st.sampled_from(TYPES))
def test_a_text_that_ends_with_the_reference_is_right(text: str, answer: str, category: str) -> None:
    grade = grade_ocr(stopped(f"{text}\n{answer}"), answer, category)
    assert (grade.outcome, grade.secondary["exact"]) == (Outcome.CORRECT, 1.0)


@given(st.text(), st.text("abc", min_size=1))
def test_thinking_earns_nothing(text: str, answer: str) -> None:
    assert grade_ocr(stopped(f"<think>{text} {answer}"), answer, TEXT).score == 0.0
    assert grade_ocr(stopped(f"{text} {answer}</think>"), answer, TEXT).score == 0.0
