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
    assert out.getvalue().startswith(f"{len(replies)}/{len(replies)} responses · {shown}")


def test_a_response_without_a_score_is_an_error():
    assert told_outcome({}) == "error"


@pytest.mark.parametrize("at_s", [65.0, 100.0, 300.0, 900.0, 1100.0])
def test_the_time_left_counts_what_is_being_written(monkeypatch, at_s):
    """640 responses, 64 at a time, each of two minutes, begun evenly: about twenty minutes in all.

    At 65 s next to nothing is finished: the few alone would promise hours.
    """
    now = 0.0
    monkeypatch.setattr("evals.progress.time.monotonic", lambda: now)
    out = io.StringIO()
    progress = Progress(expected=640, recorded=0, out=out)
    begun = [wave * 120.0 + place for wave in range(10) for place in range(64)]
    now = at_s
    for start in begun:
        if start <= at_s:
            progress.sent(is_retry=False)
    progress.sent(is_retry=True)  # a repeated request is no further response
    for start in begun:
        if start + 60.0 + start % 64 <= at_s:  # some take one minute, some two
            progress.finished("correct")
    progress.line()
    told = out.getvalue().splitlines()[-1].rpartition("about ")[2]
    number, unit, _ = told.split()
    left_s = float(number) * (60 if unit == "min" else 1)
    assert left_s == pytest.approx(1220 - at_s, rel=0.3, abs=60)


def test_responses_asked_with_several_budgets_do_not_use_up_the_time_left(monkeypatch):
    now = 0.0
    monkeypatch.setattr("evals.progress.time.monotonic", lambda: now)
    out = io.StringIO()
    progress = Progress(expected=200, recorded=0, out=out)
    now = 1_000.0
    for _ in range(100):
        for _budget in range(3):
            progress.sent(is_retry=False)
        progress.finished("truncated")
    progress.line()
    assert out.getvalue().rpartition("about ")[2].split()[:2] == ["6", "min"], "half as written, half to come"


def test_no_time_is_told_before_anything_is_finished():
    out = io.StringIO()
    progress = Progress(expected=10, recorded=0, out=out)
    progress.sent(is_retry=False)
    progress.line()
    assert "left" not in out.getvalue()
