import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.exam import ExamSource, load_exam
from tasks.images import SCHEME
from tasks.ocrbench import OCRBENCH, grade, read_references
from tasks.rows import DataError
from verifiers.response import Response

Table = Callable[..., list[dict[str, Any]]]
Write = Callable[..., Path]


def test_rows_of_the_hub_are_read_with_their_images(ocr_table: Table, write_rows: Write) -> None:
    exam = load_exam(OCRBENCH, path=write_rows("ocr.parquet", ocr_table()))
    assert exam.dataset.n_items == 1000
    assert exam.dataset.is_pinned_content is False  # made up: told, not refused
    item = exam.items[0]
    assert item.prompt == "What does the sign say?"
    assert item.images[0].startswith(SCHEME)
    assert item.images_first
    assert item.grading == {"answers": ["word0x"], "category": "Regular Text Recognition"}
    assert len({each.content_hash for each in exam.items}) == 1000


def test_the_annotation_file_takes_its_images_from_beside_it_or_from_the_image_root(
    tmp_path: Path, ocr_table: Table, write_rows: Write, png: Callable[..., bytes]
) -> None:
    rows = [
        {
            "question": row["question"],
            "answers": row["answer"][0] if number % 2 else row["answer"],
            "type": row["question_type"],
            "image_path": f"set/{number % 5}.png",
        }
        for number, row in enumerate(ocr_table(images=False))
    ]
    path = write_rows("OCRBench.json", rows)
    with pytest.raises(DataError, match=r"row 0: image file 'set/0.png' is not inside .*--image-root"):
        load_exam(OCRBENCH, path=path)
    for root in (tmp_path, tmp_path / "elsewhere"):
        (root / "set").mkdir(parents=True)
        for number in range(5):
            (root / "set" / f"{number}.png").write_bytes(png((number, 0, 0)))
    beside = load_exam(OCRBENCH, path=path)
    source = ExamSource(path=path, image_root=tmp_path / "elsewhere")
    assert load_exam(OCRBENCH, source=source).dataset == beside.dataset
    assert beside.items[7].source_id == "set/2.png"


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        pytest.param(
            {"Doc-oriented VQA": 199, "Key Information Extraction": 201},
            [
                "group Doc-oriented VQA has 199 items, expected 200",
                "group Key Information Extraction has 201",
            ],
            id="same number of rows",
        ),
        pytest.param(
            {"Digit String Recognition": 49},
            ["group Text Recognition has 299 items, expected 300"],
            id="a row less",
        ),
        pytest.param(
            {"Handwritten Mathematical Expression Recognition": 0},
            ["group Handwritten Mathematical Expression Recognition has 0 items, expected 100"],
            id="a group is missing",
        ),
    ],
)
def test_wrong_group_totals_are_refused_by_name(
    ocr_table: Table, write_rows: Write, changes: dict[str, int], named: list[str]
) -> None:
    path = write_rows("ocr.jsonl", ocr_table(images=False, **changes))
    with pytest.raises(DataError) as refusal:
        load_exam(OCRBENCH, source=ExamSource(path=path, with_images=False))
    assert all(words in str(refusal.value) for words in named)


def test_an_unknown_type_is_refused_by_name(ocr_table: Table, write_rows: Write) -> None:
    rows = ocr_table(images=False)
    rows[4]["question_type"] = "Barcode Reading"
    with pytest.raises(DataError, match="row 4: type 'Barcode Reading'"):
        load_exam(OCRBENCH, source=ExamSource(path=write_rows("a.jsonl", rows), with_images=False))


@pytest.mark.parametrize(
    ("value", "references"),
    [
        pytest.param("CENTRE", ["CENTRE"], id="a text is one reference, not its letters"),
        pytest.param(["a", " b\n"], ["a", "b"], id="a list"),
        pytest.param("['a', 'b']", ["a", "b"], id="a list in a text"),
        pytest.param("[5]", ["[5]"], id="a text in brackets"),
        pytest.param("['open", ["['open"], id="half a list"),
        pytest.param([5], ["5"], id="a number"),
    ],
)
def test_references_are_a_text_or_a_list(value: Any, references: list[str]) -> None:
    assert read_references(value, "row 0") == references


@pytest.mark.parametrize("value", ["", "  ", [], ["a", ""], [None], None, 7, {}])
def test_empty_references_are_refused(value: Any) -> None:
    with pytest.raises(DataError, match="row 0"):
        read_references(value, "row 0")


def test_both_scores_are_given() -> None:
    response = Response(content="The number is 1005", finish_reason="stop")
    verdict = grade(response, "5", {"answers": ["5"], "category": "Digit String Recognition"})
    assert (verdict.score, verdict.secondary) == (1.0, {"exact": 0.0})


def test_the_official_annotations_load_whole(shared_data: Path) -> None:
    path = shared_data / "ocrbench" / "OCRBench.json"
    exam = load_exam(OCRBENCH, source=ExamSource(path=path, with_images=False))
    assert exam.dataset.n_items == 1000
    assert exam.dataset.is_pinned_content is True
    rows = json.loads(path.read_text(encoding="utf-8"))
    assert [item.source_id for item in exam.items] == [row["image_path"] for row in rows]
