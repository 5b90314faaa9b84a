"""Does a tool's schema stay within Moonshot's flavour of JSON Schema (walle), so that its API accepts it?

The rules follow the project's specification (docs/mfjs-spec.md) and what its test cases accept and
refuse at the level ``strict``. Later versions of walle accept more of them at the level of their API, so
a violation tells what may be refused, not what every deployment refuses. A recursive schema is refused
only where no finite value satisfies it, which is the later and meant rule.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from verifiers.tool_arguments import parse_json

MAX_DEPTH = 8  # schemas within schemas below the root; walle's test cases refuse 9
MAX_ENUM_VALUES = 1000
MAX_ANY_OF_BRANCHES = 500

_TYPES = frozenset({"null", "boolean", "object", "array", "number", "integer", "string"})
_KEYWORDS_OF_TYPE = {
    "object": frozenset({"properties", "additionalProperties", "required"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "string": frozenset({"minLength", "maxLength", "pattern"}),
    "number": frozenset({"minimum", "maximum"}),
    "integer": frozenset({"minimum", "maximum"}),
}
_TYPED_KEYWORDS = frozenset().union(*_KEYWORDS_OF_TYPE.values())
_ANNOTATIONS = frozenset({"title", "description", "default"})
_ROOT_KEYWORDS = frozenset({"$id", "$defs"})
_KEYWORDS = _TYPED_KEYWORDS | _ANNOTATIONS | _ROOT_KEYWORDS | {"type", "enum", "anyOf", "$ref"}
_RESERVED_NAMES = frozenset(
    {"$ref", "$defs", "$id", "anyOf", "required", "additionalProperties", "properties"}
)
_INFINITE = (float("inf"), float("-inf"))  # a number too large for a double
_BOUNDS = (("minLength", "maxLength"), ("minItems", "maxItems"), ("minimum", "maximum"))


def find_text_violations(text: str) -> tuple[str, ...]:
    """Violations of a schema given as JSON text, which may not be JSON at all."""
    parsed = parse_json(text)
    if parsed.error:
        return (f"schema: not JSON, {parsed.error}",)
    return find_violations(parsed.value)


def find_violations(schema: object) -> tuple[str, ...]:
    """Every rule that ``schema`` breaks, each with its place; empty when it lies within the flavour."""
    if not isinstance(schema, Mapping):
        return ("#: a schema must be an object",)
    try:
        found = tuple(_walk(schema, schema, "#", 0))
        return found or (() if _is_satisfiable(schema) else ("#: no finite value can satisfy the recursion",))
    except RecursionError:
        return ("#: nested too deeply",)


def _walk(root: Mapping[str, Any], schema: object, place: str, depth: int) -> Iterator[str]:
    """Violations of ``schema`` and of everything below it."""
    if not isinstance(schema, Mapping):
        yield f"{place}: a schema must be an object"
        return
    if depth > MAX_DEPTH:
        yield f"{place}: deeper than {MAX_DEPTH} levels"
        return
    yield from (f"{place}: {text}" for text in _keyword_violations(schema, is_root=schema is root))
    yield from (f"{place}: {text}" for text in _value_violations(schema))
    yield from (f"{place}: {text}" for text in _reference_violations(root, schema))
    for name, part in _parts(schema):
        yield from _walk(root, part, f"{place}/{name}", depth + (not name.startswith("$defs")))


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    """The schemas directly within ``schema``, with their relative places."""
    for keyword in ("properties", "$defs"):
        if isinstance(named := schema.get(keyword), Mapping):
            yield from ((f"{keyword}/{name}", part) for name, part in named.items())
    if isinstance(branches := schema.get("anyOf"), list):
        yield from ((f"anyOf/{number}", part) for number, part in enumerate(branches))
    if "items" in schema:
        yield "items", schema["items"]
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield "additionalProperties", schema["additionalProperties"]


def _keyword_violations(schema: Mapping[str, Any], *, is_root: bool) -> Iterator[str]:
    """Keywords that are unknown, in the wrong place, or not allowed beside one another."""
    used = set(schema)
    yield from (f"{keyword!r} is not supported" for keyword in sorted(used - _KEYWORDS))
    if not is_root:
        yield from (f"{keyword!r} belongs to the root" for keyword in sorted(used & _ROOT_KEYWORDS))
    for combiner in ("$ref", "anyOf"):
        if combiner in schema:
            beside = (used & _KEYWORDS) - _ANNOTATIONS - _ROOT_KEYWORDS - {combiner}
            yield from (f"{keyword!r} is not allowed beside {combiner!r}" for keyword in sorted(beside))
    types = _types(schema)
    if len(types) == 1:
        foreign = (used & _TYPED_KEYWORDS) - _KEYWORDS_OF_TYPE.get(types[0], frozenset())
        yield from (f"{keyword!r} does not belong to type {types[0]!r}" for keyword in sorted(foreign))
    elif types:
        beside = used & (_TYPED_KEYWORDS | _ROOT_KEYWORDS)
        yield from (f"{keyword!r} is not allowed beside several types" for keyword in sorted(beside))
    if "enum" in schema and {"object", "array"} & set(types):
        yield "'enum' is not allowed for objects and arrays"


def _types(schema: Mapping[str, Any]) -> list[str]:
    """The valid type names that ``schema`` states."""
    stated = schema.get("type")
    names = stated if isinstance(stated, list) else [stated]
    return [name for name in names if isinstance(name, str) and name in _TYPES]


def _value_violations(schema: Mapping[str, Any]) -> Iterator[str]:
    """Keywords whose own value is malformed or contradicts another's."""
    stated = schema.get("type", "string")
    n_stated = len(stated) if isinstance(stated, list) else 1
    if "type" in schema and (not n_stated or len(_types(schema)) < n_stated):
        yield f"'type' is {stated!r}, not one or several of {sorted(_TYPES)}"
    for keyword in ("title", "description", "pattern", "$id"):
        if keyword in schema and not isinstance(schema[keyword], str):
            yield f"{keyword!r} must be text"
    if not isinstance(schema.get("additionalProperties", True), bool | Mapping):
        yield "'additionalProperties' must be a boolean or a schema"
    branches = schema.get("anyOf", [None])
    if not isinstance(branches, list) or not 0 < len(branches) <= MAX_ANY_OF_BRANCHES:
        yield f"'anyOf' must be a list of 1 to {MAX_ANY_OF_BRANCHES} schemas"
    yield from _name_violations(schema)
    yield from _enum_violations(schema)
    yield from _bound_violations(schema)


def _name_violations(schema: Mapping[str, Any]) -> Iterator[str]:
    properties, definitions = schema.get("properties", {}), schema.get("$defs", {})
    for keyword, named in (("properties", properties), ("$defs", definitions)):
        if not isinstance(named, Mapping):
            yield f"{keyword!r} must be an object"
        elif "" in named:
            yield f"{keyword!r} has an empty name"
    if isinstance(properties, Mapping):
        yield from (f"the name {name!r} is reserved" for name in sorted(_RESERVED_NAMES & set(properties)))
    if isinstance(definitions, Mapping):
        yield from (
            f"the name {name!r} within '$defs' has a slash" for name in _names(definitions) if "/" in name
        )
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) and name for name in required):
        yield "'required' must be a list of names"
    elif isinstance(properties, Mapping):
        yield from (
            f"required {name!r} is not among 'properties'" for name in required if name not in properties
        )


def _names(definitions: Mapping[str, object]) -> Iterator[str]:
    """The names of definitions and of all properties within them: references are paths of names."""
    for name, definition in definitions.items():
        yield name
        if isinstance(definition, Mapping):
            for _, part in _parts(definition):
                yield from _names({"": part})
            if isinstance(named := definition.get("properties"), Mapping):
                yield from named


def _enum_violations(schema: Mapping[str, Any]) -> Iterator[str]:
    values = schema.get("enum", [None])
    if not isinstance(values, list) or not 0 < len(values) <= MAX_ENUM_VALUES:
        yield f"'enum' must be a list of 1 to {MAX_ENUM_VALUES} values"
    elif "enum" in schema and (types := _types(schema)):
        yield from (
            f"enum value {value!r} has no type of {types}" for value in values if not _has_type(value, types)
        )


def _has_type(value: object, types: list[str]) -> bool:
    if value is None or isinstance(value, bool):
        return ("null" if value is None else "boolean") in types
    if isinstance(value, int | float):
        is_whole = isinstance(value, int) or value.is_integer()
        return ("number" in types and value not in _INFINITE) or ("integer" in types and is_whole)
    return "string" in types and isinstance(value, str)


def _bound_violations(schema: Mapping[str, Any]) -> Iterator[str]:
    for names in _BOUNDS:
        is_count = names[0] != "minimum"
        expected = ["integer"] if is_count or _types(schema) == ["integer"] else ["number"]
        bounds = [schema[name] for name in names if name in schema]
        if not all(_has_type(bound, expected) for bound in bounds):
            yield f"{' and '.join(names)} must be a {expected[0]}"
        elif is_count and any(bound < 0 for bound in bounds):
            yield f"{' and '.join(names)} must not be negative"
        elif len(bounds) == 2 and bounds[0] > bounds[1]:
            yield f"{names[0]!r} is greater than {names[1]!r}"


def _reference_violations(root: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[str]:
    if "$ref" in schema and _target(root, schema["$ref"]) is None:
        yield f"reference {schema['$ref']!r} must be '#' or lead to a schema within '$defs'"


def _target(root: Mapping[str, Any], reference: object) -> Mapping[str, Any] | None:
    """The schema that ``reference`` leads to, ``None`` where it leads nowhere."""
    if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/$defs/")):
        return None
    found: object = root
    for step in reference.split("/")[1:]:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _is_satisfiable(root: Mapping[str, Any]) -> bool:
    """Whether some finite value satisfies ``root``: the least fixed point over its subschemas."""
    satisfiable: set[int] = set()
    schemas = list(_all_schemas(root))
    grew = True
    while grew and id(root) not in satisfiable:
        before = len(satisfiable)
        satisfiable |= {id(schema) for schema in schemas if _has_value(root, schema, satisfiable)}
        grew = len(satisfiable) > before
    return id(root) in satisfiable


def _all_schemas(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield schema
    for _, part in _parts(schema):
        if isinstance(part, Mapping):
            yield from _all_schemas(part)


def _has_value(root: Mapping[str, Any], schema: Mapping[str, Any], satisfiable: set[int]) -> bool:
    """Whether ``schema`` has a finite value, given the schemas that are known to have one."""
    if "$ref" in schema:
        return id(_target(root, schema["$ref"])) in satisfiable
    if "anyOf" in schema:
        return any(id(branch) in satisfiable for branch in schema["anyOf"])
    if len(_types(schema)) > 1:
        return True
    if schema.get("minItems", 0) > 0 and "items" in schema:
        return id(schema["items"]) in satisfiable
    return all(id(schema["properties"][name]) in satisfiable for name in schema.get("required", []))
