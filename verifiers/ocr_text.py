"""Grade an OCRBench response: the official containment rule, and beside it a strict one."""

import re
from collections.abc import Sequence
from dataclasses import replace

from verifiers.ending import grade_text
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response

FORMULA_CATEGORY = "Handwritten Mathematical Expression Recognition"

_MAX_SHOWN = 500  # characters of the text that go into a grade; the log holds all of it
_TOKEN = re.compile(
    r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]|[^\s\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
_AROUND_TOKENS = ".,;:!?\"'()[]{}<>*_`“”‘’«»。，、；：！？（）「」『』【】"
_FORMULA_MARKS = re.compile(r"\\[\[\]()]|\$|`")


def grade_ocr(response: Response, answers: str | Sequence[str], category: str) -> Grade:
    """Grade ``response`` against the references ``answers``, one of which it has to contain.

    The official rule (MultimodalOCR, OCRBench/example.py): both texts lower-cased, stripped and with blanks
    for line breaks; for handwritten formulas the case is kept and all blanks are dropped. A text contains
    ``5`` also where it says ``1005``: ``secondary["exact"]`` is 1.0 only where a reference stands as whole
    tokens of the text (for formulas: is a whole line, or the text between maths marks). Official exports
    hold a string in place of a list of one. Raises ``ValueError`` for absent or empty references, which
    every text would contain.
    """
    references = _references(answers, category)
    is_formula = category.strip().casefold() == FORMULA_CATEGORY.casefold()
    grade = grade_text(
        response,
        lambda visible: _judge(visible, references, is_formula=is_formula),
        whole_text_answers=True,
    )
    if grade.outcome is Outcome.ERROR or grade.secondary:
        return grade
    return replace(grade, secondary={"exact": 0.0})


def _references(answers: str | Sequence[str], category: str) -> list[str]:
    references = [answers] if isinstance(answers, str) else list(answers)
    if not references:
        raise ValueError(f"ocrbench answers ({category}): no reference given; expected at least one text")
    for number, reference in enumerate(references, start=1):
        if not isinstance(reference, str) or not reference.strip():
            raise ValueError(
                f"ocrbench answers ({category}): reference {number} of {len(references)} is {reference!r}; "
                "expected a text that is not empty"
            )
    return references


def _judge(visible: str, references: list[str], *, is_formula: bool) -> Grade:
    normalize = _without_blanks if is_formula else _lower_case
    text = normalize(visible)
    contained = [reference for reference in references if normalize(reference) in text]
    stands_alone = _is_whole_formula if is_formula else _is_whole_tokens
    exact = any(stands_alone(visible, reference) for reference in contained)
    shown = visible.strip()
    return Grade(
        outcome=Outcome.CORRECT if contained else Outcome.INCORRECT,
        score=1.0 if contained else 0.0,
        answer=shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN] + "...",
        reason="" if contained else f"the text contains none of {len(references)} references",
        secondary={"exact": float(exact)},
    )


def _lower_case(text: str) -> str:
    return text.lower().strip().replace("\n", " ")


def _without_blanks(text: str) -> str:
    return text.strip().replace("\n", " ").replace(" ", "")


def _is_whole_tokens(text: str, reference: str) -> bool:
    tokens, wanted = _tokens(text), _tokens(reference)
    if not wanted:  # nothing but punctuation
        return text.strip() == reference.strip()
    starts = (index for index, token in enumerate(tokens) if token == wanted[0])
    return any(tokens[start : start + len(wanted)] == wanted for start in starts)


def _tokens(text: str) -> list[str]:
    """Split at blanks, and between East Asian characters; punctuation around a token is no part of it."""
    tokens = (token.strip(_AROUND_TOKENS) for token in _TOKEN.findall(text.lower()))
    return [token for token in tokens if token]


def _is_whole_formula(text: str, reference: str) -> bool:
    wanted = _formula(reference)
    parts = [text, *text.split("\n"), *re.split(r"\$\$?|\\[\[\]()]", text)]
    return any(_formula(part) == wanted for part in parts)


def _formula(text: str) -> str:
    return re.sub(r"\s", "", _FORMULA_MARKS.sub("", text)).strip(".,")
