"""Texts from a file of JSON lines: conversations, prompts with responses, plain texts or token ids."""

import json
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from evals.divergence.text import PlannedText, Text, TextError, Texts
from evals.prompts.prompt_length import estimate_tokens
from reports.json_text import parse_json
from tasks.rows import DataError

_SHAPES = "messages and response, prompt and response, text, or token_ids"


def read_file_texts(path: Path) -> Texts:
    """Return the texts in a file; each line is read again when its turn comes.

    Raises :class:`tasks.rows.DataError` naming file and line.
    """
    planned: list[PlannedText] = []
    keys: Counter[str] = Counter()
    try:
        with path.open("rb") as file:
            start = 0
            for number, line in enumerate(file, start=1):
                if line.strip():
                    text = _text(path, number, line)
                    keys[text.key] += 1
                    planned.append(_planned(path, number, start, text))
                start += len(line)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error}); check the path") from None
    if not planned:
        raise DataError(f"{path}: holds no text; one JSON object a line is expected: {_SHAPES}")
    repeated = sum(count - 1 for count in keys.values())
    unique = {one.key: one for one in planned}
    left_out = {"the same text twice": repeated} if repeated else {}
    return Texts(planned=list(unique.values()), left_out=left_out, source=str(path))


def _planned(path: Path, number: int, start: int, text: Text) -> PlannedText:
    n_tokens, is_counted = length_of(text)
    return PlannedText(
        key=text.key, n_tokens=n_tokens, is_counted=is_counted, load=partial(_load, path, number, start)
    )


def length_of(text: Text) -> tuple[int, bool]:
    """Return the tokens of a text, and whether they are counted rather than estimated from above."""
    if text.token_ids or text.counted_tokens:
        return len(text.token_ids) or text.counted_tokens or 0, True
    asked = text.prompt if text.prompt is not None else json.dumps(list(text.messages), ensure_ascii=False)
    return estimate_tokens(asked) + estimate_tokens((text.reasoning or "") + text.content), False


def _load(path: Path, number: int, start: int) -> Text:
    with path.open("rb") as file:
        file.seek(start)
        return _text(path, number, file.readline())


def _text(path: Path, number: int, line: bytes) -> Text:
    try:
        row = parse_json(line)
    except ValueError as error:
        raise DataError(
            f"{path}: line {number} is no JSON ({error}); one object a line is expected"
        ) from None
    if not isinstance(row, dict):
        raise DataError(f"{path}: line {number} is no object; {_SHAPES} are expected")
    try:
        return text_of_row(row, number)
    except TextError as error:
        raise DataError(f"{path}: line {number}: {error}") from None


def text_of_row(row: Mapping[str, Any], number: int) -> Text:
    """Return the text in one row; raise :class:`TextError`."""
    common = {
        "sample_id": str(row.get("id", number)),
        "epoch": _of(row, "epoch", int, 1),
        "task": _of(row, "task", str, ""),
        "category": _of(row, "category", str, None),
        "temperature": _number(row, "temperature"),
        "top_p": _number(row, "top_p"),
    }
    if "token_ids" in row:
        ids = row["token_ids"]
        if not isinstance(ids, list) or len(ids) < 2 or not all(type(one) is int and one >= 0 for one in ids):
            raise TextError("token_ids is no list of two or more token numbers")
        return Text(**common, token_ids=ids, n_prompt_ids=_of(row, "n_prompt", int, 1))
    if "text" in row:
        return Text(**common, prompt="", content=_of(row, "text", str, ""))
    said = {"content": _of(row, "response", str, ""), "reasoning": _of(row, "reasoning", str, None)}
    if not said["content"] and not said["reasoning"]:
        raise TextError(f"response is empty or missing; {_SHAPES} are expected")
    if "prompt" in row:
        return Text(**common, prompt=_of(row, "prompt", str, ""), **said)
    messages = row.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(m, dict) for m in messages):
        raise TextError(f"has {', '.join(sorted(row)) or 'nothing'}; {_SHAPES} are expected")
    return Text(
        **common,
        messages=messages,
        tools=_of(row, "tools", list, []),
        template=_of(row, "chat_template_kwargs", dict, {}),
        **said,
    )


def _of(row: Mapping[str, Any], name: str, kind: type, default: Any) -> Any:
    value = row.get(name)
    if value is None:
        return default
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TextError(f"{name} is {str(value)[:60]!r}; a {kind.__name__} is expected")
    return value


def _number(row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TextError(f"{name} is {str(value)[:60]!r}; a number is expected")
    return float(value)
