"""Grade a short answer: the number, the numbers in order, or the words that a text comes to."""

import re
from collections.abc import Sequence
from decimal import Decimal

from verifiers.ending import grade_text
from verifiers.outcome import Grade, Outcome
from verifiers.plain_text import BOX_CLOSE, BOX_OPEN, plain_text
from verifiers.response import Response

_MAX_SHOWN = 80  # characters of an answer that go into a grade; the log holds all of it
_MAX_DIGITS = 40  # longer runs of digits are no answer here and would be slow to compare
_BOX = re.compile(f"{BOX_OPEN}([^{BOX_CLOSE}]*){BOX_CLOSE}")
_LIST_MARK = re.compile(r"^[ \t]*\d{1,2}[.)][ \t]+(?=\S)", re.MULTILINE)
# "45 is larger than 12": what follows "than" is what the answer was compared with
_COMPARED = re.compile(r"\bthan\s+-?\d[\d,]*(?:\.\d+)?", re.IGNORECASE)
_NUMBERS = re.compile(r"(?:(?<![\w.)])[-\u2212])?\d+(?:,\d+)*(?:\.\d+)?")
_GROUPED = re.compile(r"\D?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WORD = re.compile(r"[^\W_]+")


def grade_numbers(response: Response, target: Sequence[int]) -> Grade:
    """Grade by the last numbers of the visible text, as many as ``target`` has, in its order.

    The last box wins over the text around it. Numbers that count list items or follow "than" are not read.
    Compared as numbers: ``1,234``, ``1234.`` and ``1234.0`` are one. Raises ``ValueError`` for no target.

    >>> said = Response(content="45 is larger than 12.", finish_reason="stop")
    >>> str(grade_numbers(said, [45]).outcome)
    'correct'
    """
    if not target:
        raise ValueError("smoke target: no number; expected at least one")
    return grade_text(response, lambda visible: _judge_numbers(visible, target))


def grade_words(response: Response, target: str, others: Sequence[str] = ()) -> Grade:
    """Grade by which of ``target`` and ``others`` stands last in the visible text, as whole words.

    Case and punctuation do not count. A text that holds none of them is an incorrect answer, shown as it
    stands: what it names instead is not known here. Raises ``ValueError`` for a target without words.
    """
    if not _words(target):
        raise ValueError(f"smoke target: {target!r} has no words; expected at least one")
    return grade_text(response, lambda visible: _judge_words(visible, target, others))


def _judge_numbers(visible: str, target: Sequence[int]) -> Grade:
    found = _numbers(_concluding(plain_text(visible)))
    if not found:
        return Grade(outcome=Outcome.NO_ANSWER, score=0.0, reason="no number in the visible text")
    stated = found[-len(target) :]
    answer = _shown(" ".join(f"{number:f}" for number in stated))
    if stated == [Decimal(number) for number in target]:
        return Grade(outcome=Outcome.CORRECT, score=1.0, answer=answer)
    expected = " ".join(map(str, target))
    reason = f"the text ends with {answer}, the answer is {expected}"
    return Grade(outcome=Outcome.INCORRECT, score=0.0, answer=answer, reason=reason)


def _concluding(plain: str) -> str:
    """Return what the last box with a number holds, else the whole text."""
    boxes = [box for box in _BOX.findall(plain) if _NUMBERS.search(box)]
    return boxes[-1] if boxes else _COMPARED.sub(" ", _LIST_MARK.sub("", plain))


def _numbers(text: str) -> list[Decimal]:
    runs = (match.group().replace("\u2212", "-") for match in _NUMBERS.finditer(text))
    written = (
        number
        for run in runs
        for number in ([run.replace(",", "")] if _GROUPED.fullmatch(run) else run.split(","))
    )
    return [_canonical(Decimal(number)) for number in written if len(number) <= _MAX_DIGITS]


def _canonical(number: Decimal) -> Decimal:
    return Decimal(int(number)) if number == int(number) else number


def _judge_words(visible: str, target: str, others: Sequence[str]) -> Grade:
    words = _words(plain_text(visible))
    ends = {name: _last_end(words, _words(name)) for name in (target, *others)}
    last = max(ends, key=lambda name: (ends[name], len(name)))
    if ends[last] == 0:
        answer = _shown(visible.strip())
        return Grade(
            outcome=Outcome.INCORRECT, score=0.0, answer=answer, reason=f"the text does not say {target!r}"
        )
    if last == target:
        return Grade(outcome=Outcome.CORRECT, score=1.0, answer=target)
    reason = f"the text last says {last!r}, the answer is {target!r}"
    return Grade(outcome=Outcome.INCORRECT, score=0.0, answer=last, reason=reason)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _last_end(words: Sequence[str], name: Sequence[str]) -> int:
    """Return where ``name`` last ends among ``words``, from 1; 0 where it does not stand there."""
    size = len(name)
    places = range(len(words), size - 1, -1)
    return next((end for end in places if list(words[end - size : end]) == list(name)), 0)


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "..."
