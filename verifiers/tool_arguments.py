"""Tool-call arguments: strict JSON of one object, and by name every way in which they are not."""

import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from verifiers.response import ToolCall

_MAX_DIGITS = 4000  # Python refuses to convert longer integers in one go
_MAX_ENCODINGS = 4
_NATIVE_TAIL = re.compile(r"(?:\s*<\|[a-z_]+\|>)+\s*\Z")
_OPEN_NUMBER = re.compile(r"\.|(?:\.\d+)?[eE][+-]?")  # what may stand behind the last digit
_OPEN_ESCAPE = re.compile(r"u[0-9a-fA-F]{0,4}")
_LITERALS = ("true", "false", "null")


class ArgumentFault(StrEnum):
    """Why the arguments of a call are not one JSON object."""

    NULL = "args_null"  # null or absent, or the text ``null``
    EMPTY = "args_empty_string"
    NOT_STRING = "args_not_string"  # a JSON value where the API promises text
    DOUBLE_ENCODED = "args_double_encoded"
    NOT_OBJECT = "args_not_object"
    NOT_JSON = "args_not_json"
    TRUNCATED = "args_truncated"  # the beginning of a JSON text


@dataclass(frozen=True, kw_only=True)
class ReadArguments:
    """Arguments read strictly and leniently.

    ``value`` is the object when they keep the contract. ``lenient_value`` is what they mean where a
    serving quirk alone (empty, null, double encoded, not text, a native token at the end) hides the
    object; ``None`` where nothing can be meant. ``fault`` is ``None`` exactly when ``value`` is not.
    """

    value: dict[str, Any] | None = None
    lenient_value: dict[str, Any] | None = None
    fault: ArgumentFault | None = None
    detail: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ParsedJson:
    """A JSON value with what strict reading noticed; ``error`` is set exactly when there is no value."""

    value: Any = None
    error: str = ""
    is_prefix: bool = False  # some JSON text begins like this
    has_duplicate_keys: bool = False


@dataclass(kw_only=True)
class _Watch:
    """Notes what the JSON decoder sees while it runs."""

    has_duplicate_keys: bool = False
    decoder: json.JSONDecoder = field(init=False)

    def __post_init__(self) -> None:
        self.decoder = json.JSONDecoder(
            object_pairs_hook=self._pairs, parse_constant=_refuse_constant, parse_int=parse_integer
        )

    def _pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        self.has_duplicate_keys = self.has_duplicate_keys or len(found) < len(pairs)
        return found


class HugeInteger(int):
    """An integer too long for Python to print, so that messages about it can still be made."""

    def __repr__(self) -> str:
        return f"<integer of {self.bit_length()} bits>"

    __str__ = __repr__


def parse_json(text: str) -> ParsedJson:
    """Parse strict JSON: NaN and Infinity are refused, repeated keys noted (the last one counts)."""
    watch = _Watch()
    try:
        value = watch.decoder.decode(text)
    except json.JSONDecodeError as error:
        return ParsedJson(error=str(error), is_prefix=_is_prefix(text, error))
    except ValueError as error:
        return ParsedJson(error=str(error))
    except RecursionError:
        return ParsedJson(error="nested too deeply to be read")
    return ParsedJson(value=value, has_duplicate_keys=watch.has_duplicate_keys)


def parse_integer(digits: str) -> int:
    """An integer of any length, exactly."""
    if len(digits) <= _MAX_DIGITS:
        return int(digits)
    value = 0
    magnitude = digits.removeprefix("-")
    for start in range(0, len(magnitude), _MAX_DIGITS):
        part = magnitude[start : start + _MAX_DIGITS]
        value = value * 10 ** len(part) + int(part)
    return HugeInteger(-value if digits.startswith("-") else value)


def read_arguments(call: ToolCall, *, is_cut: bool = False) -> ReadArguments:
    """Read the arguments of ``call``; ``is_cut`` says that the token budget ended within this call."""
    text = call.arguments
    if text is None:
        return _without_arguments(ArgumentFault.NULL, is_cut=is_cut)
    if not text.strip():
        return _without_arguments(ArgumentFault.EMPTY, is_cut=is_cut)
    parsed = parse_json(text)
    if parsed.error:
        return _not_json(text, parsed)
    flags = ("args_duplicate_keys",) if parsed.has_duplicate_keys else ()
    value = parsed.value
    if isinstance(value, dict):
        if call.is_text:
            return ReadArguments(value=value, lenient_value=value, flags=flags)
        detail = "a JSON object, not the text of one"
        return ReadArguments(lenient_value=value, fault=ArgumentFault.NOT_STRING, detail=detail, flags=flags)
    if value is None:
        return ReadArguments(lenient_value={}, fault=ArgumentFault.NULL)
    return _not_object(value)


def _without_arguments(fault: ArgumentFault, *, is_cut: bool) -> ReadArguments:
    """No arguments mean none, unless the budget ended before they began."""
    if is_cut:
        return ReadArguments(fault=ArgumentFault.TRUNCATED, detail="the budget ended before the arguments")
    return ReadArguments(lenient_value={}, fault=fault)


def _not_json(text: str, parsed: ParsedJson) -> ReadArguments:
    fault = ArgumentFault.TRUNCATED if parsed.is_prefix else ArgumentFault.NOT_JSON
    tail = _NATIVE_TAIL.search(text)
    if tail is None:
        return ReadArguments(fault=fault, detail=parsed.error)
    without_tail = parse_json(text[: tail.start()])
    meant = without_tail.value if isinstance(without_tail.value, dict) else None
    return ReadArguments(lenient_value=meant, fault=fault, detail=parsed.error, flags=("leak_arguments",))


def _not_object(value: object) -> ReadArguments:
    """A JSON value that is no object: the text of one (encoded twice or more), or something else."""
    inner = value
    for _ in range(_MAX_ENCODINGS):
        if not isinstance(inner, str):
            break
        if not inner.strip():
            inner = {}
            break
        parsed = parse_json(inner)
        if parsed.error and inner.lstrip().startswith("{"):
            return ReadArguments(fault=ArgumentFault.DOUBLE_ENCODED, detail=parsed.error)
        inner = parsed.value
    if isinstance(value, str) and isinstance(inner, dict):
        return ReadArguments(lenient_value=inner, fault=ArgumentFault.DOUBLE_ENCODED)
    return ReadArguments(fault=ArgumentFault.NOT_OBJECT, detail=f"a JSON {_json_type(value)}")


def _is_prefix(text: str, error: json.JSONDecodeError) -> bool:
    """Whether ``text`` ends before its JSON does, so that more text could still complete it."""
    rest = text[error.pos :]
    if error.msg.startswith("Unterminated string") or not rest.strip():
        return True
    if error.msg.startswith("Expecting value"):
        return rest == "-" or any(word.startswith(rest) for word in _LITERALS)
    if error.msg.startswith("Expecting ',' delimiter"):
        return text[error.pos - 1].isdigit() and _OPEN_NUMBER.fullmatch(rest) is not None
    return error.msg.startswith("Invalid \\uXXXX") and _OPEN_ESCAPE.fullmatch(rest) is not None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _json_type(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "number"
