"""Read an answer book from JSON lines, naming the line and the field of whatever does not fit."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from evals.simulator.answers import AnswerBook, AnswerBookError, AnswerEntry, AnswerKind


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str):
        raise AnswerBookError(f"{name} is {value!r}; give a text")
    return value


def _texts(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = row.get(name)
    values = value if isinstance(value, list) else [value]
    if not values or not all(isinstance(item, str) for item in values):
        raise AnswerBookError(f"{name} is {value!r}; give a text or a list of texts")
    return tuple(values)


def _count(row: Mapping[str, Any], name: str, low: int, high: int) -> int:
    value = row.get(name)
    if type(value) is not int or not low <= value <= high:
        raise AnswerBookError(f"{name} is {value!r}; give a count from {low} to {high}")
    return value


def _kind(row: Mapping[str, Any]) -> AnswerKind:
    value = row.get("kind")
    if value not in list(AnswerKind):
        raise AnswerBookError(f"kind is {value!r}; give one of {', '.join(AnswerKind)}")
    return AnswerKind(value)


def _read_entry(row: Any) -> AnswerEntry:
    if not isinstance(row, dict):
        raise AnswerBookError(f"found {type(row).__name__}; each line is an object")
    given = {name for name, value in row.items() if value is not None}
    return AnswerEntry(
        task=_text(row, "task"),
        sample_id=_text(row, "sample_id"),
        prompt_text=_text(row, "prompt_text"),
        target=_texts(row, "target"),
        kind=_kind(row),
        n_options=_count(row, "n_options", 2, 26) if "n_options" in given else None,
        n_images=_count(row, "n_images", 0, 1000) if "n_images" in given else 0,
        image_sha256=_texts(row, "image_sha256") if "image_sha256" in given else (),
        messages_sha256=_text(row, "messages_sha256") if "messages_sha256" in given else None,
    )


def read_answer_book(path: Path) -> AnswerBook:
    """Read a JSON-lines file with the fields of :class:`AnswerEntry`, one sample a line."""
    entries = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entries.append(_read_entry(orjson.loads(line)))
        except (AnswerBookError, orjson.JSONDecodeError) as error:
            raise AnswerBookError(f"{path}, line {number}: {error}") from error
    return AnswerBook.from_entries(entries)
