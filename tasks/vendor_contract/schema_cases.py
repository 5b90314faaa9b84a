"""The JSON schemas that forced calls must conform to: one trait each, all within Moonshot's flavour."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class SchemaCase:
    """A schema for a tool's parameters and the trait it is there for."""

    name: str
    trait: str
    schema: Schema


def _object(
    properties: Schema, *, required: list[str] | None = None, defs: Schema | None = None
) -> dict[str, Any]:
    """Return an object schema that requires all its properties unless told otherwise, and allows no others."""
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }
    return schema if defs is None else {**schema, "$defs": dict(defs)}


_TEXT = {"type": "string"}
_WHOLE = {"type": "integer"}
_ADDRESS = _object({"street": _TEXT, "postcode": {"type": "string", "minLength": 4, "maxLength": 8}})
_PERSON = _object({"name": _TEXT, "age": {"type": "integer", "minimum": 0, "maximum": 130}, "home": _ADDRESS})

SCHEMA_CASES = (
    SchemaCase(name="flat", trait="the plain types side by side", schema=_object(
        {"title": _TEXT, "pages": _WHOLE, "price": {"type": "number"}, "in_print": {"type": "boolean"},
         "note": {"type": "null"}},
    )),
    SchemaCase(name="nested", trait="objects and arrays within one another", schema=_object(
        {"person": _PERSON, "visits": {"type": "array", "items": _object({"year": _WHOLE, "cities": {
            "type": "array", "items": _TEXT, "minItems": 1}}), "minItems": 1}},
    )),
    SchemaCase(name="defs", trait="references into $defs, one from within another", schema=_object(
        {"sender": {"$ref": "#/$defs/person"}, "receiver": {"$ref": "#/$defs/person"}},
        defs={"person": _object({"name": _TEXT, "home": {"$ref": "#/$defs/address"}}), "address": _ADDRESS},
    )),
    SchemaCase(name="recursive", trait="a schema that refers to itself and can still end", schema=_object(
        {"tree": {"$ref": "#/$defs/node"}},
        defs={"node": _object(
            {"label": _TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2}},
            required=["label"])},
    )),
    SchemaCase(name="any_of", trait="anyOf of objects, and a value that may be null", schema=_object(
        {"shape": {"anyOf": [
            _object({"kind": {"type": "string", "enum": ["circle"]}, "radius": {"type": "number"}}),
            _object({"kind": {"type": "string", "enum": ["square"]}, "side": {"type": "number"}})]},
         "label": {"anyOf": [_TEXT, {"type": "null"}]}},
    )),
    SchemaCase(name="enums", trait="closed lists of texts and of numbers", schema=_object(
        {"size": {"type": "string", "enum": ["S", "M", "L"]}, "rating": {"type": "integer", "enum": [1, 3, 5]},
         "mode": {"type": "string", "enum": ["read only", "read/write", "\"quoted\""]}},
    )),
    SchemaCase(name="ranges", trait="bounds of numbers, of lengths and of counts", schema=_object(
        {"percent": {"type": "integer", "minimum": 40, "maximum": 60},
         "ratio": {"type": "number", "minimum": -0.5, "maximum": 0.5},
         "code": {"type": "string", "minLength": 5, "maxLength": 7},
         "picks": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 49},
                   "minItems": 2, "maxItems": 4}},
    )),
    SchemaCase(name="pattern", trait="a regular expression", schema=_object(
        {"number": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{2}$"}},
    )),
    SchemaCase(name="unicode_keys", trait="names and values outside ASCII", schema=_object(
        {"größe": {"type": "string", "enum": ["groß", "klein"]}, "数量": _WHOLE, "имя": _TEXT, "🙂": {"type": "boolean"}},
    )),
    SchemaCase(name="escaped_keys", trait="names that JSON must escape", schema=_object(
        {'say "hi"': _TEXT, "back\\slash": _WHOLE, "two\nlines": _TEXT, "a.b-c d": {"type": "boolean"}},
    )),
    SchemaCase(name="optional", trait="required and optional properties, no others", schema=_object(
        {"city": _TEXT, "country": _TEXT, "population": _WHOLE}, required=["city"],
    )),
    SchemaCase(name="additional", trait="further properties of one type allowed", schema={
        "type": "object", "properties": {"id": _WHOLE}, "required": ["id"], "additionalProperties": _TEXT,
    }),
    SchemaCase(name="several_types", trait="a value of one type out of several", schema=_object(
        {"value": {"type": ["integer", "string", "null"]}, "tags": {"type": "array", "items": {"type": ["string", "null"]}}},
    )),
    SchemaCase(name="no_properties", trait="an object without properties", schema={
        "type": "object", "properties": {}, "additionalProperties": False,
    }),
)  # fmt: skip
