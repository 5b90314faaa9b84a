"""Grade a multiple-choice response by the letter it last states, the same for all benchmarks."""

from collections.abc import Sequence

from verifiers.choice_label import Choices, make_choices
from verifiers.choice_mentions import find_mention
from verifiers.choice_statements import last_statement
from verifiers.ending import grade_text
from verifiers.outcome import Grade, Outcome
from verifiers.plain_text import plain_text
from verifiers.response import Response


def grade_choice(response: Response, target: str, options: Sequence[str] | None, n_options: int) -> Grade:
    """Grade ``response`` against the letter ``target``, one of the first ``n_options`` of the alphabet.

    The last explicit statement decides (:func:`verifiers.choice_statements.last_statement`), then what the
    text settles on in passing (:func:`verifiers.choice_mentions.find_mention`); nothing is ever guessed.
    Several different letters are no answer (flag ``ambiguous``), neither is a letter outside the options
    (flag ``format_miss``). ``options``, the texts in order of their letters, is optional: it resolves answers
    that give an option's text instead of its letter. Raises ``ValueError`` for a target or options that do
    not fit ``n_options``.
    """
    choices = make_choices(options, n_options)
    if len(target) != 1 or target not in choices.letters:
        raise ValueError(
            f"target: {target!r} is not one of the options {choices.letters}; expected one letter"
        )
    return grade_text(response, lambda visible: _judge(visible, target, choices))


def _judge(visible: str, target: str, choices: Choices) -> Grade:
    plain = plain_text(visible)
    letters = last_statement(plain, choices)
    if letters is None:
        letters = find_mention(plain, choices)
    if not letters:
        return _no_answer("no option is stated")
    if len(letters) > 1:
        return _no_answer(
            "the final statement names several options", "ambiguous", lenient=", ".join(letters)
        )
    (letter,) = letters
    if letter not in choices.letters:
        reason = f"the final statement names {letter}, the options are {choices.letters}"
        return _no_answer(reason, "format_miss", lenient=letter)
    if letter == target:
        return Grade(outcome=Outcome.CORRECT, score=1.0, answer=letter)
    reason = f"the final statement is {letter}, the answer is {target}"
    return Grade(outcome=Outcome.INCORRECT, score=0.0, answer=letter, reason=reason)


def _no_answer(reason: str, *flags: str, lenient: str | None = None) -> Grade:
    return Grade(outcome=Outcome.NO_ANSWER, score=0.0, flags=flags, reason=reason, lenient_answer=lenient)
