import json
import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.tool_arguments import parse_json
from verifiers.tool_schema import compile_parameters, read_tools

DRAFT4 = "http://json-schema.org/draft-04/schema#"
DRAFT7 = "http://json-schema.org/draft-07/schema#"


def prop(schema: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}, **more}


@pytest.mark.parametrize(
    ("schema", "arguments", "expected"),
    [
        pytest.param(None, '{"x": 1}', True, id="no parameters: any object"),
        pytest.param({}, '{"x": 1}', True, id="empty parameters: any object"),
        pytest.param(True, '{"x": 1}', True, id="true: any object"),
        pytest.param(prop({"type": "string"}), "{}", True, id="not required"),
        pytest.param(prop({"type": "string"}, required=["a"]), "{}", False, id="required and missing"),
        pytest.param(prop({"type": "string"}), '{"zz": 1}', True, id="extra allowed"),
        pytest.param(prop({}, additionalProperties=False), '{"zz": 1}', False, id="extra forbidden"),
        pytest.param(prop({"type": "integer"}), '{"a": 1.0}', True, id="1.0 is an integer"),
        pytest.param(prop({"type": "integer"}), '{"a": 1.5}', False, id="1.5 is none"),
        pytest.param(prop({"type": "integer"}), '{"a": "1"}', False, id="text is none"),
        pytest.param(prop({"type": "integer"}), '{"a": true}', False, id="true is none"),
        pytest.param(
            prop({"type": "integer"}), '{"a": 1' + "0" * 5000 + "}", True, id="integer without limit"
        ),
        pytest.param(
            prop({"type": "string"}), '{"a": 1' + "0" * 5000 + "}", False, id="no text, and no crash"
        ),
        pytest.param(prop({"type": "number"}), '{"a": 1e999}', True, id="number beyond a float"),
        pytest.param(prop({"multipleOf": 0.1}), '{"a": 0.3}', True, id="0.3 is a multiple of 0.1"),
        pytest.param(prop({"multipleOf": 0.1}), '{"a": 0.35}', False, id="0.35 is none"),
        pytest.param(
            prop({"multipleOf": 3}), '{"a": 9' + "0" * 5000 + "}", True, id="multiple without limit"
        ),
        pytest.param(
            prop({"multipleOf": 3}), '{"a": 1e999}', False, id="multiple of a number beyond a float"
        ),
        pytest.param(prop({"multipleOf": 3}), '{"a": "x"}', True, id="a rule for numbers only"),
        pytest.param(prop({"enum": ["x", None]}), '{"a": null}', True, id="enum"),
        pytest.param(prop({"const": 1}), '{"a": true}', False, id="true is not 1"),
        pytest.param(prop({"type": ["string", "null"]}), '{"a": null}', True, id="several types"),
        pytest.param(
            prop({"type": "string", "nullable": True}), '{"a": null}', False, id="nullable is not JSON Schema"
        ),
        pytest.param(prop({"format": "date"}), '{"a": "x"}', True, id="format is an annotation"),
        pytest.param(prop({"pattern": "^x$"}), '{"a": "y"}', False, id="pattern"),
        pytest.param(
            prop({"$ref": "#/$defs/t"}, **{"$defs": {"t": {"type": "string"}}}), '{"a": 1}', False, id="$defs"
        ),
        pytest.param(
            prop({"$ref": "#/definitions/t"}, definitions={"t": {"type": "string"}}),
            '{"a": 1}',
            False,
            id="definitions",
        ),
        pytest.param(
            prop({"$ref": "#t"}, **{"$defs": {"t": {"$anchor": "t", "type": "string"}}}),
            '{"a": 1}',
            False,
            id="anchor",
        ),
        pytest.param(
            prop({"$ref": "t"}, **{"$id": "http://x/", "$defs": {"t": {"$id": "t", "type": "string"}}}),
            '{"a": 1}',
            False,
            id="reference to an $id within",
        ),
        pytest.param(
            {"$defs": {"n": prop({"$ref": "#/$defs/n"})}, "$ref": "#/$defs/n"},
            '{"a": {"a": 1}}',
            False,
            id="recursive",
        ),
        pytest.param(
            prop({"$ref": DRAFT7}), '{"a": {"type": "foo"}}', False, id="reference to a known metaschema"
        ),
        pytest.param(
            prop({"items": [{"type": "string"}]}), '{"a": [1]}', False, id="tuple of draft 7 without $schema"
        ),
        pytest.param(
            prop({"minimum": 1, "exclusiveMinimum": True}), '{"a": 1}', False, id="draft 4 without $schema"
        ),
        pytest.param(
            prop({"exclusiveMinimum": True, "minimum": 1}, **{"$schema": DRAFT4}),
            '{"a": 1}',
            False,
            id="draft 4 by $schema",
        ),
        pytest.param(
            prop({"const": 2}, **{"$schema": DRAFT4}), '{"a": 1}', True, id="draft 4 knows no const"
        ),
        pytest.param(
            prop({"prefixItems": [{"type": "string"}]}, **{"$schema": DRAFT7}),
            '{"a": [1]}',
            True,
            id="draft 7 knows no prefixItems",
        ),
        pytest.param(
            prop({"const": 2}, **{"$schema": "https://json-schema.org/draft-07/schema"}),
            '{"a": 1}',
            False,
            id="draft named carelessly",
        ),
        pytest.param(
            prop({"const": 2}, **{"$schema": "http://nowhere.example/schema"}),
            '{"a": 1}',
            False,
            id="unknown $schema: the default",
        ),
        pytest.param(
            prop({"type": "any", "required": True}, **{"$schema": "http://json-schema.org/draft-03/schema#"}),
            "{}",
            False,
            id="draft 3 by $schema",
        ),
        pytest.param(
            {"properties": {"$ref": {"type": "string"}}}, '{"$ref": 1}', False, id="a property named $ref"
        ),
        pytest.param(
            prop({"enum": [{"$ref": "#/nowhere"}]}),
            '{"a": {"$ref": "#/nowhere"}}',
            True,
            id="a value that looks like a reference",
        ),
        pytest.param(
            {"properties": {"名": {"type": "string"}, 'q"\\': {"type": "integer"}}},
            '{"名": "x", "q\\"\\\\": 1}',
            True,
            id="unicode and escaped keys",
        ),
    ],
)
def test_arguments_against_a_schema(schema: Any, arguments: str, expected: bool) -> None:
    result = compile_parameters(schema).check(parse_json(arguments).value)
    assert result.is_valid is expected, result.detail
    assert bool(result.detail) is not expected


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(depth):
        schema = prop(schema)
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "objekt"}, id="unknown type"),
        pytest.param(prop({"type": "str"}), id="unknown type of a property"),
        pytest.param({"type": "object", "required": "a"}, id="required is text"),
        pytest.param(prop({"required": True}), id="required inside the property"),
        pytest.param({"properties": []}, id="properties is a list"),
        pytest.param({"properties": {"a": "string"}}, id="property is text"),
        pytest.param(prop({"minLength": "3"}), id="limit is text"),
        pytest.param(prop({"multipleOf": 0}), id="multiple of zero"),
        pytest.param(prop({"enum": "x"}), id="enum is text"),
        pytest.param(False, id="false: no arguments at all"),
        pytest.param("{}", id="schema as text"),
        pytest.param([], id="schema as list"),
        pytest.param(3, id="schema as number"),
        pytest.param(prop({"$ref": "http://example.com/schema.json"}), id="remote reference"),
        pytest.param(prop({"$ref": "file:///etc/passwd"}), id="reference to a file"),
        pytest.param(prop({"$ref": "#/$defs/nowhere"}), id="reference to nowhere"),
        pytest.param(
            prop({"$ref": "#/definitions/t"}, definitions={"t": {"$ref": "#/gone"}}), id="second step"
        ),
        pytest.param(prop({"$ref": "http://["}), id="reference is no URI"),
        pytest.param(prop({"$ref": 5}), id="reference is a number"),
        pytest.param(prop({"$ref": None}), id="reference is null"),
        pytest.param({"$schema": [1]}, id="$schema is a list"),
        pytest.param(prop({"pattern": "("}), id="pattern is no expression"),
        pytest.param(
            prop({"type": "foo"}, **{"$schema": "http://json-schema.org/draft-03/schema#"}), id="draft 3 type"
        ),
        pytest.param({"$ref": "#"}, id="refers to itself"),
        pytest.param(nested(2000), id="nested too deeply"),
    ],
)
def test_a_schema_at_fault_says_nothing_about_the_call(schema: Any) -> None:
    compiled = compile_parameters(schema)
    result = compiled.check({"a": 1})
    assert result.is_valid is None
    assert result.detail


def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("network")

    monkeypatch.setattr(socket, "socket", refuse)
    assert compile_parameters(prop({"$ref": "http://example.com/other.json"})).fault


def test_equal_schemas_are_compiled_once() -> None:
    schema = prop({"type": "string", "description": "compiled once"})
    assert compile_parameters(schema) is compile_parameters(json.loads(json.dumps(schema)))


@pytest.mark.parametrize(
    ("tools", "names", "n_faults", "has_unreadable"),
    [
        pytest.param(None, [], 0, False, id="null"),
        pytest.param([], [], 0, False, id="none"),
        pytest.param([{"type": "function", "function": {"name": "f"}}], ["f"], 0, False, id="one"),
        pytest.param(
            [{"function": {"name": "f", "parameters": None}}], ["f"], 0, False, id="null parameters"
        ),
        pytest.param([{"type": "function", "name": "f"}], ["f"], 0, False, id="without the wrapper"),
        pytest.param(
            [{"type": "builtin_function", "function": {"name": "$web_search"}}],
            ["$web_search"],
            0,
            False,
            id="built-in",
        ),
        pytest.param(
            [{"type": "function", "function": {"name": "查询"}}], ["查询"], 0, False, id="unicode name"
        ),
        pytest.param([{"type": "function"}], [], 1, True, id="function missing"),
        pytest.param([{"type": "function", "function": None}], [], 1, True, id="function null"),
        pytest.param([{"type": "function", "function": "f"}], [], 1, True, id="function is text"),
        pytest.param([{"function": {"name": ""}}, {"function": {"name": 3}}], [], 2, True, id="no name"),
        pytest.param([None, "f", [], {"function": {"name": "f"}}], ["f"], 3, True, id="items of other kinds"),
        pytest.param({"function": {"name": "f"}}, [], 1, True, id="not a list"),
        pytest.param("f", [], 1, True, id="text"),
        pytest.param(7, [], 1, True, id="a number"),
        pytest.param([{"function": {"name": "f", "parameters": "x"}}], ["f"], 1, False, id="schema at fault"),
    ],
)
def test_declared_tools(tools: Any, names: list[str], n_faults: int, has_unreadable: bool) -> None:
    declared = read_tools(tools)
    assert list(declared.schemas) == names
    assert (len(declared.faults), declared.has_unreadable) == (n_faults, has_unreadable)


def test_a_tool_declared_twice_is_kept_with_both_schemas() -> None:
    text, number = (
        {"function": {"name": "f", "parameters": prop({"type": t})}} for t in ("string", "number")
    )
    declared = read_tools([text, number, text])
    assert len(declared.schemas["f"]) == 2
    assert declared.check("f", {"a": "x"}).is_valid is True
    assert declared.check("f", {"a": 1}).is_valid is True
    assert declared.check("f", {"a": []}).is_valid is False
    broken = {"function": {"name": "f", "parameters": "x"}}
    assert read_tools([broken, text]).check("f", {"a": "x"}).is_valid is True
    assert read_tools([broken, text]).check("f", {"a": 1}).is_valid is None


KEYWORDS = st.sampled_from(
    [
        "type",
        "properties",
        "required",
        "items",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "$ref",
        "$defs",
        "definitions",
        "$id",
        "id",
        "$anchor",
        "$schema",
        "additionalProperties",
        "pattern",
        "minimum",
        "multipleOf",
        "dependencies",
        "extends",
        "disallow",
        "divisibleBy",
        "$dynamicRef",
        "$recursiveRef",
        "a",
        "contains",
        "if",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-1, 2)
    | st.floats(allow_nan=False)
    | st.sampled_from(
        [
            "object",
            "string",
            "number",
            "a",
            "#",
            "#/$defs/a",
            "#a",
            "http://[",
            "x:",
            "(",
            "any",
            DRAFT4,
            DRAFT7,
            "http://json-schema.org/draft-03/schema#",
            "https://json-schema.org/draft/2019-09/schema",
        ]
    )
)
ANY = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(KEYWORDS, ANY, max_size=5) | ANY, st.dictionaries(st.sampled_from(["a", "$ref"]), ANY))
def test_any_schema_gives_a_result(schema: Any, arguments: dict[str, Any]) -> None:
    result = compile_parameters(schema).check(arguments)
    assert result.is_valid in (True, False, None)
    assert bool(result.detail) is (result.is_valid is not True)
