"""Whole request bodies: what is merged into them, and the bytes that carry everything else unchanged."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from evals.endpoint import Endpoint

_BUDGETS = ("max_tokens", "max_completion_tokens")


def merge(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``first`` with ``second`` laid over it; objects in both are merged one level deep."""
    merged = dict(first)
    for name, value in second.items():
        before = merged.get(name)
        merged[name] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value
    return merged


def is_completion(raw: Mapping[str, Any]) -> bool:
    """Return whether a body is one of the completions endpoint: a prompt in place of messages."""
    return "prompt" in raw and "messages" not in raw


def whole_body(raw: Mapping[str, Any], sampling: Mapping[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """Return the body as it is sent: its own keys in their own order, nulls and unknown ones too.

    Merged in are the model, the ``sampling`` that is set (the budget under the name that the body uses for
    it), the switch for thinking (not for a rendered prompt, which has it already), the extra body, and the
    stream settings.
    """
    body = {**raw, "model": endpoint.model}
    for name, value in sampling.items():
        own = [budget for budget in _BUDGETS if raw.get(budget) is not None] if name == "max_tokens" else []
        body |= dict.fromkeys(own or [name], value)
    if not is_completion(raw):
        body = merge(body, endpoint.thinking_parameters())
    return _with_stream_settings(merge(body, endpoint.extra_body))


def _with_stream_settings(body: dict[str, Any]) -> dict[str, Any]:
    """Ask a stream for its usage; leave out the options of a stream where none is asked, as servers demand."""
    options = body.get("stream_options")
    if body.get("stream") is True:
        own = options if isinstance(options, dict) else {}
        return {**body, "stream_options": {**own, "include_usage": True}}
    if options is None:
        return body
    return {name: value for name, value in body.items() if name != "stream_options"}


def encode_whole(body: Mapping[str, Any]) -> bytes:
    """Return the bytes of a body as Python read it: huge integers and halves of surrogate pairs included."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair stands only as an escape
        return json.dumps(body, separators=(",", ":")).encode()


def whole_key(body: Mapping[str, Any], salt: str) -> str:
    """Return the key under which the answer to a whole request is journalled."""
    return hashlib.sha256(encode_whole(body) + b"\n" + salt.encode()).hexdigest()[:32]
