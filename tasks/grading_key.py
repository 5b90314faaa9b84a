"""What a recorded response is graded against: from its own row, else from the task's dataset."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tasks.benchmark import Benchmark, Item
from tasks.choices import MOST_LETTERS, parse_options
from tasks.ocrbench import read_references
from tasks.recorded import RowError
from tasks.rows import DataError

FindItem = Callable[[str, int], Item]  # by id and epoch


@dataclass(frozen=True, kw_only=True)
class GradingKey:
    """The target, what else the verifier needs, and the category the response is counted under."""

    target: str
    grading: Mapping[str, Any]
    category: str | None = None


def grading_key(
    benchmark: Benchmark, row: Mapping[str, Any], default_options: int, find: FindItem
) -> GradingKey:
    """Return what to grade a row against; the dataset is asked only where the row has no target of its own.

    ``default_options`` is the number of options where the row does not say. Raises :class:`RowError`, and
    :class:`DataError` where the dataset is needed and cannot be had.
    """
    category = row.get("category", row.get("subject"))
    named = str(category) if category is not None else None
    try:
        if benchmark.answer_kind == "mixed":
            own = None  # how an answer is read is the item's to say
        elif benchmark.answer_kind == "ocr":
            own = _ocr_key(row, named)
        elif benchmark.answer_kind == "choice":
            own = _choice_key(row, named, default_options)
        else:
            own = _integer_key(row, named)
    except DataError as error:
        raise RowError(str(error)) from error
    return own or _dataset_key(row, named, find)


def _dataset_key(row: Mapping[str, Any], category: str | None, find: FindItem) -> GradingKey:
    epoch = int(row.get("epoch", 1))
    item = find(str(row["id"]), epoch)
    target, grading = item.target, item.grading
    if item.forms:
        form = item.forms[(epoch - 1) % len(item.forms)]
        target, grading = form.target, form.grading
    return GradingKey(target=target, grading=grading, category=category or item.category)


def _integer_key(row: Mapping[str, Any], category: str | None) -> GradingKey | None:
    target = row.get("target")
    if target is None:
        return None
    text = str(target).strip()
    if isinstance(target, bool) or not text.isdecimal():
        raise RowError(f"target is {target!r}; a whole number is expected")
    return GradingKey(target=text, grading={}, category=category)


def _choice_key(row: Mapping[str, Any], category: str | None, default_options: int) -> GradingKey | None:
    # MMMU-Pro's own result files call the target `answer`
    target = row.get("target", row.get("answer"))
    if target is None:
        return None
    options, n_options = row.get("options"), row.get("n_options")
    if options is not None:
        options = list(parse_options(options, "options", fewest=2, most=MOST_LETTERS))
    if n_options is None:
        n_options = len(options) if options is not None else default_options
    if isinstance(n_options, bool) or not isinstance(n_options, int) or not 2 <= n_options <= MOST_LETTERS:
        raise RowError(f"n_options is {n_options!r}; a number from 2 to {MOST_LETTERS} is expected")
    grading = {"options": options, "n_options": n_options}
    return GradingKey(target=str(target).strip().upper(), grading=grading, category=category)


def _ocr_key(row: Mapping[str, Any], category: str | None) -> GradingKey | None:
    answers = row.get("answers", row.get("target"))
    if answers is None:
        return None
    references = read_references(answers, "answers")
    grading = {"answers": references, "category": category or ""}
    return GradingKey(target=references[0], grading=grading, category=category)
