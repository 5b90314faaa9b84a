"""Recorded sides made from plain lists."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reports.divergence.records import CHUNK_TOKENS, RecordWriter, TextFacts, TokenChunk
from reports.divergence.side import MANIFEST, RECORDS, Side, read_side, record_path


def write_text(
    directory: Path,
    key: str,
    logprobs: Sequence[float],
    *,
    part: str = RECORDS,
    ids: Sequence[int] = (),
    texts: Sequence[str] = (),
    ranks: Sequence[int] = (),
    tops: Sequence[int] = (),
    **facts: Any,
) -> None:
    n = len(logprobs)
    given = {"sample_id": key, "temperature": 1.0, "top_p": 1.0, **facts}
    writer = RecordWriter(record_path(directory, key, part), TextFacts(key=key, **given))
    columns = {
        "ids": np.array(ids or range(n), dtype=np.int64),
        "logprobs": np.array(logprobs, dtype=np.float64),
        "ranks": np.array(ranks or [1] * n, dtype=np.int64),
        "tops": np.array(tops or range(n), dtype=np.int64),
    }
    pieces = list(texts) or [f" w{k}" for k in range(n)]
    for start in range(0, n, CHUNK_TOKENS):
        cut = slice(start, start + CHUNK_TOKENS)
        parts = {name: column[cut] for name, column in columns.items()}
        writer.add(TokenChunk(start=start, texts=pieces[cut], **parts))
    writer.finish()


def make_side(directory: Path, **facts: Any) -> Side:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / MANIFEST).write_text(json.dumps({"schema": 1, "label": directory.name, **facts}))
    return read_side(directory)


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Side, Side]:
    return make_side(tmp_path / "int4"), make_side(tmp_path / "nvfp4")


@pytest.fixture
def record() -> Callable[..., None]:
    """Return a function that records one text: ``record(side, key, logprobs, ids=, texts=, ranks=, tops=)``."""

    def write(side: Side, key: str, logprobs: Sequence[float], **more: Any) -> None:
        write_text(side.directory, key, logprobs, **more)

    return write
