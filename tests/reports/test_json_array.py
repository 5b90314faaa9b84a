import json
from typing import Any

import pytest

from reports.json_array import array_blocks

ROWS = [{"id": f"a{i}", "epoch": 1, "input": "},{ [" * i, "x": {"id": i}} for i in range(50)]
NESTED = [{"id": 1, "epoch": 1, "inner": [{"a": 1}, {"id": 2, "epoch": 3}]}, {"id": 2, "epoch": 1}]


def cut(text: str, size: int) -> list[bytes]:
    data = text.encode()
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("size", [1, 7, 100, 10_000])
@pytest.mark.parametrize("separators", [(",", ":"), (" ,\n ", " : ")], ids=["tight", "wide"])
@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(ROWS, id="rows"),
        pytest.param(NESTED, id="an inner list of the same shape"),
        pytest.param([], id="none"),
        pytest.param([{"id": 'q","epoch":1},{"id":"z","epoch":2', "epoch": 1}] * 3, id="text that looks so"),
        pytest.param([{"id": 1, "epoch": float("nan")}, {"id": 2, "epoch": 1, "s": float("nan")}], id="NaN"),
    ],
)
def test_entries_come_as_they_stand(rows: list[Any], separators: tuple[str, str], size: int) -> None:
    text = json.dumps(rows, separators=separators)
    found = [entry for block in array_blocks(cut(text, size)) for entry in block]
    assert json.dumps(found) == json.dumps(rows)


def test_a_long_array_comes_in_blocks() -> None:
    blocks = list(array_blocks(cut(json.dumps(ROWS, separators=(",", ":")), 1000)))
    assert len(blocks) > 3 and max(map(len, blocks)) < len(ROWS)


def test_what_is_no_array_comes_as_it_is() -> None:
    assert list(array_blocks([b'{"a": [{"id": 1, "epoch": 1}, ', b'{"id": 2, "epoch": 2}]}'])) == [
        {"a": [{"id": 1, "epoch": 1}, {"id": 2, "epoch": 2}]}
    ]


@pytest.mark.parametrize("text", ["", "[", '[{"id":1,"epoch":1},{"id":2,"epoch":', "nope"])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        list(array_blocks(cut(text, 10)))
