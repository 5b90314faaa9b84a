import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.aime_answer import grade_aime
from verifiers.outcome import Outcome
from verifiers.response import Response

C, W, N = Outcome.CORRECT, Outcome.INCORRECT, Outcome.NO_ANSWER


def stopped(content: str | None, reasoning: str | None = None) -> Response:
    return Response(content=content, reasoning=reasoning, finish_reason="stop")


@pytest.mark.parametrize(
    ("content", "target", "outcome", "answer"),
    [
        pytest.param(r"The answer is \boxed{149}", "49", W, "149", id="AI01 no suffix match"),
        pytest.param(r"\boxed{073}", "73", C, "73", id="AI02 leading zeros"),
        pytest.param(r"\boxed{104^\circ}", "104", C, "104", id="AI03 degree sign"),
        pytest.param(r"\boxed{\text{73}}", "73", C, "73", id="AI04 text in the box"),
        pytest.param(r"\boxed{\mathbf{73}}", "73", C, "73", id="AI04 bold in the box"),
        pytest.param("$$\n\\boxed{70}\n$$", "70", C, "70", id="AI06 display maths"),
        pytest.param(r"Sub-result \boxed{73}. Then final \boxed{12}", "73", W, "12", id="AI07 last box wins"),
        pytest.param("ANSWER: 73", "73", N, None, id="AI11 no box"),
        pytest.param(r"\boxed{\boxed{73}}", "73", C, "73", id="box in box"),
        pytest.param(r"\boxed{x = 73}", "73", C, "73", id="equation in the box"),
        pytest.param(r"\boxed{\frac{146}{2}}", "73", W, r"\frac{146}{2}", id="a fraction is not an integer"),
        pytest.param(r"\boxed{73, 84}", "73", W, "73, 84", id="two values"),
        pytest.param(r"\boxed{-73}", "73", W, "-73", id="negative"),
        pytest.param(r"\boxed{1073}", "73", W, "1073", id="no modulo"),
        pytest.param(r"\boxed{}", "73", N, None, id="empty box"),
        pytest.param(r"so \boxed{73", "73", N, None, id="unclosed box"),
        pytest.param(r"**\boxed{73}**.", "73", C, "73", id="bold box"),
        pytest.param(r"\boxed{73}<|im_end|>", "73", C, "73", id="end token after the box"),
        pytest.param(r"\boxed{000}", "0", C, "0", id="zero"),
        pytest.param(r"\boxed{49}", "049", C, "49", id="target with leading zero"),
        pytest.param(r"<think>\boxed{73}</think> \boxed{12}", "73", W, "12", id="thinking earns nothing"),
        pytest.param(r"<think>\boxed{73}</think> It is 73.", "73", N, None, id="box in thinking only"),
        pytest.param(r"<think>\boxed{73}", "73", N, None, id="never left thinking"),
        pytest.param("I cannot solve this.", "73", N, None, id="nothing stated"),
    ],
)
def test_grades(content: str, target: str, outcome: Outcome, answer: str | None) -> None:
    grade = grade_aime(stopped(content), target)
    assert (grade.outcome, grade.answer) == (outcome, answer)
    assert grade.score == (1.0 if outcome is C else 0.0)


@pytest.mark.parametrize(
    ("content", "lenient"),
    [
        ("ANSWER: 73", "73"),
        ("The final answer is **73**.", "73"),
        ("so\n73", "73"),
        ("Answer: 12\nWait. Answer: 73", "73"),
        (r"so \boxed{73", None),
    ],
)
def test_format_miss_keeps_the_lenient_value(content: str, lenient: str | None) -> None:
    grade = grade_aime(stopped(content), "73")
    assert (grade.outcome, grade.score, grade.answer) == (N, 0.0, None)
    assert grade.flags == ("format_miss",)
    assert grade.lenient_answer == lenient


def test_nothing_stated_is_no_format_miss() -> None:
    assert grade_aime(stopped("I cannot."), "73").flags == ()


@pytest.mark.parametrize("target", ["", "x", "1/2", r"\frac{1}{2}"])
def test_a_target_must_be_an_integer(target: str) -> None:
    with pytest.raises(ValueError, match="is not an integer; expected 0 to 999"):
        grade_aime(stopped(r"\boxed{73}"), target)


@given(st.text(), st.text(), st.sampled_from(["stop", "length", None, "abort", "content_filter"]))
def test_never_raises_and_repeats_itself(content: str, reasoning: str, finish: str | None) -> None:
    response = Response(content=content, reasoning=reasoning, finish_reason=finish)
    assert grade_aime(response, "73") == grade_aime(response, "73")


@given(st.text(), st.integers(0, 999))
def test_a_final_box_decides(text: str, answer: int) -> None:
    right = grade_aime(stopped(f"{text}</think>\n\\boxed{{{answer}}}"), str(answer))
    wrong = grade_aime(stopped(f"{text}</think>\n\\boxed{{{answer + 1}}}"), str(answer))
    assert (right.outcome, wrong.outcome) == (C, W)


@given(st.text(), st.integers(0, 999))
def test_thinking_earns_nothing(text: str, answer: int) -> None:
    thought = f"{text} \\boxed{{{answer}}}"
    for response in (stopped(f"<think>{thought}"), stopped(f"{thought}</think>"), stopped(None, thought)):
        assert grade_aime(response, str(answer)).score == 0.0
