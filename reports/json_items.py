"""Items and response lengths in report.json: a list a column, which stays small for ten thousand items."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from reports.items import ItemRow, ItemSide
from reports.json_values import value_and_limits
from reports.response_length import LengthBin, LengthPoint

SIDE_COLUMNS = tuple(field.name for field in fields(ItemSide))


def items_section(items: Sequence[ItemRow]) -> dict[str, Any]:
    """Return ``{"sample_id": [...], "category": [...], "baseline": {column: [...]}, "candidate": ...}``.

    Position i of every list is item i; a side that has no response to it holds ``None`` there.
    """
    return {
        "sample_id": [item.sample_id for item in items],
        "category": [item.category for item in items],
        "baseline": _columns([item.baseline for item in items]),
        "candidate": _columns([item.candidate for item in items]),
    }


def _columns(sides: Sequence[ItemSide | None]) -> dict[str, list[Any]]:
    return {name: [getattr(side, name, None) for side in sides] for name in SIDE_COLUMNS}


def length_section(bins: Sequence[LengthBin]) -> list[dict[str, Any]]:
    """Return accuracy by output tokens of the response, shortest first."""
    return [
        {
            "low": found.low,
            "high": found.high,
            "middle": found.middle,
            "baseline": _point(found.baseline),
            "candidate": _point(found.candidate),
        }
        for found in bins
    ]


def _point(point: LengthPoint | None) -> dict[str, Any] | None:
    if point is None:
        return None
    accuracy = value_and_limits(point.accuracy.value, point.accuracy.interval)
    return {"n_responses": point.n_responses, "n_items": point.n_items} | accuracy
