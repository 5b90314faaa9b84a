"""Datasets of our own making in the shapes of the real ones; no benchmark text anywhere."""

import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from tasks.aime25 import AIME25
from tasks.benchmark import Benchmark
from tasks.data import dataset_digest
from tasks.reading import Reading

OCR_TYPES = {
    "Regular Text Recognition": 50,
    "Irregular Text Recognition": 50,
    "Artistic Text Recognition": 50,
    "Handwriting Recognition": 50,
    "Digit String Recognition": 50,
    "Non-Semantic Text Recognition": 50,
    "Scene Text-centric VQA": 200,
    "Doc-oriented VQA": 200,
    "Key Information Extraction": 200,
    "Handwritten Mathematical Expression Recognition": 100,
}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep the tests away from the user's caches, tokens and network."""
    monkeypatch.setenv("QUANTCHECK_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("HF_TOKEN", raising=False)
    yield


@cache
def make_png(colour: Any = "white", size: tuple[int, int] = (8, 4), mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size, colour).save(buffer, format="PNG")
    return buffer.getvalue()


@pytest.fixture
def png() -> Callable[..., bytes]:
    """Return a function that makes a small PNG of one colour; each colour is another image."""
    return make_png


def gpqa_row(number: int, **changes: Any) -> dict[str, Any]:
    row = {
        "Record ID": f"rec{number:04d}",
        "Question": f"Made-up question {number}?",
        "Correct Answer": f"right {number}",
        **{f"Incorrect Answer {place}": f"wrong {number}.{place}" for place in (1, 2, 3)},
        "Subdomain": ("Genetics", "Astrophysics")[number % 2],
        "High-level domain": "Physics",
    }
    return row | changes


@pytest.fixture
def gpqa_rows() -> Callable[..., list[dict[str, Any]]]:
    """Return a function that makes rows with the columns of GPQA; changes apply to every row."""
    return lambda n=198, **changes: [gpqa_row(number, **changes) for number in range(n)]


def ocr_rows(per_type: dict[str, int], images: bool = True) -> list[dict[str, Any]]:
    names = [name for name, n in per_type.items() for _ in range(n)]
    return [
        {
            "question": "What does the sign say?",
            "answer": [f"word{number}x"],
            "question_type": name,
            "dataset": "made up",
            **(
                {"image": {"bytes": make_png((number % 256, number // 256, 7)), "path": None}}
                if images
                else {}
            ),
        }
        for number, name in enumerate(names)
    ]


@pytest.fixture
def ocr_table() -> Callable[..., list[dict[str, Any]]]:
    """Return a function that makes rows as OCRBench has them: ``changes`` to the number of items of a type."""
    return lambda images=True, **changes: ocr_rows(
        OCR_TYPES | {key.replace("_", " "): n for key, n in changes.items()}, images
    )


def mmmu_row(number: int, n_options: int = 10, **changes: Any) -> dict[str, Any]:
    row = {
        "id": f"made_up_{number}",
        "question": f"Made-up question {number}: what does <image 1> show?",
        "options": repr([f"option {number}.{place}" for place in range(n_options)]),
        "answer": "ABCDEFGHIJ"[number % n_options],
        "subject": ("Art", "Biology")[number % 2],
        "topic_difficulty": "Easy",
        "img_type": "['Photographs']",
        **{f"image_{place}": None for place in range(2, 8)},
        "image_1": {"bytes": make_png((number % 256, number // 256, 9)), "path": None},
    }
    return row | changes


@pytest.fixture
def mmmu_rows() -> Callable[..., list[dict[str, Any]]]:
    """Return a function that makes rows as MMMU-Pro's standard configurations have them."""
    return lambda n=1730, n_options=10: [mmmu_row(number, n_options) for number in range(n)]


@pytest.fixture
def write_rows(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rows to a file whose format its name says, and returns the path."""

    def write(name: str, rows: list[dict[str, Any]]) -> Path:
        path = tmp_path / name
        if path.suffix == ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        elif path.suffix == ".csv":
            with path.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        else:
            lines = [json.dumps(row) for row in rows]
            text = "\n".join(lines) if path.suffix == ".jsonl" else f"[{','.join(lines)}]"
            path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def shared_data() -> Path:
    """Return the folder of real public data, which is no part of the project; skip where it is absent."""
    folder = Path(os.environ.get("QUANTCHECK_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no folder of real data; name one with QUANTCHECK_SHARED_DATA")
    return folder


def made_rows(n: int = 30) -> list[dict[str, str]]:
    return [
        {"id": str(k), "problem": f"What is {k} times {k + 2}?", "answer": str(k * (k + 2) % 1000)}
        for k in range(n)
    ]


def write_aime_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def rows():
    return made_rows()


@pytest.fixture
def rows_file(tmp_path, rows):
    return write_aime_rows(tmp_path / "aime.jsonl", rows)


@pytest.fixture
def pinned(rows) -> Benchmark:
    """AIME 2025 as if the made rows were its pinned content."""
    items = AIME25.read_items(rows, Reading())
    pin = replace(AIME25.pin(None), content_hash=dataset_digest([item.content_hash for item in items]))
    return replace(AIME25, pins={None: pin})
