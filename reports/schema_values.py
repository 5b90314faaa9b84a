"""The kinds of value that the JSON schema of report.json is made of."""

from typing import Any

Schema = dict[str, Any]

NUMBER: Schema = {"type": "number"}
MAYBE_NUMBER: Schema = {"type": ["number", "null"]}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXT: Schema = {"type": "string"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
VERDICT: Schema = {"enum": ["pass", "regression", "inconclusive", "invalid"]}
RATE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}


def object_of(properties: Schema, *, required: bool = True, description: str = "") -> Schema:
    """Return an object whose listed keys are all there; more may be added without a new version."""
    schema: Schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = list(properties)
    return schema | ({"description": description} if description else {})


def maybe(schema: Schema) -> Schema:
    """Return the schema of a value that may be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def list_of(items: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def sides_of(schema: Schema, description: str = "") -> Schema:
    """Return the schema of a value that both sides have."""
    return object_of({"baseline": schema, "candidate": schema}, description=description)


LIMITS = object_of({"value": MAYBE_NUMBER, "low": MAYBE_NUMBER, "high": MAYBE_NUMBER})
