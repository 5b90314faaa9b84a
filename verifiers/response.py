"""One model output as the endpoint gave it: the value every verifier reads."""

from dataclasses import dataclass

TRUNCATING_FINISH_REASONS = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Token counts of one response; ``None`` where the endpoint did not say (never 0 for unknown)."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One tool call with its ``arguments`` exactly as sent: text, never parsed or repaired.

    ``arguments`` is ``None`` where the field was null or absent; a server that sent a JSON value instead
    of text gets that value's JSON text here, ``is_text`` false and the flag ``args_not_string`` on the
    response.
    """

    id: str | None
    name: str | None
    arguments: str | None
    is_text: bool = True


@dataclass(frozen=True, kw_only=True)
class Response:
    """One model output. Text fields are exactly what arrived; ``None`` means null or absent.

    ``content`` may still hold thinking text (see :mod:`verifiers.visible_text`). ``finish_reason`` is the
    endpoint's own word, standard or not; ``None`` means that the response never finished (a cut stream).
    ``flags`` name faults of the wire: ``duplicate_index``, ``finish_reason_twice``, ``empty_deltas`` ...
    """

    content: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None
    flags: tuple[str, ...] = ()
    refusal: str | None = None

    @property
    def is_truncated(self) -> bool:
        """Whether the token budget, not the model, ended the response."""
        return self.finish_reason in TRUNCATING_FINISH_REASONS
