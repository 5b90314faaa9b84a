"""MMMU-Pro: 1,730 multiple-choice questions with images from 30 subjects, in three variants.

Source: ``MMMU/MMMU_Pro`` on the Hugging Face hub. ``standard (10 options)`` and ``standard (4 options)`` ask
in text with images, ``vision`` shows a picture of the whole question. Metric: accuracy, per subject beside.
The layout follows the official code: question, options, instruction, then every image that the text names,
once, in order of mention. Departs from it in the prompt's words, in numbering the image marks in the order
sent (the official code makes them all alike), and in never guessing where no letter is stated.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.benchmark import Benchmark, Item
from tasks.choices import gold_letter, parse_options, refuse_constant_gold, render_options
from tasks.data import DataError, DatasetPin, HubCopy, Rows, content_digest, field_text
from tasks.reading import MAX_IMAGE_PIXELS, Reading
from tasks.rows import Row
from tasks.spec import Preset, Sampling
from verifiers.choice_letter import grade_choice
from verifiers.outcome import Grade
from verifiers.response import Response

TEN, FOUR, VISION = "standard (10 options)", "standard (4 options)", "vision"
# As the rows have them: "10 options" is a name, 28 rows have 2 (true or false) and one has 12.
FEWEST_OPTIONS = 2
MOST_OPTIONS = 12
USUAL_OPTIONS: Mapping[str | None, int] = {TEN: 10, FOUR: 4, VISION: 10}
REVISION = "563f3e84bb3b90893083a1f039cfa13077f2302b"  # after the corrections of May 2026

CLOSE = "close with one line that reads 'Answer: X', where X is the letter of the option you choose."
STANDARD_PROMPT = "{question}\n\n{options}\n\nThink this multiple-choice question through, then " + CLOSE
VISION_PROMPT = (
    "The picture shows a multiple-choice question with its options. Write the question out, think it "
    "through step by step, then " + CLOSE
)
_MARK = re.compile(r"<\s*image\s+(\d+)\s*>", re.IGNORECASE)


def _pin(config: str) -> DatasetPin:
    return DatasetPin(
        name=f"MMMU/MMMU_Pro [{config}]",
        n_items=1730,
        hub=HubCopy(repo="MMMU/MMMU_Pro", config=config, split="test", revision=REVISION),
        terms=" (the hub's parquet files of this configuration, or a snapshot of the whole repository)",
    )


PRESETS = (
    Preset(
        name="kvv",
        max_tokens=65_536,
        epochs=1,
        thinking=Sampling(temperature=1.0, top_p=0.95),
        instant=Sampling(temperature=0.6, top_p=0.95),
        source="Kimi-Vendor-Verifier",
    ),
    Preset(
        name="sglang",
        max_tokens=32_768,
        epochs=1,
        thinking=Sampling(temperature=None, top_p=None),
        instant=Sampling(temperature=None, top_p=None),
        source="SGLang's Kimi-K2.6 page",
    ),
)


def read_items(rows: Rows, reading: Reading) -> Sequence[Item]:
    """Return one item a row; raise :class:`DataError` that names the row."""
    read = _vision_item if reading.variant == VISION else _standard_item
    items = [read(row, index, reading) for index, row in enumerate(rows)]
    refuse_constant_gold([item.target for item in items])
    return items


def check_items(items: Sequence[Item], variant: str | None) -> None:
    """Raise :class:`DataError` for the rows of one standard configuration under the name of the other."""
    n_large = sum(item.grading["n_options"] > USUAL_OPTIONS[FOUR] for item in items)
    found = TEN if n_large > len(items) / 2 else FOUR
    if variant in (TEN, FOUR) and variant != found:
        raise DataError(
            f"{n_large} of {len(items)} rows have more than 4 options, so these are not the rows of "
            f"{variant!r}; pass --variant {found!r}"
        )


def _standard_item(row: Row, index: int, reading: Reading) -> Item:
    where = f"row {index}"
    if not any(row.get(f"image_{number}") for number in range(1, 8)) and row.get("image"):
        raise DataError(f"{where}: has one 'image' and no 'image_1': rows of another; pass --variant vision")
    options = _options(row, where)
    question = field_text(row, "question", index)
    numbers = mentioned_images(question, options) or _held_images(row)
    images: tuple[str, ...] = ()
    if reading.with_images:
        images = tuple(
            reading.image(row.get(f"image_{number}"), f"{where}, <image {number}>") for number in numbers
        )
    places = {number: place for place, number in enumerate(numbers, 1)}
    shown = [_renumbered(option, places) for option in options]
    prompt = STANDARD_PROMPT.format(question=_renumbered(question, places), options=render_options(shown))
    return _item(row, index, prompt=prompt, texts=(question, *options), options=shown, images=images)


def _vision_item(row: Row, index: int, reading: Reading) -> Item:
    where = f"row {index}"
    if row.get("image_1") and not row.get("image"):
        raise DataError(
            f"{where}: has 'image_1' and no 'image': rows of a standard variant; pass --variant {TEN!r}"
        )
    options = _options(row, where)
    images = (reading.image(row.get("image"), where),) if reading.with_images else ()
    return _item(row, index, prompt=VISION_PROMPT, texts=options, options=options, images=images)


def _item(
    row: Row,
    index: int,
    *,
    prompt: str,
    texts: Sequence[str],
    options: Sequence[str],
    images: tuple[str, ...],
) -> Item:
    letter = gold_letter(row.get("answer"), len(options), f"row {index}")
    is_vision = prompt == VISION_PROMPT
    return Item(
        sample_id=field_text(row, "id", index),
        prompt=prompt,
        target=letter,
        content_hash=content_digest(*texts, letter, *images),
        text_hash=content_digest(*texts, letter),
        category=str(row["subject"]).strip() if row.get("subject") else None,
        images=images,
        images_first=is_vision,
        grading={"options": list(options), "n_options": len(options)},
    )


def _options(row: Row, where: str) -> tuple[str, ...]:
    return parse_options(row.get("options"), where, fewest=FEWEST_OPTIONS, most=MOST_OPTIONS)


def mentioned_images(question: str, options: Sequence[str]) -> list[int]:
    """Return the numbers of the images that the text names, each once, in order: the question's first."""
    found = (int(number) for text in (question, *options) for number in _MARK.findall(text))
    return list(dict.fromkeys(found))


def _held_images(row: Row) -> list[int]:
    """Return the numbers of the images that a row holds: what to send where the text names none."""
    return [number for number in range(1, 8) if row.get(f"image_{number}")]


def _renumbered(text: str, places: Mapping[int, int]) -> str:
    """Return ``text`` with each mark naming the place of its image among those sent."""
    return _MARK.sub(lambda mark: f"<image {places[int(mark[1])]}>", text)


def grade(response: Response, target: str, grading: Mapping[str, Any]) -> Grade:
    """Grade by the letter last stated (:func:`verifiers.choice_letter.grade_choice`); nothing is guessed."""
    n_options = grading.get("n_options", USUAL_OPTIONS[TEN])
    return grade_choice(response, target, grading.get("options"), n_options)


MMMU_PRO = Benchmark(
    name="mmmu_pro",
    title="MMMU-Pro",
    metric="accuracy",
    licence="Apache-2.0",
    departures="own prompt wording; image marks numbered in the order sent; no random letter where none is stated",
    pins={name: _pin(name) for name in (TEN, FOUR, VISION)},
    presets=PRESETS,
    prompt=f"{STANDARD_PROMPT}\n(text, then images in order of mention)\n{VISION_PROMPT}\n(image, then text)",
    scorer="choice_letter/1",
    answer_kind="choice",
    read_items=read_items,
    check_items=check_items,
    grade=grade,
    default_variant=TEN,
    options=(MAX_IMAGE_PIXELS,),
    usual_options=USUAL_OPTIONS,
    variant_names={
        "standard": TEN,
        "standard-10": TEN,
        "10": TEN,
        "10 options": TEN,
        "standard-4": FOUR,
        "4": FOUR,
        "4 options": FOUR,
    },
)
