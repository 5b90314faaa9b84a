"""Values built from schemas are accepted by them, and no schema, however odd, raises."""

import json
import os
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.simulator.schema_value import schema_value

KEYWORDS = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "const",
    "anyOf",
    "allOf",
    "oneOf",
    "$ref",
    "$defs",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "uniqueItems",
    "prefixItems",
    "additionalProperties",
    "minProperties",
]
WORDS = [
    "string",
    "object",
    "array",
    "integer",
    "number",
    "null",
    "boolean",
    "#",
    "#/$defs/a",
    "[",
    "email",
    "",
]
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-1000, 10**12)
    | st.floats(allow_nan=False)
    | st.sampled_from(WORDS)
)
ANY_JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*KEYWORDS, "a"]), inner, max_size=5)
    ),
    max_leaves=20,
)


@settings(deadline=None)
@given(ANY_JSON)
def test_no_schema_raises(schema):
    json.dumps(schema_value(schema))


NODE = {"type": "object", "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}
SCHEMAS = [
    pytest.param({}, id="no schema: any object"),
    pytest.param(
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, id="required text"
    ),
    pytest.param({"enum": ["x", "y"]}, id="enum"),
    pytest.param({"const": {"a": [1]}}, id="const"),
    pytest.param({"type": "integer", "minimum": 3, "maximum": 9, "multipleOf": 4}, id="bounds and multiple"),
    pytest.param({"type": "integer", "maximum": -3}, id="below zero"),
    pytest.param(
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.001}, id="narrow exclusive bounds"
    ),
    pytest.param({"type": "string", "minLength": 20, "maxLength": 22}, id="long text"),
    pytest.param({"type": "string", "maxLength": 2}, id="short text"),
    pytest.param({"type": "string", "pattern": "^[A-Z]{3}-\\d{3}$"}, id="pattern"),
    pytest.param({"type": "string", "format": "date-time"}, id="format"),
    pytest.param(
        {"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True},
        id="unique integers",
    ),
    pytest.param(
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 3, "uniqueItems": True},
        id="unique choices",
    ),
    pytest.param({"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}]}, id="tuple"),
    pytest.param({"type": "array", "items": {"type": "string"}, "maxItems": 0}, id="empty array"),
    pytest.param({"type": ["integer", "null"]}, id="several types"),
    pytest.param({"anyOf": [{"type": "string"}, {"type": "object"}]}, id="anyOf"),
    pytest.param(
        {
            "allOf": [{"properties": {"a": {"type": "integer"}}, "required": ["a"]}, {"required": ["b"]}],
            "required": ["c"],
        },
        id="allOf unites",
    ),
    pytest.param(
        {"$ref": "#/$defs/node", "$defs": {"node": {**NODE, "required": ["value"]}}}, id="recursive, optional"
    ),
    pytest.param(
        {
            "type": "object",
            "properties": {"n": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}},
            "required": ["n"],
            "$defs": {
                "n": {
                    "type": "object",
                    "required": ["n"],
                    "properties": {"n": {"anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]}},
                }
            },
        },
        id="recursive, must end in null",
    ),
    pytest.param({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "boolean"}}}, id="escaped pointer"),
    pytest.param({"type": "object", "required": ["\u540d\u524d", 'a"b']}, id="odd names"),
    pytest.param(
        {"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer"}}, id="free names"
    ),
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_values_are_accepted(schema):
    value = schema_value(schema)
    jsonschema.Draft202012Validator(schema).validate(value)


def test_any_text_may_be_a_word_of_the_prompt():
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    assert schema_value(schema, hint="Oslo") == {"city": "Oslo"}


def walle_schemas() -> list[object]:
    folder = Path(os.environ.get("QUANTCHECK_SHARED", "../shared")) / "data/walle/testdata/validator_cases"
    lines = [line for path in sorted(folder.glob("*/valid.jsonl")) for line in path.read_text().splitlines()]
    schemas = [json.loads(line) for line in lines if line.strip()]
    return [schema for schema in schemas if "999999999999" not in json.dumps(schema)]


def test_values_of_a_vendors_own_schemas_are_accepted():
    schemas = walle_schemas()
    if not schemas:
        pytest.skip("the vendor's schemas are not beside this checkout")
    for schema in schemas:
        jsonschema.Draft202012Validator(schema).validate(schema_value(schema))
