"""What people read while a run goes on: a fault that answers everything is never shown as an accuracy of 0."""

import io

import pytest

from evals.progress import Progress, told_outcome

LOOP = ("truncated", ["degenerate_repetition"])
SILENT = ("no_answer", ["empty_response"])
RIGHT, WRONG, FAILED = ("correct", []), ("incorrect", []), ("error", [])
CUT = ("truncated", [])


@pytest.mark.parametrize(
    ("replies", "shown"),
    [
        pytest.param([RIGHT, WRONG], "accuracy 50.0% · truncated 0 · errors 0", id="a living one"),
        pytest.param([WRONG] * 3, "accuracy 0.0% · truncated 0 · errors 0", id="wrong is a score"),
        pytest.param([CUT] * 3, "accuracy 0.0% · truncated 3 · errors 0", id="cut short is a score"),
        pytest.param([FAILED], "accuracy - · truncated 0 · errors 1", id="failed is none"),
        pytest.param(
            [LOOP] * 3, "no accuracy, 3 of 3 replies say nothing · truncated 3 · errors 0", id="loops"
        ),
        pytest.param(
            [SILENT, LOOP, FAILED],
            "no accuracy, 2 of 2 replies say nothing · truncated 1 · errors 1",
            id="silence, a loop, a failure",
        ),
        pytest.param([LOOP] * 9 + [RIGHT], "accuracy 10.0% · truncated 9 · errors 0", id="one is right"),
        pytest.param([LOOP, WRONG, WRONG], "accuracy 0.0% · truncated 1 · errors 0", id="some loop"),
    ],
)
def test_accuracy_is_shown_of_replies_that_say_something(replies, shown):
    out = io.StringIO()
    progress = Progress(expected=len(replies), recorded=0, out=out)
    for outcome, flags in replies:
        progress.finished(told_outcome({"outcome": outcome, "flags": flags}))
    progress.close()
    assert out.getvalue().startswith(f"{len(replies)}/{len(replies)} responses · {shown} · ")


def test_a_response_without_a_score_is_an_error():
    assert told_outcome({}) == "error"
