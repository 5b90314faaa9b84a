"""Tool calls written as the model's own tokens: leaked into text by a server, or raw on purpose.

Kimi's trained form (its tool-call guidance) is one section of calls::

    <|tool_calls_section_begin|>
    <|tool_call_begin|>functions.NAME:N<|tool_call_argument_begin|>{JSON}<|tool_call_end|>
    <|tool_calls_section_end|>

The dialects of other models are recognised too, for servers that run with the wrong parser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from verifiers.response import Response, ToolCall
from verifiers.tool_arguments import parse_json
from verifiers.tool_dialects import DialectCall, find_dialect_calls, json_end, named_calls

# Seen with and without the plural, and with "arguments"; the group says what the token does.
_TOKEN = re.compile(r"<\|\s*(tool_calls?_section|tool_calls?|tool_calls?_arguments?)_(begin|end)\s*\|>")
_CUT_TOKEN = re.compile(r"<\|tool_call[a-z_]*\|?\Z")
_NATIVE_ID = re.compile(r"functions\.(.+):(\d+)", re.DOTALL)
_MAX_ID_LENGTH = 300


@dataclass(frozen=True, kw_only=True)
class NativeCall:
    """One call found in text. ``id`` is the header as written, ``None`` in dialects without one.

    ``name`` is ``None`` where none can be read; ``arguments`` is the text up to the end token, or the
    leading JSON value where the end token is missing. ``is_id_native``: the form ``functions.NAME:N``.
    """

    id: str | None
    name: str | None
    arguments: str
    is_id_native: bool = True
    is_closed: bool = True

    @property
    def is_recoverable(self) -> bool:
        """Whether a tolerant parser could have made a call of it: a name and a JSON object."""
        return self.name is not None and isinstance(parse_json(self.arguments).value, dict)


@dataclass(frozen=True, kw_only=True)
class NativeText:
    """A text taken apart: its calls, and what is left of it outside them.

    ``has_tokens`` is true already for a lone or cut token, where no call can be read.
    """

    text: str
    calls: tuple[NativeCall, ...] = ()
    has_tokens: bool = False

    @property
    def has_malformed_id(self) -> bool:
        """Whether some call's header is off the trained form."""
        return any(call.id is not None and not call.is_id_native for call in self.calls)

    @property
    def n_recoverable(self) -> int:
        """How many calls a tolerant parser could have made of this text."""
        return sum(call.is_recoverable for call in self.calls)


@dataclass(frozen=True, kw_only=True)
class CallId:
    """What a call's header says; ``is_native`` when it has the trained form ``functions.NAME:N``."""

    name: str | None
    counter: int | None
    is_native: bool


def read_call_id(header: str, names: Sequence[str] = ()) -> CallId:
    """Read a header such as ``functions.get_weather:0``, with ``names`` (declared tools) as help.

    Off the trained form (``functionsget_weather5``, ``functions_get_weather_0``, ``get_weather:0``) a
    declared name is looked for, the longest first; without one the prefix and the counter are cut off.
    """
    if len(header) > _MAX_ID_LENGTH:
        return CallId(name=None, counter=None, is_native=False)
    native = _NATIVE_ID.fullmatch(header)
    if native:
        return CallId(name=native[1], counter=_counter(native[2]), is_native=True)
    for name in sorted((name for name in names if name and name in header), key=len, reverse=True):
        if match := re.fullmatch(rf"(?:functions?)?[\W_]*{re.escape(name)}[\W_]*(\d*)", header):
            return CallId(name=name, counter=_counter(match[1]), is_native=False)
    match = re.fullmatch(r"(?:functions?[.:_/-]?)?(.+?)(?:[.:_-]?(\d+))?", header, re.DOTALL)
    if match is None:
        return CallId(name=None, counter=None, is_native=False)
    return CallId(name=match[1], counter=_counter(match[2] or ""), is_native=False)


def read_native_text(text: str | None, names: Sequence[str] = ()) -> NativeText:
    """Find the calls in ``text``; ``names`` are the declared tools.

    Reads several sections, calls outside any section, missing begin and end tokens and cut tails. Other
    models' dialects count only where they name a declared tool (any tool where none is declared), for a
    text may well speak about tags.
    """
    if not text:
        return NativeText(text=text or "")
    cut = _CUT_TOKEN.search(text)
    if _TOKEN.search(text) or cut:
        found = _Reader(names).read(text[: cut.start()] if cut else text)
        return replace(found, has_tokens=True)
    calls: list[NativeCall] = []
    rest: list[str] = []
    end = 0
    for found_call in find_dialect_calls(text, names):
        rest.append(text[end : found_call.start])
        calls.append(_native_call(found_call))
        end = found_call.end
    return NativeText(text="".join([*rest, text[end:]]), calls=tuple(calls), has_tokens=bool(calls))


def with_native_calls(response: Response, names: Sequence[str] = ()) -> Response:
    """The response a working parser would have made of raw completion text.

    Calls move from ``content`` to ``tool_calls`` with their ids as written. A raw completion only says
    ``stop``, so where calls were found that becomes ``tool_calls``, as every chat endpoint reports it.
    """
    found = read_native_text(response.content, names)
    if not found.calls:
        return response
    calls = tuple(ToolCall(id=call.id, name=call.name, arguments=call.arguments) for call in found.calls)
    flags = ("malformed_id",) if found.has_malformed_id else ()
    return replace(
        response,
        content=found.text,
        tool_calls=response.tool_calls + calls,
        finish_reason="tool_calls" if response.finish_reason == "stop" else response.finish_reason,
        flags=response.flags + flags,
    )


class _Reader:
    """Walks from token to token; what lies between two of them means what the first one opened."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._calls: list[NativeCall] = []
        self._text: list[str] = []
        self._header: str | None = None  # of the call whose arguments come next

    def read(self, text: str) -> NativeText:
        opened, start = "text", 0
        for token in _TOKEN.finditer(text):
            self._take(opened, text[start : token.start()], _role(token))
            opened, start = _role(token), token.end()
        self._take(opened, text[start:], "text")
        return NativeText(text="".join(self._text), calls=tuple(self._calls))

    def _take(self, opened: str, segment: str, next_role: str) -> None:
        """One segment behind the token ``opened`` and before the token ``next_role``."""
        if opened == "arguments_begin":
            self._add_call(self._header, segment, is_closed=next_role in ("call_end", "arguments_end"))
            self._header = None
        elif next_role == "arguments_begin":
            self._take_header(opened, segment)
        elif opened == "call_begin" or (opened == "section_begin" and "{" in segment):
            self._take_whole_call(segment, is_closed=next_role == "call_end")
        elif segment.strip() or opened == "text":
            self._text.append(segment)

    def _take_header(self, opened: str, segment: str) -> None:
        """The header before the arguments, which without its own begin token ends the text before it."""
        if opened in ("call_begin", "section_begin"):
            self._header = segment.strip()
            return
        words = segment.rsplit(None, 1)
        self._header = words[-1] if words else ""
        self._text.append(segment.rstrip().removesuffix(self._header))

    def _take_whole_call(self, segment: str, *, is_closed: bool) -> None:
        """A call without the token between its header and its arguments."""
        header, brace, rest = segment.partition("{")
        if header.strip() and brace:
            self._add_call(header.strip(), brace + rest, is_closed=is_closed)
        elif brace and (named := list(named_calls(segment))):
            self._calls += [_native_call(call) for call in named]
        elif segment.strip():  # cut within its header: a call, but no fault of its id
            self._calls.append(NativeCall(id=None, name=None, arguments="", is_closed=False))

    def _add_call(self, header: str | None, arguments: str, *, is_closed: bool) -> None:
        arguments, rest = (arguments.strip(), "") if is_closed else _split_json(arguments)
        self._text.append(rest)
        read = (
            read_call_id(header, self._names) if header else CallId(name=None, counter=None, is_native=False)
        )
        self._calls.append(
            NativeCall(
                id=header or "",
                name=read.name,
                arguments=arguments,
                is_id_native=read.is_native,
                is_closed=is_closed,
            )
        )


def _role(token: re.Match[str]) -> str:
    kind = token[1]
    if "section" in kind or kind == "tool_calls":
        return f"section_{token[2]}"
    return f"arguments_{token[2]}" if "argument" in kind else f"call_{token[2]}"


def _native_call(call: DialectCall) -> NativeCall:
    return NativeCall(id=call.id, name=call.name, arguments=call.arguments)


def _split_json(text: str) -> tuple[str, str]:
    """The JSON value that ``text`` begins with and what follows; all of it where there is none."""
    body = text.lstrip()
    end = json_end(body, 0)
    return (body[:end], body[end:]) if end else (body.rstrip(), "")


def _counter(digits: str) -> int | None:
    return int(digits) if 0 < len(digits) < 10 else None
