"""The facts of a response that Inspect has no field for, carried in the output's metadata."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from inspect_ai.model import ContentReasoning, ContentText, ModelOutput

from verifiers.response import Response, ToolCall, Usage

RECORD = "quantcheck"  # key of ModelOutput.metadata
REQUEST_IDENTITY = "quantcheck_request"  # key of a user message's metadata: which response is asked for
REQUEST_IMAGES = (
    "quantcheck_images"  # key of a user message's metadata: references, and whether they come first
)
RAW_REQUEST = "raw_request"  # key of a user message's metadata: the whole body to send as it stands

# Inspect's words for what a provider other than ours saw. Its "unknown" stays: a cut stream is called so too.
_FINISH_REASONS = {"max_tokens": "length", "model_length": "length"}


def response_record(response: Response) -> dict[str, Any]:
    """Return what the message itself does not hold, as plain JSON values."""
    return {
        "finish_reason": response.finish_reason,
        "content_is_null": response.content is None,
        "wire_flags": list(response.flags),
        "usage": asdict(response.usage) if response.usage else None,
        "tool_calls": [asdict(call) for call in response.tool_calls],
        "refusal": response.refusal,
    }


def read_record(output: ModelOutput) -> Mapping[str, Any]:
    """Return the record that our provider left, empty for other providers."""
    record = (output.metadata or {}).get(RECORD)
    return record if isinstance(record, dict) else {}


def response_of(output: ModelOutput) -> Response:
    """Return the response an output stands for, from our provider exactly, from others as far as told."""
    record = read_record(output)
    reasoning, content = _texts(output)
    if not record:
        usage = output.usage
        return Response(
            content=content,
            reasoning=reasoning,
            finish_reason=_FINISH_REASONS.get(output.stop_reason, output.stop_reason),
            usage=Usage(
                prompt_tokens=usage.input_tokens,
                completion_tokens=usage.output_tokens,
                reasoning_tokens=usage.reasoning_tokens,
            )
            if usage
            else None,
        )
    return Response(
        content=None if record["content_is_null"] else content,
        reasoning=reasoning,
        tool_calls=tuple(ToolCall(**call) for call in record["tool_calls"]),
        finish_reason=record["finish_reason"],
        usage=Usage(**record["usage"]) if record["usage"] else None,
        flags=tuple(record["wire_flags"]),
        refusal=record.get("refusal"),
    )


def _texts(output: ModelOutput) -> tuple[str | None, str | None]:
    """Return reasoning and content of the first choice, ``None`` where there is none."""
    if not output.choices:
        return None, None
    contents = output.choices[0].message.content
    if isinstance(contents, str):
        return None, contents
    reasoning = "".join(part.reasoning for part in contents if isinstance(part, ContentReasoning))
    text = "".join(part.text for part in contents if isinstance(part, ContentText))
    return reasoning or None, text
