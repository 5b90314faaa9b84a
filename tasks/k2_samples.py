"""Read the K2 vendor verifier's samples: whole request bodies, one a line, numbered by line."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson

from tasks.rows import DataError, Row

DATA_INDEX, REQUEST, BROKEN = "data_index", "request", "broken"
MAX_LINE_BYTES = 64 * 1024**2


def read_samples(path: Path) -> list[Row]:
    """Return one row a line that is not blank: its number from 1 and its request, or what is broken in it.

    Official results are joined by this number, so that a line keeps it whatever happens to the others.
    Lines of a results file hold their number and request themselves. Raises :class:`DataError` where the
    file cannot be read or holds nothing.
    """
    try:
        with path.open("rb") as lines:
            rows = list(_rows(lines))
    except OSError as error:
        words = error.strerror or str(error)
        raise DataError(f"dataset path {str(path)!r}: cannot be read ({words}); check the path") from error
    if not rows:
        raise DataError(f"dataset path {str(path)!r}: holds no rows; check that the download is complete")
    return rows


def _rows(lines: Iterator[bytes]) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            yield _row(number, line)


def _row(number: int, line: bytes) -> dict[str, Any]:
    try:
        if len(line) > MAX_LINE_BYTES:
            raise ValueError(f"{len(line):,} bytes, at most {MAX_LINE_BYTES:,} are read")
        value = json.loads(line)
    except RecursionError:
        return {DATA_INDEX: number, BROKEN: "nested too deeply"}
    except json.JSONDecodeError as error:
        return {DATA_INDEX: number, BROKEN: f"not JSON ({error.msg})"}
    except ValueError as error:
        return {DATA_INDEX: number, BROKEN: str(error)}
    return sample_row(number, value)


def sample_row(number: int, value: object) -> dict[str, Any]:
    """Return the row of one sample from its request body, or from a result that holds one."""
    if isinstance(value, Mapping) and "messages" not in value and isinstance(value.get(REQUEST), Mapping):
        index = value.get(DATA_INDEX, number)
        number = index if isinstance(index, int) and not isinstance(index, bool) else number
        value = value[REQUEST]
    if not isinstance(value, Mapping):
        return {DATA_INDEX: number, BROKEN: f"a JSON {type(value).__name__}, not an object"}
    messages = value.get("messages")
    if not isinstance(messages, list) or not messages:
        return {DATA_INDEX: number, BROKEN: "no messages"}
    return {DATA_INDEX: number, REQUEST: with_known_roles(value)}


def with_known_roles(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the request with the role ``_input``, which no server knows, as ``system``; else as it stands."""
    return {
        name: [_with_known_role(message) for message in value] if name == "messages" else value
        for name, value in request.items()
    }


def _with_known_role(message: Any) -> Any:
    if not isinstance(message, Mapping) or message.get("role") != "_input":
        return message
    return {name: "system" if name == "role" else value for name, value in message.items()}


def request_digest(request: Mapping[str, Any]) -> str:
    """Return 16 hex digits of what is asked: the same whatever the model, the sampling and the transport.

    As :mod:`reports.foreign_rows` digests the requests in Moonshot's own result files, so that runs of both
    meet by content.
    """
    asked = {"messages": request.get("messages"), "tools": request.get("tools")}
    try:
        content = orjson.dumps(asked, option=orjson.OPT_SORT_KEYS)
    except (TypeError, RecursionError):  # half a surrogate pair, or an integer beyond 64 bits
        content = json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()[:16]
