import json

import pytest

from tasks.vendor_contract.schema_cases import SCHEMA_CASES, SchemaCase
from verifiers.tool_schema import compile_parameters
from verifiers.walle_schema import find_violations

EXAMPLES = {
    "flat": {"title": "a", "pages": 1, "price": 1.5, "in_print": True, "note": None},
    "nested": {
        "person": {"name": "a", "age": 3, "home": {"street": "b", "postcode": "1234"}},
        "visits": [{"year": 2000, "cities": ["c"]}],
    },
    "defs": {
        side: {"name": "a", "home": {"street": "b", "postcode": "1234"}} for side in ("sender", "receiver")
    },
    "recursive": {"tree": {"label": "a", "children": [{"label": "b"}]}},
    "any_of": {"shape": {"kind": "square", "side": 2}, "label": None},
    "enums": {"size": "M", "rating": 3, "mode": '"quoted"'},
    "ranges": {"percent": 50, "ratio": 0.25, "code": "abcdef", "picks": [1, 49]},
    "pattern": {"number": "AB-12"},
    "unicode_keys": {"größe": "klein", "数量": 1, "имя": "a", "🙂": False},
    "escaped_keys": {'say "hi"': "a", "back\\slash": 1, "two\nlines": "b", "a.b-c d": True},
    "optional": {"city": "a"},
    "additional": {"id": 1, "further": "a"},
    "several_types": {"value": None, "tags": ["a", None]},
    "no_properties": {},
}
WRONG = {
    "flat": {"title": "a", "pages": 1, "price": 1.5, "in_print": True},
    "recursive": {"tree": {"label": "a", "children": [{}]}},
    "any_of": {"shape": {"kind": "square", "radius": 2}, "label": None},
    "enums": {"size": "XL", "rating": 3, "mode": "read only"},
    "ranges": {"percent": 61, "ratio": 0.25, "code": "abcdef", "picks": [1, 49]},
    "pattern": {"number": "ab-12"},
    "unicode_keys": {"grosse": "klein", "数量": 1, "имя": "a", "🙂": False},
    "additional": {"id": 1, "further": 2},
    "no_properties": {"any": 1},
}
CASES = {case.name: case for case in SCHEMA_CASES}


@pytest.mark.parametrize("case", SCHEMA_CASES, ids=CASES)
def test_each_schema_is_within_the_flavour_that_kimis_api_takes(case: SchemaCase) -> None:
    assert find_violations(case.schema) == ()
    assert json.loads(json.dumps(case.schema)) == case.schema


@pytest.mark.parametrize(("name", "value"), EXAMPLES.items(), ids=EXAMPLES)
def test_each_schema_can_be_satisfied(name: str, value: object) -> None:
    assert compile_parameters(CASES[name].schema).check(value).is_valid is True


@pytest.mark.parametrize(("name", "value"), WRONG.items(), ids=WRONG)
def test_each_schema_excludes_something(name: str, value: object) -> None:
    assert compile_parameters(CASES[name].schema).check(value).is_valid is False


def test_every_schema_has_an_example() -> None:
    assert set(EXAMPLES) == set(CASES)
