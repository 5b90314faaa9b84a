"""Results of a tool-call run in the shape of Moonshot's verifier, made here: no row of anybody's data."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def result(
    index: int, calls: int = 0, *, valid: bool | None = None, finish: str | None = "", **more: Any
) -> Any:
    """Return one line: ``calls`` tool calls and the finish reason that goes with them unless another is given."""
    reason = ("tool_calls" if calls else "stop") if finish == "" else finish
    call = {"id": "functions.f:0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": "", "tool_calls": [call] * calls or None}
    row = {
        "data_index": index,
        "request": {
            "model": "made-here",
            "messages": [{"role": "user", "content": str(index)}],
            "stream": True,
        },
        "response": {"choices": [{"index": 0, "message": message, "finish_reason": reason}]},
        "status": "success",
        "finish_reason": reason,
        "tool_calls_valid": valid if calls else None,
        "hash": "h",
    }
    return row | more


def failed(index: int) -> Any:
    """Return the line of a request that the endpoint did not answer."""
    return result(index, finish=None, status="failed", response={"error": "HTTP 500"})


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    """Write one line a row; a text stands as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path
