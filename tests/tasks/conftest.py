"""An AIME-like dataset made in code: nobody's problems, thirty rows, known answers."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.aime25 import AIME25
from tasks.benchmark import Benchmark
from tasks.data import dataset_digest
from tasks.reading import Reading


def made_rows(n: int = 30) -> list[dict[str, str]]:
    return [
        {"id": str(k), "problem": f"What is {k} times {k + 2}?", "answer": str(k * (k + 2) % 1000)}
        for k in range(n)
    ]


def write_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def rows():
    return made_rows()


@pytest.fixture
def rows_file(tmp_path, rows):
    return write_rows(tmp_path / "aime.jsonl", rows)


@pytest.fixture
def pinned(rows) -> Benchmark:
    """AIME 2025 as if the made rows were its pinned content."""
    items = AIME25.read_items(rows, Reading())
    pin = replace(AIME25.pin(None), content_hash=dataset_digest([item.content_hash for item in items]))
    return replace(AIME25, pins={None: pin})
