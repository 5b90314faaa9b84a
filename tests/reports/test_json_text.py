import math
from typing import Any

import pytest

from reports.json_text import json_object, parse_json


@pytest.mark.parametrize(
    ("data", "value"),
    [
        pytest.param(b'{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}, id="strict"),
        pytest.param(b"\xef\xbb\xbf[1]", [1], id="byte order mark"),
        pytest.param(b'{"a": "\\ud800x"}', {"a": "?x"}, id="half a character"),
        pytest.param(b"[Infinity]", [math.inf], id="infinity"),
        pytest.param(b"[1" + b"0" * 400 + b", 12]", [math.inf, 12], id="a number of hundreds of digits"),
    ],
)
def test_what_is_read(data: bytes, value: Any) -> None:
    assert parse_json(data) == value


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{'a': 1}", id="single quotes"),
        pytest.param(b"\xff\xfe", id="no UTF-8"),
        pytest.param(b"[" * 200_000, id="nested without end"),
    ],
)
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(data)


@pytest.mark.parametrize(
    ("cell", "value"),
    [('{"a": 1}', {"a": 1}), ("[1]", {}), ("true", {}), ("nan", {}), ("", {}), (None, {}), (2.5, {})],
)
def test_a_cell_that_holds_no_object_is_empty(cell: Any, value: dict[str, Any]) -> None:
    assert json_object(cell) == value
