"""Generate the smoke exam: small questions of graded difficulty, by category."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tasks.rows import Row
from tasks.smoke_questions import (
    Draw,
    Question,
    ask_capital,
    ask_choice,
    ask_difference,
    ask_digits,
    ask_larger,
    ask_order,
    ask_product,
    ask_sum,
    ask_words,
)


@dataclass(frozen=True, kw_only=True)
class Category:
    """``count`` questions of one kind, made one by one."""

    count: int
    make: Callable[[Draw], Question]


CATEGORIES: Mapping[str, Category] = {
    "sum of digits": Category(count=20, make=ask_sum(2, 9)),
    "sum of two-digit numbers": Category(count=15, make=ask_sum(11, 89)),
    "difference": Category(count=15, make=ask_difference),
    "product of digits": Category(count=15, make=ask_product(2, 9)),
    "product of larger numbers": Category(count=5, make=ask_product(12, 49)),
    "copied number": Category(count=20, make=ask_digits),
    "copied words": Category(count=15, make=ask_words),
    "larger of two": Category(count=15, make=ask_larger),
    "sorted numbers": Category(count=10, make=ask_order),
    "capital": Category(count=20, make=ask_capital),
    "multiple choice": Category(count=20, make=ask_choice),
}


def generate_rows() -> list[Row]:
    """Return the exam as dataset rows: no two questions read the same, and any first few are of all kinds."""
    return list(_rows())


def _rows() -> Iterator[Row]:
    asked: set[str] = set()
    for place in range(max(category.count for category in CATEGORIES.values())):
        for name, category in CATEGORIES.items():
            if place >= category.count:
                continue
            question = _new_question(Draw(category=name, place=place), category.make, asked)
            asked.add(question.text)
            yield {
                "id": f"{name.replace(' ', '-')}-{place}",
                "category": name,
                "question": question.text,
                "answer": question.answer,
                "form": str(question.form),
                "others": list(question.others),
                "options": list(question.options),
            }


def _new_question(draw: Draw, make: Callable[[Draw], Question], asked: set[str]) -> Question:
    question = make(draw)
    while question.text in asked:
        draw = replace(draw, attempt=draw.attempt + 1)
        question = make(draw)
    return question
