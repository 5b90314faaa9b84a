"""GPQA Diamond: 198 graduate-level questions in biology, chemistry and physics, four options each.

Source: ``Idavidrein/gpqa`` on the Hugging Face hub (gated), or a copy of its table as CSV, JSON lines or
parquet. Metric: accuracy, mean over epochs of the mean over items. Departs from the source in its prompt
(our own words; the same rule, a last line 'Answer: X') and in the order of the options, which is a function
of the record id instead of a draw. The data carries a canary: no text of it may be printed or committed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tasks.benchmark import Benchmark, Item, ItemForm
from tasks.choices import (
    LETTERS,
    gold_letter,
    option_order,
    parse_options,
    refuse_constant_gold,
    refuse_uneven_gold,
    render_options,
    rotated,
)
from tasks.data import DataError, DatasetPin, HubCopy, Rows, content_digest, field_text
from tasks.reading import Reading
from tasks.rows import Row
from tasks.spec import Preset, Sampling
from verifiers.choice_letter import grade_choice
from verifiers.outcome import Grade, Outcome
from verifiers.response import Response

N_OPTIONS = 4
LOWEST_SHARE, HIGHEST_SHARE = 0.15, 0.35  # of the items for which one letter is right
SHUFFLE_PER_EPOCH = "shuffle_per_epoch"

PROMPT = (
    "Solve this multiple-choice question. Think it through step by step, then close with one line that "
    "reads 'Answer: X', where X is the letter of the option you choose: A, B, C or D.\n\n"
    "{question}\n\n{options}"
)

_NOT_ALPHANUMERIC = re.compile(r"[^a-z0-9]+")

PIN = DatasetPin(
    name="Idavidrein/gpqa",
    n_items=198,
    file_sha256="41d1213cd7a4998605a26c2798500652572007161b3a92817ba46b35befcd305",  # the CSV
    hub=HubCopy(
        repo="Idavidrein/gpqa",
        config="gpqa_diamond",
        split="train",
        revision="633f5ee89ab8ad4522a9f850766b73f62147ffdd",
        gated=True,
    ),
    terms=(
        " (a CSV, JSON lines or parquet file of the table), or accept the terms at "
        "https://huggingface.co/datasets/Idavidrein/gpqa and set HF_TOKEN to a token of that account"
    ),
)

RECOMMENDED = Sampling(temperature=1.0, top_p=0.95)
PRESETS = (
    Preset(
        name="sglang",
        max_tokens=131_072,
        epochs=4,
        thinking=RECOMMENDED,
        instant=RECOMMENDED,
        source="SGLang's Kimi-K2.6 page: Inspect's GPQA Diamond with chain of thought",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Question:
    """One row: ``options`` begin with the right one; ``letter`` is what the copy itself calls it, if it does."""

    record_id: str
    text: str
    options: tuple[str, ...]
    category: str | None
    letter: str | None


def read_items(rows: Rows, reading: Reading) -> Sequence[Item]:
    """Return one item a row, called by its record id; errors name rows and never quote them."""
    questions = [_question(row, index) for index, row in enumerate(rows)]
    refuse_constant_gold([found.letter for found in questions if found.letter])
    items = [_item(question, reading) for question in questions]
    refuse_constant_gold([item.target for item in items])
    return items


def check_items(items: Sequence[Item], _variant: str | None) -> None:
    """Raise :class:`DataError` where a letter is right too often or too rarely for shuffled options."""
    refuse_uneven_gold(
        [item.target for item in items],
        n_options=N_OPTIONS,
        lowest=LOWEST_SHARE,
        highest=HIGHEST_SHARE,
    )


def _question(named: Row, index: int) -> Question:
    # copies write `Correct Answer` and `correct_answer`
    row = {_NOT_ALPHANUMERIC.sub("_", str(name).strip().lower()): value for name, value in named.items()}
    text = field_text(row, "question", index)
    letter = None
    if row.get("correct_answer") is not None:
        columns = ("correct_answer", *(f"incorrect_answer_{number}" for number in (1, 2, 3)))
        options = tuple(field_text(row, column, index) for column in columns)
    else:
        options, letter = _lettered(row, index)
    record_id = str(row.get("record_id") or row.get("id") or "").strip()
    category = row.get("subdomain") or row.get("high_level_domain")
    return Question(
        record_id=record_id or content_digest(text, options[0], *sorted(options[1:])),
        text=text,
        options=options,
        category=str(category).strip() if category else None,
        letter=letter,
    )


def _lettered(row: Row, index: int) -> tuple[tuple[str, ...], str]:
    """Return options, the right one first, and its letter in a copy whose options are in an order already."""
    where = f"row {index}"
    listed = row.get("options", row.get("choices"))
    if listed is None:
        raise DataError(f"{where}: no field 'correct_answer' and no 'options'; it has {', '.join(row)}")
    options = parse_options(listed, where, fewest=N_OPTIONS, most=N_OPTIONS)
    letter = gold_letter(row.get("answer"), N_OPTIONS, where)
    right = options[LETTERS.index(letter)]
    others = (option for place, option in enumerate(options) if LETTERS[place] != letter)
    return (right, *others), letter


def _item(question: Question, reading: Reading) -> Item:
    order = option_order(question.record_id, N_OPTIONS)
    form = _form(question, order)
    forms: tuple[ItemForm, ...] = ()
    if reading.options.get(SHUFFLE_PER_EPOCH):
        forms = tuple(_form(question, rotated(order, turns)) for turns in range(N_OPTIONS))
    shown = form.grading["options"]
    return Item(
        sample_id=question.record_id,
        prompt=form.prompt,
        target=form.target,
        content_hash=content_digest(question.text, *shown, form.target),
        category=question.category,
        forms=forms,
        grading=form.grading,
    )


def _form(question: Question, order: Sequence[int]) -> ItemForm:
    """Return the question with its options in one order.

    In two rows of the source an option stands twice. All options are kept and the gold letter is that of
    the right answer's own place; where a wrong option reads the same, its letter is as right (``equal``).
    """
    shown = [question.options[place] for place in order]
    target = LETTERS[order.index(0)]
    grading: dict[str, Any] = {"options": shown, "n_options": N_OPTIONS}
    if len(set(shown)) < N_OPTIONS:
        grading["equal"] = [
            letter for letter, text in zip(LETTERS, shown, strict=False) if text == question.options[0]
        ]
    prompt = PROMPT.format(question=question.text, options=render_options(shown))
    return ItemForm(prompt=prompt, target=target, grading=grading)


def grade(response: Response, target: str, grading: Mapping[str, Any]) -> Grade:
    """Grade by the letter last stated (:func:`verifiers.choice_letter.grade_choice`).

    Where options stand twice (``equal`` in ``grading``), the letter of either right one is correct and the
    response is flagged ``duplicate_options``.
    """
    options, n_options = grading.get("options"), grading.get("n_options", N_OPTIONS)
    verdict = grade_choice(response, target, options, n_options)
    if "equal" not in grading:
        return verdict
    stated = verdict.answer
    if verdict.outcome is Outcome.INCORRECT and stated is not None and stated in grading["equal"]:
        verdict = grade_choice(response, stated, options, n_options)
    return replace(verdict, flags=(*verdict.flags, "duplicate_options"))


GPQA_DIAMOND = Benchmark(
    name="gpqa_diamond",
    title="GPQA Diamond",
    metric="accuracy",
    licence="CC-BY-4.0, gated; never reveal the questions in plain text online",
    departures="own prompt wording; option order fixed by record id",
    pins={None: PIN},
    presets=PRESETS,
    prompt=PROMPT,
    scorer="choice_letter/1",
    answer_kind="choice",
    read_items=read_items,
    check_items=check_items,
    grade=grade,
    options=(SHUFFLE_PER_EPOCH,),
    usual_options={None: N_OPTIONS},
)
