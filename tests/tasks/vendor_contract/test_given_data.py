"""What users give: schemas in walle's layout, and prompts with their token counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from tasks.rows import DataError
from tasks.spec import SpecError
from tasks.vendor_contract.probe import Budgets
from tasks.vendor_contract.schema_directory import as_parameters, read_schema_directory
from tasks.vendor_contract.schema_probes import given_schema_probes
from tasks.vendor_contract.token_counts import read_token_counts, token_count_probe
from verifiers.tool_schema import compile_parameters

OBJECT = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def suite(directory: Path, name: str, *, valid: str = "", invalid: str = "") -> None:
    (directory / name).mkdir(parents=True)
    (directory / name / "valid.jsonl").write_text(valid, encoding="utf-8")
    if invalid:
        (directory / name / "invalid.jsonl").write_text(invalid, encoding="utf-8")


def test_suites_are_read_line_by_line_and_named_by_suite_and_line(tmp_path: Path) -> None:
    refused = json.dumps({"schema": '{"type":"objekt"}', "expect": "type", "unmarshal": False})
    suite(tmp_path, "TestB", valid=f"{json.dumps(OBJECT)}\n\n{json.dumps({'type': 'string'})}\n")
    suite(tmp_path, "TestA", valid=json.dumps(OBJECT), invalid=refused)
    found = read_schema_directory(tmp_path)
    assert [(schema.name, schema.is_valid) for schema in found] == [
        ("TestA/invalid:1", False),
        ("TestA/valid:1", True),
        ("TestB/valid:1", True),
        ("TestB/valid:3", True),
    ]
    assert found[0].parameters["properties"]["value"] == {"type": "objekt"}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{nope", "not JSON"),
        ("[1]", "no schema"),
        ("12345678901234567890" * 300, "not JSON"),
        ('{"type":"number","minimum":1e999}', "not JSON"),
        ('{"type":"string","minLength":999999999999}', "longer than any budget"),
        ('{"type":"object","properties":{"a":{"type":"array","minItems":5000}}}', "longer than any budget"),
    ],
)
def test_a_line_that_cannot_be_sent_is_named_and_left_out(tmp_path: Path, line: str, problem: str) -> None:
    suite(tmp_path, "S", valid=f"{json.dumps(OBJECT)}\n{line}\n")
    schemas = read_schema_directory(tmp_path)
    assert problem in schemas[1].problem
    (probe,) = given_schema_probes(schemas, Budgets())
    assert [ask.name for ask in probe.asks] == ["S/valid:1"]


def test_a_directory_without_valid_schemas_is_refused(tmp_path: Path) -> None:
    (tmp_path / "invalid.jsonl").write_text("{}")
    with pytest.raises(SpecError, match=r"no valid\.jsonl"):
        read_schema_directory(tmp_path)


@pytest.mark.parametrize(
    ("schema", "good", "wrong"),
    [
        pytest.param({"type": "string"}, {"value": "a"}, {"value": 1}, id="a text at the root"),
        pytest.param({}, {"value": 1}, {}, id="anything at the root"),
        pytest.param(
            {"$defs": {"n": {"type": "integer"}}, "anyOf": [{"$ref": "#/$defs/n"}, {"type": "null"}]},
            {"value": 3},
            {"value": "3"},
            id="definitions stay at the root",
        ),
        pytest.param(
            {"type": "array", "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}},
            {"value": [1, [2, [3]]]},
            {"value": [1, ["2"]]},
            id="a reference to the root is led to the property",
        ),
        pytest.param(OBJECT, {"a": 1}, {"a": "1"}, id="an object stays as it is"),
    ],
)
def test_any_schema_becomes_one_of_an_object(schema: Any, good: Any, wrong: Any) -> None:
    compiled = compile_parameters(as_parameters(schema))
    assert compiled.check(good).is_valid is True
    assert compiled.check(wrong).is_valid is False


def test_walles_own_cases_can_be_read(shared_walle: Path) -> None:
    schemas = read_schema_directory(shared_walle)
    valid = [schema for schema in schemas if schema.is_valid]
    assert (len(schemas), len(valid)) == (395, 213)
    assert [schema.name for schema in valid if schema.problem] == ["TestRangeConstraints/valid:3"]
    assert all(not compile_parameters(s.parameters).fault for s in valid)


COUNTS = [{"prompt": "one two", "tokens": 7}, {"id": "b", "messages": [{"role": "user"}], "tokens": 9}]


@pytest.mark.parametrize(
    "text", [json.dumps(COUNTS), "\n".join(map(json.dumps, COUNTS)), "\ufeff" + json.dumps(COUNTS)]
)
def test_counts_come_as_a_list_or_as_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(text, encoding="utf-8")
    counts = read_token_counts(path)
    assert [(count.name, count.tokens) for count in counts] == [("prompt 1", 7), ("b", 9)]
    probe = token_count_probe(counts, Budgets(short=16))
    assert [ask.body["max_tokens"] for ask in probe.asks] == [16, 16]


def test_counts_may_bring_a_whole_request(tmp_path: Path) -> None:
    request = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "a"}], "tools": [1]}
    path = tmp_path / "counts.jsonl"
    path.write_text(json.dumps({"id": "x", "request": request, "expected_prompt_tokens": 12}))
    (count,) = read_token_counts(path)
    assert count.body == {"messages": [{"role": "user", "content": "a"}], "tools": [1]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no rows"),
        ("[]", "no rows"),
        ("{nope\n", "line 1 is not JSON"),
        ("[1]", "no object"),
        ('[{"prompt": "a"}]', "tokens is None"),
        ('[{"prompt": "a", "tokens": 0}]', "tokens is 0"),
        ('[{"prompt": "a", "tokens": true}]', "tokens is True"),
        ('[{"prompt": "a", "tokens": 3.5}]', "tokens is 3.5"),
        ('[{"tokens": 3}]', "has no prompt"),
        ('[{"messages": [], "tokens": 3}]', "has no messages"),
        ('[{"id": "a", "prompt": "a", "tokens": 3}, {"id": "a", "prompt": "b", "tokens": 3}]', "twice"),
    ],
)
def test_counts_that_cannot_be_meant_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        read_token_counts(path)
