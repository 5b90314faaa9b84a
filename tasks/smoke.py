"""Smoke: small generated questions with computed answers, the first thing to run on a new endpoint.

Source: :mod:`tasks.smoke_items`, generated here under a fixed seed; no dataset is fetched. Metric: accuracy,
mean over epochs of the mean over items. Its categories are graded in difficulty, so that a model of 135 M
parameters is neither at the floor nor at the ceiling; a large one is near the ceiling, and what it misses
points at the serving. It says nothing of a checkpoint's knowledge.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.benchmark import Benchmark, Item
from tasks.data import DataError, DatasetPin, Rows, content_digest, field_text
from tasks.reading import Reading
from tasks.rows import Row
from tasks.smoke_items import generate_rows
from tasks.smoke_questions import N_OPTIONS, SEED, AnswerForm
from tasks.spec import Preset, Sampling
from verifiers.choice_letter import grade_choice
from verifiers.outcome import Grade
from verifiers.response import Response
from verifiers.short_answer import grade_numbers, grade_words

SAMPLING = Sampling(temperature=0.6, top_p=0.95)
PRESETS = (
    Preset(
        name="smoke",
        max_tokens=2_048,
        epochs=2,
        thinking=SAMPLING,
        instant=SAMPLING,
        source="this project",
    ),
)
PIN = DatasetPin(
    name=f"smoke (seed {SEED})", n_items=170, content_hash="0584395f4e0b71f7", generate=generate_rows
)


def read_items(rows: Rows, _reading: Reading) -> Sequence[Item]:
    """Return one item a row."""
    return [_item(row, index) for index, row in enumerate(rows)]


def _item(row: Row, index: int) -> Item:
    question, answer = field_text(row, "question", index), field_text(row, "answer", index)
    form = field_text(row, "form", index)
    if form not in list(AnswerForm):
        raise DataError(
            f"smoke row {index}: form {form!r} is none of {', '.join(AnswerForm)}; check the copy"
        )
    return Item(
        sample_id=field_text(row, "id", index),
        prompt=question,
        target=answer,
        content_hash=content_digest(question, answer),
        category=field_text(row, "category", index),
        grading={
            "form": form,
            **({"others": row["others"]} if row.get("others") else {}),
            **({"options": row["options"], "n_options": N_OPTIONS} if row.get("options") else {}),
        },
    )


def grade(response: Response, target: str, grading: Mapping[str, Any]) -> Grade:
    """Grade by the rule of the item's form: the last numbers, the words last said, or the letter stated."""
    match AnswerForm(grading["form"]):
        case AnswerForm.INTEGER | AnswerForm.LIST:
            return grade_numbers(response, [int(number) for number in target.split()])
        case AnswerForm.TEXT:
            return grade_words(response, target, grading.get("others", ()))
        case AnswerForm.CHOICE:
            return grade_choice(response, target, grading["options"], grading["n_options"])


SMOKE = Benchmark(
    name="smoke",
    title="Smoke",
    metric="accuracy",
    licence="generated here, Apache-2.0",
    departures="none: the exam is this project's own",
    pins={None: PIN},
    presets=PRESETS,
    prompt="the generated question as it stands",
    scorer="short_answer/1",
    answer_kind="mixed",
    read_items=read_items,
    grade=grade,
)
