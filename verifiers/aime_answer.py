r"""Grade an AIME response: the integer in its last ``\boxed{...}`` against the answer, 0 to 999."""

import re

from verifiers.boxed import last_boxed
from verifiers.ending import grade_text
from verifiers.integer_text import read_integer
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response

_MAX_SHOWN = 200  # characters of an unreadable box that go into a log
_STATEMENT = re.compile(
    r"(?:answer|result)\W{0,12}?(?:is|are|=|:)?[\s:=*$\\({]{0,12}(?P<value>-?\d[\d,]{0,15})", re.IGNORECASE
)


def grade_aime(response: Response, target: str) -> Grade:
    r"""Grade ``response`` against the integer ``target``, as integers, never as text.

    Only a box in the visible text answers. A box that does not hold an integer (a fraction, an expression,
    a letter) is an incorrect answer, shown as it stands. Without a complete box there is no answer: where
    the text states a number all the same, it is ``lenient_answer`` with the flag ``format_miss``, because
    the protocol asks for a box and scores under other rules are not comparable. Raises ``ValueError`` for a
    ``target`` that is not an integer.
    """
    expected = read_integer(target)
    if expected is None:
        raise ValueError(f"aime25 target: {target!r} is not an integer; expected 0 to 999")
    return grade_text(response, lambda visible: _judge(visible, expected))


def _judge(visible: str, expected: int) -> Grade:
    box = last_boxed(visible)
    if box is None:
        return _without_box(visible)
    value = read_integer(box)
    if value is None:
        shown = box if len(box) <= _MAX_SHOWN else box[:_MAX_SHOWN] + "..."
        return Grade(
            outcome=Outcome.INCORRECT,
            score=0.0,
            answer=shown,
            flags=("not_an_integer",),
            reason="the last box does not hold an integer",
        )
    if value == expected:
        return Grade(outcome=Outcome.CORRECT, score=1.0, answer=str(value))
    reason = f"the last box holds {value}, the answer is {expected}"
    return Grade(outcome=Outcome.INCORRECT, score=0.0, answer=str(value), reason=reason)


def _without_box(visible: str) -> Grade:
    stated = [match["value"] for match in _STATEMENT.finditer(visible)]
    last_line = visible.strip().rsplit("\n", 1)[-1]
    value = read_integer(stated[-1].rstrip(",")) if stated else read_integer(last_line)
    lenient = None if value is None else str(value)
    attempted = lenient is not None or "\\boxed" in visible
    return Grade(
        outcome=Outcome.NO_ANSWER,
        score=0.0,
        flags=("format_miss",) if attempted else (),
        reason=r"no complete \boxed{...} in the visible text",
        lenient_answer=lenient,
    )
