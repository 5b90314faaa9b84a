"""Answers that are wrong yet plausible, and how each kind of answer is written down."""

import string

import numpy as np

from evals.simulator.answers import AnswerEntry, AnswerKind
from evals.simulator.filler import prose_tokens

_ALPHABET = string.ascii_lowercase
_SHAPES_OF_LAST_RESORT = ("~", "#", "=", "unclear", "0", "q")


def _squeezed(text: str) -> str:
    return "".join(text.lower().split())


def _accepted_within(text: str, targets: tuple[str, ...]) -> bool:
    """Whether a grader that searches for a target, whatever the case and spacing, would find one."""
    return any(_squeezed(target) in _squeezed(text) for target in targets)


def _wrong_integer(target: str, rng: np.random.Generator) -> str:
    right = int(target)
    steps = [1, 2, 3, 5, 7, 10, 12, 20, 36, 50, 90, 100, 144]
    step = steps[int(rng.integers(len(steps)))] * (1 if rng.random() < 0.5 else -1)
    candidates = (right + step, right - step)
    return str(next((wrong for wrong in candidates if 0 <= wrong <= 999), candidates[0]))


def _wrong_choice(target: str, n_options: int, rng: np.random.Generator) -> str:
    others = [letter for letter in string.ascii_uppercase[:n_options] if letter != target.upper()]
    return others[int(rng.integers(len(others)))]


def _misread(text: str, rng: np.random.Generator) -> str:
    """Return ``text`` with about a third of its letters and digits read as others."""
    read = []
    for sign in text:
        if sign.isdigit() and rng.random() < 0.4:
            read.append(str((int(sign) + int(rng.integers(1, 10))) % 10) if sign.isascii() else "0")
        elif sign.isalpha() and rng.random() < 0.35:
            other = _ALPHABET[int(rng.integers(len(_ALPHABET)))]
            read.append(other.upper() if sign.isupper() else other)
        else:
            read.append(sign)
    return "".join(read)


def _wrong_reading(targets: tuple[str, ...], rng: np.random.Generator) -> str:
    for _ in range(20):
        reading = _misread(targets[0], rng)
        if reading.strip() and not _accepted_within(reading, targets):
            return reading
    return next((shape for shape in _SHAPES_OF_LAST_RESORT if not _accepted_within(shape, targets)), "")


def wrong_answer(entry: AnswerEntry, rng: np.random.Generator) -> str:
    """Return an answer to ``entry`` that is not accepted but looks like one that might be."""
    match entry.kind:
        case AnswerKind.INTEGER:
            return _wrong_integer(entry.target[0], rng)
        case AnswerKind.CHOICE:
            return _wrong_choice(entry.target[0], entry.n_options or 4, rng)
        case AnswerKind.OCR | AnswerKind.LIST | AnswerKind.TEXT:
            return _wrong_reading(entry.target, rng)
        case AnswerKind.TOOL:
            return "stop" if entry.target[0] == "tool_calls" else "tool_calls"


def write_answer(entry: AnswerEntry, answer: str | None, n_tokens: int, rng: np.random.Generator) -> str:
    """Return the visible text that gives ``answer`` (``None``: gives none) after about ``n_tokens`` of prose.

    A text stands alone, since a grader that looks for it anywhere would find it in prose.
    """
    if entry.kind in (AnswerKind.OCR, AnswerKind.LIST, AnswerKind.TEXT):
        return answer or ""
    prose = "".join(prose_tokens(rng, n_tokens))
    if answer is None:
        return f"{prose}\n\nNo candidate could be settled on."
    if entry.kind is AnswerKind.INTEGER:
        return f"{prose}\n\n**Final result:** $\\boxed{{{answer}}}$"
    return f"{prose}\n\nANSWER: {answer}"
