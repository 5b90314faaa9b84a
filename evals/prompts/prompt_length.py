"""How long the prompts of a run are in tokens: an upper bound from their text, or the endpoint's own count."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson

from evals.endpoint import Endpoint, request_headers
from tasks.benchmark import Item

# Tokens of a prompt from its characters, as an upper bound: competition problems have 2.1 to 4.5 characters
# a token with a vocabulary of 49k, and a character outside ASCII costs at most about two.
_ASCII_PER_TOKEN = 2.0
_TOKENS_PER_OTHER = 2.0
_TEMPLATE_TOKENS = 64  # role marks and a default system message
_TOKENS_PER_IMAGE = 4_096  # the largest image that Kimi's vision encoder lets through
_COUNT_TIMEOUT_S = 15.0
_N_COUNTED = 8  # only the longest by estimate are worth asking about


@dataclass(frozen=True, kw_only=True)
class PromptLength:
    """The longest prompt of a run in tokens; ``is_exact`` where the endpoint's own tokenizer counted."""

    tokens: int
    sample_id: str
    is_exact: bool = False

    def __str__(self) -> str:
        return f"{self.tokens:,} prompt tokens ({'counted' if self.is_exact else 'estimated'})"


def estimate_tokens(text: str) -> int:
    """Return an upper bound of the tokens of ``text``, whatever the tokenizer."""
    n_ascii = sum(character.isascii() for character in text)
    return round(n_ascii / _ASCII_PER_TOKEN + (len(text) - n_ascii) * _TOKENS_PER_OTHER)


def longest_prompt(items: Sequence[Item]) -> PromptLength | None:
    """Return the estimate of the longest prompt, ``None`` without items."""
    lengths = [PromptLength(tokens=_item_tokens(item), sample_id=item.sample_id) for item in items]
    return max(lengths, key=lambda length: length.tokens, default=None)


def _item_tokens(item: Item) -> int:
    return estimate_tokens(_longest_text(item)) + _TOKENS_PER_IMAGE * len(item.images) + _TEMPLATE_TOKENS


def _longest_text(item: Item) -> str:
    """Return what is sent for an item: a whole request's messages and tools, or its longest form."""
    if item.request is None:
        return max((form.prompt for form in item.forms), key=len, default=item.prompt)
    if isinstance(prompt := item.request.get("prompt"), str):
        return prompt
    asked = {name: item.request[name] for name in ("messages", "tools") if name in item.request}
    return json.dumps(asked, ensure_ascii=False)


def count_longest(items: Sequence[Item], endpoint: Endpoint, engine: str | None) -> PromptLength | None:
    """Return the longest prompt as the endpoint's tokenizer counts it, ``None`` where it does not count.

    Only the few longest by estimate are counted. Images are not: their tokens are not in the text; nor are
    rendered prompts, and whole requests only where the endpoint takes messages.
    """
    is_whole = any(item.request is not None for item in items)
    if any(item.images for item in items) or (is_whole and engine != "vllm"):
        return None
    longest = sorted(items, key=_item_tokens, reverse=True)[:_N_COUNTED]
    counts = asyncio.run(_count_all(longest, endpoint, engine))
    known = [
        PromptLength(tokens=count, sample_id=item.sample_id, is_exact=True)
        for item, count in zip(longest, counts, strict=True)
        if count is not None
    ]
    if len(known) < len(longest):
        return None
    return max(known, key=lambda length: length.tokens, default=None)


async def _count_all(items: Sequence[Item], endpoint: Endpoint, engine: str | None) -> list[int | None]:
    url = f"{endpoint.base_url.rsplit('/', 1)[0]}/tokenize"
    timeout = aiohttp.ClientTimeout(total=_COUNT_TIMEOUT_S)
    async with aiohttp.ClientSession(headers=request_headers(endpoint), timeout=timeout) as session:
        return [await _count(session, url, _tokenize_body(item, endpoint, engine)) for item in items]


def _tokenize_body(item: Item, endpoint: Endpoint, engine: str | None) -> Mapping[str, Any]:
    """Return what each engine's tokenizer page takes; only vLLM's applies the chat template."""
    prompt = _longest_text(item)
    if engine == "vllm":
        asked: dict[str, Any] = {"messages": [{"role": "user", "content": prompt}]}
        if item.request is not None and "messages" in item.request:
            asked = {name: item.request[name] for name in ("messages", "tools") if item.request.get(name)}
        return {"model": endpoint.model, **asked, **_template_arguments(endpoint)}
    return {"model": endpoint.model, "prompt": prompt, "content": prompt}


def _template_arguments(endpoint: Endpoint) -> dict[str, Any]:
    given = {**endpoint.thinking_parameters(), **endpoint.extra_body}.get("chat_template_kwargs")
    return {"chat_template_kwargs": given} if isinstance(given, dict) else {}


async def _count(session: aiohttp.ClientSession, url: str, body: Mapping[str, Any]) -> int | None:
    try:
        async with session.post(url, data=orjson.dumps(body)) as http:
            answer = orjson.loads(await http.read()) if http.status == 200 else None
    except (aiohttp.ClientError, OSError, TimeoutError, orjson.JSONDecodeError):
        return None
    return _count_in(answer, has_template="messages" in body)


def _count_in(answer: object, *, has_template: bool) -> int | None:
    if not isinstance(answer, dict):
        return None
    count, tokens = answer.get("count"), answer.get("tokens")
    if not isinstance(count, int) or isinstance(count, bool):
        count = len(tokens) if isinstance(tokens, list) else 0
    if count < 1:
        return None
    return count if has_template else count + _TEMPLATE_TOKENS
