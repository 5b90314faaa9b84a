"""Plain replies and stream chunks to read, and short ways to write them."""

from typing import Any

from verifiers.completion import (
    CompletionAssembler,
)
from verifiers.response import Response, Usage

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
READ_USAGE = Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15)


def body(message: Any, finish: Any = "stop", usage: Any = USAGE, **choice: Any) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, **choice}],
        "usage": usage,
    }


def chunk(delta: Any = None, finish: Any = None, index: Any = 0, **more: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": {} if delta is None else delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "choices": [choice], **more}


def tools(*items: Any) -> dict[str, Any]:
    return chunk({"tool_calls": list(items)})


def piece(
    arguments: Any = None, *, name: Any = None, id: Any = None, index: Any = 0, **more: Any
) -> dict[str, Any]:
    """One streamed tool-call item; ``None`` leaves the key out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    fields = {"index": index, "id": id, "function": function or None, **more}
    return {key: value for key, value in fields.items() if value is not None}


def stream(*chunks: Any) -> Response:
    assembler = CompletionAssembler()
    for item in chunks:
        assembler.add(item)
    return assembler.finish()


def calls(response: Response) -> list[tuple[str | None, str | None, str | None]]:
    return [(call.id, call.name, call.arguments) for call in response.tool_calls]


END = chunk({}, "tool_calls")
