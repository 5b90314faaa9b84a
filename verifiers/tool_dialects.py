"""Tool calls in text without Kimi's tokens: the tokens dropped by the server, or another model's dialect."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from verifiers.tool_arguments import parse_json
from verifiers.wire_frame import json_text

# Degenerate output repeats such openings thousands of times: no pattern may run past the next one.
# What is left where a server drops special tokens from the text:
_BARE_CALL = re.compile(r"functions\.([^\s{}<>|]{1,200}):\d{1,9}\s*(?=\{)")
_DIALECT_OPENINGS = (  # one group each: the name, where it stands outside the JSON
    r"<tool_call>\s*(?=[\[{])",  # Hermes, Qwen
    r"<tool_call>\s*<function=([^<>\s]+)>",  # Qwen-Coder
    r"<tool_call>\s*([^\s<>{}\[\]]+)\s*(?=<arg_key>|</tool_call>)",  # GLM
    r"<function=([^<>\s]+)>",  # Llama
    r"<\|python_tag\|>",
    r"<\|tool_calls?\|>",  # Phi, Granite
    r"\[TOOL_CALLS\]\s*([\w.-]+)?(?:\[ARGS\])?",  # Mistral
    r"<｜tool▁sep｜>([^\s<{]+)",  # DeepSeek
    r"<(?:\w+:)?invoke name=\"([^\"<]+)\">",
    r"to=functions\.([^\s<]{1,200}+)\s*(?:<\|constrain\|>)?\s*\w*\s*<\|message\|>",  # gpt-oss
)
_DIALECT = re.compile("|".join(_DIALECT_OPENINGS))
_FENCE = re.compile(r"\s*(?:```(?:json)?\s*)?")
_MAX_OPENINGS = 500  # more are a flood, and each that holds no JSON costs a look at the whole text
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, kw_only=True)
class DialectCall:
    """One call and where it lies in the text; ``arguments`` is empty where they are not JSON."""

    name: str
    arguments: str
    id: str | None = None
    start: int = 0
    end: int = 0


def find_dialect_calls(text: str, names: Sequence[str] = ()) -> Iterator[DialectCall]:
    """Find calls that do not overlap; a dialect counts only for a name in ``names`` (any, if empty)."""
    end = 0
    for opening in islice(_BARE_CALL.finditer(text), _MAX_OPENINGS):
        start = opening.start()
        if start >= end:
            end = json_end(text, opening.end())
            arguments = text[opening.end() : end]
            header = opening[0].strip()
            yield DialectCall(name=opening[1], arguments=arguments, id=header, start=start, end=end)
    if end:
        return
    for opening in islice(_DIALECT.finditer(text), _MAX_OPENINGS):
        if opening.start() < end:
            continue
        fence = _FENCE.match(text, opening.end())
        start = fence.end() if fence else opening.end()
        end = json_end(text, start)
        name = next((group for group in opening.groups() if group), None)
        for call in named_calls(text[start:end], name):
            if not names or call.name in names:
                yield replace(call, start=opening.start(), end=end)


def named_calls(text: str, name: str | None = None) -> Iterator[DialectCall]:
    """Calls of a JSON value that names them itself, or the one call ``name`` with this value."""
    value = parse_json(text).value
    if name is not None:
        yield DialectCall(name=name, arguments=text if isinstance(value, dict) else "")
        return
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict) and isinstance(item.get("name"), str):
            arguments = item.get("arguments", item.get("parameters", {}))
            written = arguments if isinstance(arguments, str) else json_text(arguments)
            yield DialectCall(name=item["name"], arguments=written)


def json_end(text: str, start: int) -> int:
    """Where the JSON value at ``start`` ends; ``start`` itself where there is none."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return start
