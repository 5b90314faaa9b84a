"""Wrong answers are wrong, plausible, and never accepted by accident."""

from hypothesis import given
from hypothesis import strategies as st

from evals.simulator.answers import AnswerEntry, AnswerKind
from evals.simulator.dice import generator
from evals.simulator.mistakes import write_answer, wrong_answer


def made(kind: AnswerKind, *target: str, n_options: int | None = None) -> AnswerEntry:
    return AnswerEntry(
        task="t", sample_id="1", prompt_text="p", target=target, kind=kind, n_options=n_options
    )


@given(st.integers(0, 999), st.integers(0, 50))
def test_wrong_integers_stay_in_the_range_of_the_contest(right, seed):
    wrong = int(wrong_answer(made(AnswerKind.INTEGER, str(right)), generator(seed)))
    assert wrong != right and 0 <= wrong <= 999


@given(st.integers(2, 10), st.data())
def test_wrong_choices_are_other_options(n_options, data):
    right = data.draw(st.sampled_from("ABCDEFGHIJ"[:n_options]))
    wrong = wrong_answer(
        made(AnswerKind.CHOICE, right, n_options=n_options), generator(data.draw(st.integers(0, 50)))
    )
    assert wrong != right and wrong in "ABCDEFGHIJ"[:n_options]


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=3), st.integers(0, 50))
def test_wrong_readings_hold_no_accepted_text_whatever_case_and_spacing(targets, seed):
    wrong = wrong_answer(made(AnswerKind.OCR, *targets), generator(seed))
    squeezed = "".join(wrong.lower().split())
    assert all("".join(target.lower().split()) not in squeezed for target in targets)


def test_how_answers_are_written():
    rng = generator(1)
    assert write_answer(made(AnswerKind.OCR, "STOP"), "STOP", 50, rng) == "STOP"
    assert write_answer(made(AnswerKind.OCR, "STOP"), None, 50, rng) == ""
    assert write_answer(made(AnswerKind.CHOICE, "C"), "C", 5, rng).endswith("\n\nANSWER: C")
    assert write_answer(made(AnswerKind.INTEGER, "7"), "7", 5, rng).endswith(r"$\boxed{7}$")
    nothing = write_answer(made(AnswerKind.INTEGER, "7"), None, 60, rng)
    assert "boxed" not in nothing and not any(sign.isdigit() for sign in nothing)
