"""Text out of the message fields that are usually a string and sometimes a list of parts or an object."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from verifiers.wire_frame import json_text

REASONING_PART_TYPES = frozenset({"thinking", "reasoning", "reasoning_content"})
_SILENT_PART_TYPES = frozenset({"reasoning.encrypted", "redacted_thinking", "signature"})
_TEXT_KEYS = ("text", "summary", "thinking", "content", "reasoning", "refusal")


@dataclass(frozen=True, kw_only=True)
class FieldText:
    """What one field says; ``is_odd`` where it held something that is not text and is shown as JSON."""

    text: str = ""
    reasoning: str = ""
    is_odd: bool = False


def read_field(value: object) -> FieldText:
    """Read a string, a list of parts or a single part; thinking parts go to ``reasoning``."""
    parts = value if isinstance(value, list) else [value]
    texts: list[str] = []
    thoughts: list[str] = []
    is_odd = False
    for part in parts:
        kind = part.get("type") if isinstance(part, Mapping) else None
        text = _part_text(part)
        is_odd = is_odd or text is None
        is_thought = isinstance(kind, str) and kind in REASONING_PART_TYPES
        (thoughts if is_thought else texts).append(json_text(part) if text is None else text)
    return FieldText(text="".join(texts), reasoning="".join(thoughts), is_odd=is_odd)


def merge_reasoning(texts: list[str]) -> str:
    """One reasoning text out of several fields, in order of arrival: copies count once.

    Endpoints fill ``reasoning`` and ``reasoning_content`` with the same text, and ``reasoning_details``
    with the same text in other white space. Fields that truly differ are all kept.
    """
    if len(texts) < 2:
        return "".join(texts)
    kept: list[str] = []
    for text in sorted(texts, key=len, reverse=True):
        squeezed = _squeeze(text)
        if not any(squeezed in _squeeze(longer) for longer in kept):
            kept.append(text)
    return "".join(text for text in texts if text in kept) if len(kept) > 1 else "".join(kept)


def merge_messages(text: str, messages: list[str]) -> str:
    """Text of ``message`` objects in a stream: fragments, ever longer beginnings, or one closing copy."""
    is_cumulative = all(later.startswith(earlier) for earlier, later in pairwise(messages))
    whole = messages[-1] if is_cumulative else "".join(messages)
    return whole if whole.startswith(text) else text + whole


def _part_text(part: object) -> str | None:
    """The text of one part, ``None`` where it has none that we know of."""
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, Mapping):
        return None
    kind = part.get("type")
    if isinstance(kind, str) and kind in _SILENT_PART_TYPES:
        return ""
    for key in _TEXT_KEYS:
        value = part.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and (texts := [_inner_text(item) for item in value]):
            return "".join(text or "" for text in texts)
    return None


def _inner_text(item: object) -> str | None:
    """The text of a part's own part, as in ``{"type": "thinking", "thinking": [{"text": ...}]}``."""
    text = item.get("text") if isinstance(item, Mapping) else item
    return text if isinstance(text, str) else None


def _squeeze(text: str) -> str:
    return "".join(text.split())
