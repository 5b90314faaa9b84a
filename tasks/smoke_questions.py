"""Make one small question of the smoke exam with its computed answer, the same on every machine."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tasks.choices import LETTERS, option_order, render_options
from tasks.smoke_words import CAPITALS, KINDS, WORDS

SEED = 1  # another seed is another exam, with another content hash
N_OPTIONS = 4
ONLY = "Answer with the {} only."  # first, not last: small models then wander off less


class AnswerForm(StrEnum):
    """What an answer looks like, and so which rule grades it."""

    INTEGER = "integer"
    LIST = "list"  # several integers in order
    TEXT = "text"
    CHOICE = "choice"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One generated question. ``others`` are wrong answers that would be known as such."""

    text: str
    answer: str
    form: AnswerForm
    others: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Numbers and choices that depend on the seed, the category, the place in it and what they are for."""

    category: str
    place: int
    attempt: int = 0

    def number(self, low: int, high: int, name: str) -> int:
        """Return a number from ``low`` to ``high``, both included."""
        key = f"{self._key}/{name}".encode()
        return low + int.from_bytes(hashlib.sha256(key).digest()[:8]) % (high - low + 1)

    def several(self, values: Sequence[str], count: int, name: str) -> list[str]:
        """Return ``count`` different ones of ``values``."""
        order = option_order(f"{self._key}/{name}", len(values))
        return [values[place] for place in order[:count]]

    @property
    def _key(self) -> str:
        return f"{SEED}/{self.category}/{self.place}/{self.attempt}"


def ask_sum(low: int, high: int) -> Callable[[Draw], Question]:
    """Return the maker of sums of two numbers from ``low`` to ``high``."""

    def make(draw: Draw) -> Question:
        left, right = draw.number(low, high, "left"), draw.number(low, high, "right")
        return _integer(f"What is {left} + {right}?", left + right)

    return make


def ask_difference(draw: Draw) -> Question:
    """Ask for a difference of two-digit numbers, itself of two digits."""
    right, rest = draw.number(11, 49, "right"), draw.number(11, 49, "rest")
    return _integer(f"What is {right + rest} - {right}?", rest)


def ask_product(low: int, high: int) -> Callable[[Draw], Question]:
    """Return the maker of products of two numbers from ``low`` to ``high``."""

    def make(draw: Draw) -> Question:
        left, right = draw.number(low, high, "left"), draw.number(low, high, "right")
        return _integer(f"What is {left} * {right}?", left * right)

    return make


def ask_digits(draw: Draw) -> Question:
    """Ask for a number of 4 to 8 digits to be repeated."""
    length = 4 + draw.place % 5
    first = draw.number(1, 9, "first")
    rest = "".join(str(draw.number(0, 9, f"digit {place}")) for place in range(1, length))
    return _integer("Repeat this number: " + (number := f"{first}{rest}"), int(number))


def ask_words(draw: Draw) -> Question:
    """Ask for 3 to 5 words to be repeated."""
    words = " ".join(draw.several(WORDS, 3 + draw.place % 3, "words"))
    return _question("words", f"Repeat these words: {words}", words, AnswerForm.TEXT)


def ask_larger(draw: Draw) -> Question:
    """Ask which of two numbers of 2 to 4 digits is the larger."""
    digits = 2 + draw.place % 3
    low = draw.number(10 ** (digits - 1), 10**digits - 2, "low")
    high = draw.number(low + 1, 10**digits - 1, "high")
    first, second = (low, high) if draw.place % 2 else (high, low)
    return _integer(f"Which number is larger, {first} or {second}?", high)


def ask_order(draw: Draw) -> Question:
    """Ask for three numbers to be sorted."""
    numbers = {draw.number(10, 99, f"number {place}") for place in range(3)}
    while len(numbers) < 3:
        numbers.add(max(numbers) + 1)
    shown = draw.several([str(number) for number in sorted(numbers)], 3, "order")
    text = f"Sort these numbers from smallest to largest: {', '.join(shown)}"
    return _question("numbers", text, " ".join(map(str, sorted(numbers))), AnswerForm.LIST)


def ask_capital(draw: Draw) -> Question:
    """Ask for a capital; the other capitals here are known as wrong answers."""
    country, capital = list(CAPITALS.items())[draw.place]
    question = _question("name", f"What is the capital of {country}?", capital, AnswerForm.TEXT)
    return replace(question, others=tuple(name for name in CAPITALS.values() if name != capital))


def ask_choice(draw: Draw) -> Question:
    """Ask which of four lettered things is of a kind."""
    kind, *rest = draw.several(list(KINDS), N_OPTIONS, "kinds")
    right = draw.several(KINDS[kind], 1, "right")[0]
    wrong = [draw.several(KINDS[other], 1, f"of {other}")[0] for other in rest]
    options = tuple(draw.several([right, *wrong], N_OPTIONS, "order"))
    text = f"Which of these is {kind}?\n{render_options(options)}"
    question = _question("letter", text, LETTERS[options.index(right)], AnswerForm.CHOICE)
    return replace(question, options=options)


def _integer(text: str, answer: int) -> Question:
    return _question("number", text, str(answer), AnswerForm.INTEGER)


def _question(only: str, text: str, answer: str, form: AnswerForm) -> Question:
    return Question(text=f"{ONLY.format(only)} {text}", answer=answer, form=form)
