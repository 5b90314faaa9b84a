import pytest

from verifiers.ending import Finish, finish_kind, grade_text
from verifiers.outcome import Grade, Outcome
from verifiers.response import TRUNCATING_FINISH_REASONS, Response


def judge(visible: str) -> Grade:
    """Call everything that says 7 correct; find an answer in what says a digit."""
    if "7" in visible:
        return Grade(outcome=Outcome.CORRECT, score=1.0, answer="7", secondary={"exact": 1.0})
    if "8" in visible:
        return Grade(outcome=Outcome.INCORRECT, score=0.0, answer="8")
    return Grade(outcome=Outcome.NO_ANSWER, score=0.0, flags=("format_miss",), lenient_answer="maybe")


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        *[(word, Finish.STOPPED) for word in ("stop", "STOP", "eos", "end_turn", "tool_calls", "eos_token")],
        *[(word, Finish.TRUNCATED) for word in sorted(TRUNCATING_FINISH_REASONS)],
        *[(word, Finish.TRUNCATED) for word in ("MAX_TOKENS", "Length", "max_new_tokens")],
        *[(word, Finish.WITHHELD) for word in ("content_filter", "SAFETY", "refusal")],
        ("repetition", Finish.LOOPED),
        *[(word, Finish.FAILED) for word in ("abort", "error", "cancelled", "insufficient_system_resource")],
        ("a word nobody knows", Finish.FAILED),
        *[(word, Finish.UNFINISHED) for word in (None, "", " ")],
    ],
)
def test_finish_kind(word: str | None, kind: Finish) -> None:
    assert finish_kind(word) is kind


@pytest.mark.parametrize("finish", [None, "", "abort", "error", "timeout", "unheard_of"])
def test_what_never_finished_is_an_error_and_not_graded(finish: str | None) -> None:
    grade = grade_text(Response(content="7", finish_reason=finish), judge)
    assert (grade.outcome, grade.score, grade.answer) == (Outcome.ERROR, None, None)
    assert "finish reason" in grade.reason


@pytest.mark.parametrize(
    ("content", "reasoning", "flags", "lenient"),
    [
        pytest.param(None, "so 7", ("empty_after_reasoning",), None, id="TR02 the budget went into thinking"),
        pytest.param("so 7", None, ("answer_before_truncation",), "7", id="a right answer earns nothing"),
        pytest.param("so 8", None, ("answer_before_truncation",), "8", id="a wrong one neither"),
        pytest.param("so", None, ("format_miss",), "maybe", id="nothing final"),
        pytest.param(
            "<think>7", None, ("think_in_content", "empty_after_reasoning"), None, id="cut in leaked thinking"
        ),
        pytest.param("", None, ("empty_response",), None, id="nothing at all"),
    ],
)
def test_truncated(
    content: str | None, reasoning: str | None, flags: tuple[str, ...], lenient: str | None
) -> None:
    grade = grade_text(Response(content=content, reasoning=reasoning, finish_reason="length"), judge)
    assert (grade.outcome, grade.score, grade.answer) == (Outcome.TRUNCATED, 0.0, None)
    assert (grade.flags, grade.lenient_answer) == (flags, lenient)
    assert set(grade.secondary.values()) <= {0.0}


def test_cut_text_read_as_a_whole_answers_only_when_correct() -> None:
    wrong = grade_text(Response(content="8", finish_reason="length"), judge, whole_text_answers=True)
    right = grade_text(Response(content="7", finish_reason="length"), judge, whole_text_answers=True)
    assert (wrong.flags, right.flags) == ((), ("answer_before_truncation",))


@pytest.mark.parametrize(
    ("content", "reasoning", "flag"),
    [
        pytest.param(None, "thought", "empty_after_reasoning", id="null after reasoning"),
        pytest.param(" \n", "thought", "empty_after_reasoning", id="blank after reasoning"),
        pytest.param("<think>7</think>\n", None, "empty_after_reasoning", id="nothing after leaked thinking"),
        pytest.param("", None, "empty_response", id="empty"),
        pytest.param("", " ", "empty_response", id="blank reasoning is no reasoning"),
    ],
)
def test_stopped_without_text_has_no_answer(content: str | None, reasoning: str | None, flag: str) -> None:
    grade = grade_text(Response(content=content, reasoning=reasoning, finish_reason="stop"), judge)
    assert (grade.outcome, grade.score) == (Outcome.NO_ANSWER, 0.0)
    assert flag in grade.flags


@pytest.mark.parametrize(
    ("finish", "flag"), [("content_filter", "content_filter"), ("repetition", "degenerate_repetition")]
)
def test_stopped_by_filter_or_engine_earns_nothing(finish: str, flag: str) -> None:
    grade = grade_text(Response(content="7", finish_reason=finish), judge)
    assert (grade.outcome, grade.score, grade.answer, grade.lenient_answer) == (
        Outcome.NO_ANSWER,
        0.0,
        None,
        "7",
    )
    assert grade.flags == (flag,)


@pytest.mark.parametrize(
    "response",
    [
        Response(content="7" + "!" * 500, finish_reason="stop"),
        Response(content="7", reasoning="?" * 500, finish_reason="stop"),
        Response(content=f"<think>{'so it goes on. ' * 200}</think>7", finish_reason="stop"),
    ],
    ids=["answer", "reasoning", "leaked thinking"],
)
def test_degenerate_text_is_flagged_and_still_graded(response: Response) -> None:
    grade = grade_text(response, judge)
    assert "degenerate_repetition" in grade.flags
    assert grade.outcome is Outcome.CORRECT
