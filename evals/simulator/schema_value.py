"""Build a JSON value that a JSON schema accepts, to fill a forced tool call or a demanded format."""

from collections.abc import Mapping
from typing import Any

from evals.simulator.schema_leaves import bound, number_value, text_value

_MAX_DEPTH = 12
_MAX_NODES = 2000  # a schema that demands more of itself in itself has no finite value anyway
_ANY_TEXT = {"type": "string"}
_SIGNS_OF = {
    "object": {"properties", "required", "additionalProperties", "minProperties"},
    "array": {"items", "prefixItems", "minItems"},
    "number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"},
}


def _table(schema: Mapping[str, Any], keyword: str) -> Mapping[str, Any]:
    value = schema.get(keyword)
    return value if isinstance(value, Mapping) else {}


def _list(schema: Mapping[str, Any], keyword: str) -> list[Any]:
    value = schema.get(keyword)
    return value if isinstance(value, list) else []


def _names(schema: Mapping[str, Any]) -> list[str]:
    return [name for name in _list(schema, "required") if isinstance(name, str)]


def _fold(schema: dict[str, Any], branch: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``schema`` with what ``branch`` adds: properties and required united, the rest overlaid."""
    folded = {**schema, **branch}
    for word in ("properties", "$defs"):
        folded |= {word: {**_table(schema, word), **_table(branch, word)}} if word in folded else {}
    if "required" in folded:
        names = dict.fromkeys(name for side in (schema, branch) for name in _names(side))
        folded["required"] = list(names)
    return folded


def _one_of(options: list[Any], depth: int) -> list[Any]:
    """Return one option: the first, or deep down the one that nests least, so that recursion ends."""
    return sorted(options, key=lambda option: len(str(option)))[:1] if depth > 2 else options[:1]


class _Builder:
    """Walks one schema; ``hint`` is a word from the prompt for texts that may be anything."""

    def __init__(self, root: Any, hint: str | None) -> None:
        self.root = root
        self.hint = hint
        self.n_nodes = 0

    def build(self, schema: Any, depth: int = 0) -> Any:
        self.n_nodes += 1
        if not isinstance(schema, Mapping):
            return {}
        if depth > _MAX_DEPTH or self.n_nodes > _MAX_NODES:
            return None
        schema = self.merged(schema, depth)
        if "const" in schema:
            return schema["const"]
        if options := _list(schema, "enum"):
            return options[0]
        match self.kind(schema, depth):
            case "object":
                return self.object(schema, depth)
            case "array":
                return self.array(schema, depth)
            case "string":
                return text_value(schema, self.hint)
            case "integer" | "number" as kind:
                return number_value(schema, whole=kind == "integer")
            case "boolean":
                return True
            case _:
                return None

    def merged(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """Return ``schema`` with its reference, every ``allOf`` and one alternative folded in."""
        result = dict(schema)
        for _ in range(_MAX_DEPTH):
            reference = result.pop("$ref", None)
            branches = [self.resolve(reference)] if isinstance(reference, str) else []
            branches += _list(result, "allOf")
            result.pop("allOf", None)
            for word in ("anyOf", "oneOf"):
                branches += _one_of(_list(result, word), depth)
                result.pop(word, None)
            if not branches:
                break
            for branch in branches:
                result = _fold(result, branch) if isinstance(branch, Mapping) else result
        return result

    def resolve(self, reference: str) -> Any:
        node = self.root
        for part in reference.removeprefix("#").strip("/").split("/") if reference != "#" else []:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, list):
                node = node[int(key)] if key.isdecimal() and int(key) < len(node) else {}
            else:
                node = node.get(key, {}) if isinstance(node, Mapping) else {}
        return node

    def kind(self, schema: Mapping[str, Any], depth: int) -> str:
        declared = schema.get("type")
        if isinstance(declared, list) and declared:
            return "null" if depth > 6 and "null" in declared else str(declared[0])
        if isinstance(declared, str):
            return declared
        signs = (kind for kind, words in _SIGNS_OF.items() if words & set(schema))
        return next(signs, "object" if depth == 0 else "string")

    def object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = _table(schema, "properties")
        extra = _table(schema, "additionalProperties") or _ANY_TEXT
        value = {name: self.build(properties.get(name, extra), depth + 1) for name in _names(schema)}
        for number in range(len(value), int(min(bound(schema, "minProperties", 0), _MAX_NODES))):
            spare = next((name for name in properties if name not in value), f"key{number}")
            value[spare] = self.build(properties.get(spare, extra), depth + 1)
        return value

    def array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        heads = _list(schema, "prefixItems") or _list(schema, "items")
        value = [self.build(head, depth + 1) for head in heads]
        items = _table(schema, "items") or _ANY_TEXT
        wanted = max(bound(schema, "minItems", 0), 1 if depth < 3 and bound(schema, "maxItems", 1) > 0 else 0)
        for number in range(len(value), int(min(wanted, _MAX_NODES))):
            item = self.build(items, depth + 1)
            value.append(self.distinct(item, items, number) if schema.get("uniqueItems") else item)
        return value

    def distinct(self, item: Any, schema: Mapping[str, Any], number: int) -> Any:
        """Return the ``number``-th of a row of different values like ``item``."""
        options = _list(self.merged(schema, 0), "enum")
        if number < len(options):
            return options[number]
        if isinstance(item, bool):
            return item == (number == 0)
        if isinstance(item, int | float):
            return item + number
        return f"{item}{number}" if isinstance(item, str) and number else item


def schema_value(schema: Any, *, hint: str | None = None) -> Any:
    """Return a value that ``schema`` accepts, as far as it can be built from types, bounds and references."""
    return _Builder(schema, hint).build(schema if schema else {"type": "object"})
