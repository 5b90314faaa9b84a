"""Build a JSON value that a JSON schema accepts, to fill a forced tool call or a demanded format."""

import math
import re
from collections.abc import Mapping
from typing import Any

_WORDS = ("sample", "value", "text", "item")
_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "someone@example.org",
    "hostname": "example.org",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.org/",
    "uri-reference": "/path",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "regex": "a+",
    "json-pointer": "/a",
}
_PATTERN_TRIES = (
    "",
    "a",
    "abc",
    "ABC",
    "A1",
    "1",
    "12",
    "123",
    "1234",
    "12345",
    "a-b",
    "a_b",
    "/a",
    "#a1b2c3",
    "+1",
)
_MAX_DEPTH = 24


class _Builder:
    """Walks one schema; ``hint`` is a word from the prompt for texts that may be anything."""

    def __init__(self, root: Any, hint: str | None) -> None:
        self.root = root
        self.hint = hint

    def build(self, schema: Any, depth: int = 0) -> Any:
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
            return None if isinstance(schema, Mapping) else {}
        schema = self.merged(schema, depth)
        if "const" in schema:
            return schema["const"]
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return schema["enum"][0]
        match self.kind(schema, depth):
            case "object":
                return self.object(schema, depth)
            case "array":
                return self.array(schema, depth)
            case "string":
                return self.string(schema)
            case "integer":
                return self.number(schema, whole=True)
            case "number":
                return self.number(schema, whole=False)
            case "boolean":
                return True
            case _:
                return None

    def merged(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """Return ``schema`` with its reference, every ``allOf`` and one alternative folded in."""
        result = dict(schema)
        for _ in range(_MAX_DEPTH):
            branches = []
            if isinstance(result.get("$ref"), str):
                branches.append(self.resolve(result.pop("$ref")))
            branches += result.pop("allOf", None) or []
            for word in ("anyOf", "oneOf"):
                branches += self.alternative(result.pop(word, None), depth)
            if not branches:
                return result
            for branch in branches:
                if isinstance(branch, Mapping):
                    result = _fold(result, branch)
        return result

    def alternative(self, options: Any, depth: int) -> list[Any]:
        """Return one option, the one that nests least once the walk is deep (so that recursion ends)."""
        if not isinstance(options, list) or not options:
            return []
        if depth < 3:
            return [options[0]]
        return [min(options, key=lambda option: len(str(option)))]

    def resolve(self, reference: str) -> Any:
        node = self.root
        for part in reference.removeprefix("#").strip("/").split("/") if reference != "#" else []:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list) and key.isdigit() and int(key) < len(node):
                node = node[int(key)]
            else:
                node = node.get(key, {}) if isinstance(node, Mapping) else {}
        return node

    def kind(self, schema: Mapping[str, Any], depth: int) -> str:
        declared = schema.get("type")
        if isinstance(declared, list) and declared:
            return str("null" if depth > 6 and "null" in declared else declared[0])
        if isinstance(declared, str):
            return declared
        if {"properties", "required", "additionalProperties", "minProperties"} & set(schema):
            return "object"
        if {"items", "prefixItems", "minItems"} & set(schema):
            return "array"
        if {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} & set(schema):
            return "number"
        return "object" if depth == 0 else "string"

    def object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        required = schema.get("required")
        names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
        value = {name: self.build(properties.get(name, {"type": "string"}), depth + 1) for name in names}
        extra = schema.get("additionalProperties")
        for number in range(len(value), int(schema.get("minProperties", 0))):
            spare = next((name for name in properties if name not in value), f"key{number}")
            value[spare] = self.build(
                properties.get(spare, extra if extra else {"type": "string"}), depth + 1
            )
        return value

    def array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        heads = schema.get("prefixItems") or (
            schema["items"] if isinstance(schema.get("items"), list) else []
        )
        value = [self.build(head, depth + 1) for head in heads]
        items = schema.get("items") if isinstance(schema.get("items"), Mapping) else {"type": "string"}
        at_least = int(schema.get("minItems", 0))
        wanted = max(at_least, 1 if depth < 3 and schema.get("maxItems", 1) else 0)
        for number in range(len(value), wanted):
            item = self.build(items, depth + 1)
            value.append(self.distinct(item, items, number) if schema.get("uniqueItems") else item)
        return value

    def distinct(self, item: Any, schema: Any, number: int) -> Any:
        options = self.merged(schema, 0).get("enum")
        if isinstance(options, list) and number < len(options):
            return options[number]
        if isinstance(item, bool):
            return item if number == 0 else not item
        if isinstance(item, int | float):
            return item + number
        return f"{item}{number}" if isinstance(item, str) and number else item

    def string(self, schema: Mapping[str, Any]) -> str:
        low, high = int(schema.get("minLength", 0)), schema.get("maxLength", math.inf)
        if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        if isinstance(schema.get("pattern"), str):
            tries = [word * count for count in (1, 2, 3, low or 1) for word in (*_PATTERN_TRIES, *_WORDS)]
            fitting = (
                word for word in tries if low <= len(word) <= high and _matches(schema["pattern"], word)
            )
            return next(fitting, "a" * max(low, 1))
        word = self.hint or _WORDS[0]
        word = word * -(-low // len(word)) if len(word) < low else word
        return word if len(word) <= high else word[: int(high)]

    def number(self, schema: Mapping[str, Any], *, whole: bool) -> int | float:
        step = schema.get("multipleOf", 1 if whole else None)
        step = math.lcm(int(step), 1) if whole and float(step).is_integer() else step
        low, high = _bounds(schema, float(step or 0) or (1.0 if whole else 0.5))
        value = 1.0 if low <= 1 <= high else low if low > -math.inf and (low > 1 or low > high - 1) else high
        if step:
            value = math.ceil(value / step) * step
            value = value if value <= high else math.floor(high / step) * step
        return int(value) if whole or float(value).is_integer() else value


def _bounds(schema: Mapping[str, Any], gap: float) -> tuple[float, float]:
    low, high = float(schema.get("minimum", -math.inf)), float(schema.get("maximum", math.inf))
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    room = high - low if math.isfinite(high - low) else math.inf
    gap = min(gap, room / 4) if room > 0 else gap
    if above is True:  # draft 4: a flag beside the bound
        low += gap
    elif isinstance(above, int | float) and above is not False:
        low = max(low, above + gap)
    if below is True:
        high -= gap
    elif isinstance(below, int | float) and below is not False:
        high = min(high, below - gap)
    return low, high


def _matches(pattern: str, word: str) -> bool:
    try:
        return re.search(pattern, word) is not None
    except re.error:
        return False


def _fold(schema: dict[str, Any], branch: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``schema`` with what ``branch`` adds: properties and required united, the rest overlaid."""
    folded = {**schema, **branch}
    for word in ("properties", "$defs"):
        if isinstance(schema.get(word), Mapping) and isinstance(branch.get(word), Mapping):
            folded[word] = {**schema[word], **branch[word]}
    if isinstance(schema.get("required"), list) and isinstance(branch.get("required"), list):
        folded["required"] = list(dict.fromkeys(schema["required"] + branch["required"]))
    return folded


def schema_value(schema: Any, *, hint: str | None = None) -> Any:
    """Return a value that ``schema`` accepts, as far as it can be built from types, bounds and references."""
    return _Builder(schema, hint).build(schema if schema else {"type": "object"})
