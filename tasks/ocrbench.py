"""OCRBench: 1,000 questions about text in images, of 10 types in 5 groups.

Source: ``echo840/OCRBench`` on the Hugging Face hub, or the official annotation file with its images.
Metric: the number of answers that hold a reference text, of 1,000 (the official rule); beside it an exact
score that wants the reference as whole tokens. The prompt is the question alone, after the image.
Departs from the source in grading visible text only and in not grading what never finished.
"""

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tasks.benchmark import Benchmark, Item
from tasks.data import DataError, DatasetPin, HubCopy, Rows, content_digest, field_text
from tasks.reading import MAX_IMAGE_PIXELS, Reading
from tasks.rows import Row
from tasks.spec import Preset, Sampling
from verifiers.ocr_text import grade_ocr
from verifiers.outcome import Grade
from verifiers.response import Response

PROMPT = "{question}"
LAYOUT = "image, then text"  # part of the prompt's digest

RECOGNITION = "Text Recognition"
# Group of each type, and how many items a group has: a copy with other totals is not this benchmark.
GROUPS: Mapping[str, str] = {
    "Regular Text Recognition": RECOGNITION,
    "Irregular Text Recognition": RECOGNITION,
    "Artistic Text Recognition": RECOGNITION,
    "Handwriting Recognition": RECOGNITION,
    "Digit String Recognition": RECOGNITION,
    "Non-Semantic Text Recognition": RECOGNITION,
    "Scene Text-centric VQA": "Scene Text-centric VQA",
    "Doc-oriented VQA": "Doc-oriented VQA",
    "Key Information Extraction": "Key Information Extraction",
    "Handwritten Mathematical Expression Recognition": "Handwritten Mathematical Expression Recognition",
}
GROUP_TOTALS: Mapping[str, int] = {
    RECOGNITION: 300,
    "Scene Text-centric VQA": 200,
    "Doc-oriented VQA": 200,
    "Key Information Extraction": 200,
    "Handwritten Mathematical Expression Recognition": 100,
}
_TYPES = {name.casefold(): name for name in GROUPS}

PIN = DatasetPin(
    name="echo840/OCRBench",
    n_items=1000,
    text_hash="573dd4e9c1c22fd4",  # of the official annotation file
    hub=HubCopy(repo="echo840/OCRBench", config="default", split="test", revision=None),
    terms=" (the official OCRBench.json beside its images, or a parquet file of the hub's)",
)

PRESETS = (
    Preset(
        name="kvv",
        max_tokens=16_384,
        epochs=1,
        thinking=Sampling(temperature=1.0, top_p=0.95),
        instant=Sampling(temperature=0.6, top_p=0.95),
        source="Kimi-Vendor-Verifier",
    ),
    Preset(
        name="sglang",
        max_tokens=4_096,
        epochs=1,
        thinking=Sampling(temperature=None, top_p=None),
        instant=Sampling(temperature=None, top_p=None),
        source="SGLang's Kimi-K2.6 page; small for a thinking model: expect truncation",
    ),
)


def read_items(rows: Rows, reading: Reading) -> Sequence[Item]:
    """Return one item a row, ``ocrbench-0`` ... in order; raise :class:`DataError` that names the row."""
    return [_item(row, index, reading) for index, row in enumerate(rows)]


def check_items(items: Sequence[Item], _variant: str | None) -> None:
    """Raise :class:`DataError` that names each group whose number of items is not the official one."""
    counts = Counter(GROUPS[item.category] for item in items if item.category)
    wrong = [
        f"group {name} has {counts[name]} items, expected {total}"
        for name, total in GROUP_TOTALS.items()
        if counts[name] != total
    ]
    if wrong:
        raise DataError(f"{'; '.join(wrong)}; check the copy, or pass --accept-dataset to run on it as it is")


def _item(row: Row, index: int, reading: Reading) -> Item:
    where = f"row {index}"
    question = field_text(row, "question", index)
    category = _type(field_text(row, ("question_type", "type", "category"), index), where)
    references = read_references(row.get("answer", row.get("answers")), where)
    images: tuple[str, ...] = ()
    if reading.with_images:
        images = (reading.image(row.get("image") or row.get("image_path"), where),)
    return Item(
        sample_id=f"ocrbench-{index}",
        prompt=PROMPT.format(question=question),
        target=references[0],
        content_hash=content_digest(question, category, *references, *images),
        text_hash=content_digest(question, category, *references),
        category=category,
        images=images,
        images_first=True,
        grading={"answers": references, "category": category},
        source_id=str(row["image_path"]) if row.get("image_path") else None,
    )


def _type(name: str, where: str) -> str:
    known = _TYPES.get(" ".join(name.split()).casefold())
    if known is None:
        raise DataError(f"{where}: type {name!r} is none of {', '.join(GROUPS)}")
    return known


def read_references(value: Any, where: str) -> list[str]:
    """Return the reference texts of a row: a list, one text alone, or the literal of a list of texts.

    Raises :class:`DataError` for no reference and for an empty one, which every answer would contain.
    """
    if isinstance(value, str):
        value = _literal_list(value) or [value]
    if not isinstance(value, list | tuple) or not value:
        raise DataError(f"{where}: no reference, found {type(value).__name__}; check the copy")
    references = [str(reference).strip() if reference is not None else "" for reference in value]
    if not all(references):
        raise DataError(f"{where}: an empty reference, which every answer would contain; check the copy")
    return references


def _literal_list(text: str) -> list[str] | None:
    """Return the texts of a list literal, as tables of text hold them; ``None`` for any other text."""
    if not text.lstrip().startswith(("['", '["')):
        return None
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    is_texts = isinstance(value, list) and all(isinstance(part, str) for part in value)
    return value if is_texts else None


def grade(response: Response, target: str, grading: Mapping[str, Any]) -> Grade:
    """Grade by the official containment rule, with the exact score beside it."""
    return grade_ocr(response, grading.get("answers") or target, grading.get("category") or "")


OCRBENCH = Benchmark(
    name="ocrbench",
    title="OCRBench",
    metric="score of 1,000",
    licence="MIT",
    departures="visible text only is graded; unfinished responses are errors; an exact score beside the official",
    pins={None: PIN},
    presets=PRESETS,
    prompt=f"{PROMPT}\n({LAYOUT})",
    scorer="ocr_containment/1",
    answer_kind="ocr",
    read_items=read_items,
    check_items=check_items,
    grade=grade,
    groups=GROUPS,
    options=(MAX_IMAGE_PIXELS,),
)
