"""Read responses that were recorded elsewhere: one row into the response a verifier reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifiers.completion import CompletionAssembler, UnusableReplyError, read_completion
from verifiers.response import Response


class RowError(ValueError):
    """A row that says too little, or something that cannot be: names the field and what it holds."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One recorded response. ``response`` is ``None`` where the endpoint gave none: ``fault`` says why."""

    sample_id: str | int
    epoch: int
    response: Response | None
    fault: str = ""


def read_recorded(row: Mapping[str, Any]) -> Recorded:
    """Return the response in a row: a whole completion (``raw``), its ``chunks``, or its text (``response``).

    Where the text stands alone a missing ``finish_reason`` means that the model stopped by itself; one that
    is null means that the response never finished. Raises :class:`RowError`.
    """
    sample_id, epoch = row.get("id"), row.get("epoch", 1)
    if isinstance(sample_id, bool) or not isinstance(sample_id, str | int) or sample_id == "":
        raise RowError(f"id is {sample_id!r}; a text or a number is expected")
    if isinstance(epoch, bool) or not isinstance(epoch, int) or epoch < 0:
        raise RowError(f"epoch is {epoch!r}; a number from 1 is expected")
    try:
        response = _response(row)
    except UnusableReplyError as error:
        return Recorded(
            sample_id=sample_id, epoch=epoch, response=None, fault=str(error) or type(error).__name__
        )
    return Recorded(sample_id=sample_id, epoch=epoch, response=response)


def _response(row: Mapping[str, Any]) -> Response:
    if "raw" in row:
        return read_completion(_object(row["raw"], "raw"))
    if "chunks" in row:
        return _assembled(row["chunks"])
    if "response" not in row:
        raise RowError(f"no response: one of response, raw and chunks is expected; found {', '.join(row)}")
    response = row["response"]
    if isinstance(response, Mapping):
        return read_completion(response)
    return Response(
        content=_text(response, "response"),
        reasoning=_text(row.get("reasoning", row.get("reasoning_content")), "reasoning"),
        finish_reason=_text(row.get("finish_reason", "stop"), "finish_reason"),
    )


def _assembled(chunks: Any) -> Response:
    if not isinstance(chunks, Sequence) or isinstance(chunks, str):
        raise RowError(f"chunks is a {type(chunks).__name__}; a list of stream chunks is expected")
    assembler = CompletionAssembler()
    for place, chunk in enumerate(chunks):
        if isinstance(chunk, str) and chunk.removeprefix("data:").strip() in ("", "[DONE]"):
            continue
        assembler.add(_object(chunk, f"chunks[{place}]"))
    return assembler.finish()


def _object(value: Any, name: str) -> Mapping[str, Any]:
    """Return a JSON object, also where it was recorded as the text that came over the wire."""
    if isinstance(value, str):
        try:
            value = json.loads(value.removeprefix("data:"))
        except (ValueError, RecursionError) as error:
            raise UnusableReplyError(f"{name}: not JSON: {value[:80]!r}") from error
    if not isinstance(value, Mapping):
        raise RowError(f"{name} is a {type(value).__name__}; a JSON object is expected")
    return value


def _text(value: Any, name: str) -> str | None:
    if value is not None and not isinstance(value, str):
        raise RowError(f"{name} is a {type(value).__name__}; a text or null is expected")
    return value
