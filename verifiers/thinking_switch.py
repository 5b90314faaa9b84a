"""Whether a request switched thinking off, and whether its response thought all the same."""

import re
from collections.abc import Mapping
from typing import Any

from verifiers.response import Response
from verifiers.visible_text import is_blank, split_thinking

# Thinking aloud as checkpoints begin it: about the user in the third person, or talking to themselves. Only
# the opening counts. "We need to find" and "Let me solve this step by step" open honest answers too.
_OPENING_CHARACTERS = 300
_ASKING = (
    r"(?:is |was |has |just )?(?:asks?|asked|asking|wants?|wanted|says?|said|sent|requests?|requested|requesting"
    r"|needs?|wrote|gave|gives|provided|would like|seems|simply|greets?|greeted)"
)
_THINKING_ALOUD = re.compile(
    rf"(?:\A|[.!?\n]\s*)\W*(?:(?:okay|ok|alright|hmm+|so|well|now|here)\W+)*(?:the|this) user(?:'s)? {_ASKING}\b"
    r"|\A\W*(?:okay|ok|alright|right|well|so)?\W*(?:let me think\b|let's think\b|let's see\b|let me see\b)"
    r"|\A\W*(?:hmm+\b|(?:okay|ok|alright), (?:so|the|i|let)\b|wait,)"
    r"|\A\W*i (?:should|need to|must|have to|will|am asked to) (?:just |now |only )?"
    r"(?:respond|answer|reply|produce|output|provide|give)\b"
    r"|\A\W*(?:we|i) (?:are|am|were|was) asked\b"
    r"|\A\W*(?:好的，|嗯，|首先，)?(?:用户|我需要|让我想)",
    re.IGNORECASE,
)


def asks_no_thinking(request: Mapping[str, Any]) -> bool:
    """Whether a request body switches thinking off, in any of the spellings that servers know."""
    return thinking_asked(request) is False


def thinking_asked(request: Mapping[str, Any]) -> bool | None:
    """Return how a request body switches thinking, ``None`` where it says nothing; off wins over on."""
    template = request.get("chat_template_kwargs")
    values = [request.get("enable_thinking"), request.get("thinking"), request.get("reasoning")]
    if isinstance(template, Mapping):
        values += [template.get("thinking"), template.get("enable_thinking")]
    said = [switch for value in values if (switch := _switch(value)) is not None]
    if "none" in (request.get("reasoning_effort"), request.get("thinking_effort")):
        said.append(False)
    return all(said) if said else None


def without_switch(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body without anything that switches thinking."""
    kept = {name: value for name, value in request.items() if name not in ("thinking", "enable_thinking")}
    template = kept.get("chat_template_kwargs")
    if isinstance(template, Mapping):
        kept["chat_template_kwargs"] = {
            name: value for name, value in template.items() if name not in ("thinking", "enable_thinking")
        }
    return kept


def thinking_off_flags(response: Response) -> tuple[str, ...]:
    """Return what contradicts switched-off thinking: reasoning that came all the same, or looks like it.

    ``thinking_not_disabled``: reasoning in its own field, in tags within the content, or counted in usage.
    ``cot_in_content_suspected``: the content opens like thinking aloud; a suspicion, since no tag says so.
    """
    counted = response.usage.reasoning_tokens if response.usage else None
    flags = []
    split = split_thinking(response.content)
    if not is_blank(response.reasoning) or not is_blank(_untagged(split.thinking)) or counted:
        flags.append("thinking_not_disabled")
    if thinks_aloud(split.visible):
        flags.append("cot_in_content_suspected")
    return tuple(flags)


def thinks_aloud(text: str | None) -> bool:
    """Whether ``text`` opens like reasoning rather than like an answer."""
    return _THINKING_ALOUD.search((text or "").lstrip()[:_OPENING_CHARACTERS]) is not None


def _switch(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        kind, enabled = value.get("type"), value.get("enabled")
        if kind in ("enabled", "disabled"):
            return bool(kind == "enabled")
        return enabled if isinstance(enabled, bool) else None
    return None


def _untagged(thinking: str) -> str:
    """Return thinking text without its tags: a template that closes thinking at once leaves an empty pair."""
    return re.sub(
        r"</?\s*(?:\w+[:_])?(?:think|thinking|thought)\s*>|◁/?think▷", "", thinking, flags=re.IGNORECASE
    )
