"""Read the values of report.json back: estimates, intervals, blocks, slices, items, lengths."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from reports.drift import SAME_ITEMS, BlockTest
from reports.intervals import Estimate, Interval
from reports.items import ItemRow, ItemSide
from reports.json_items import SIDE_COLUMNS
from reports.metrics import SideBySide, TokenRatio
from reports.response_length import LengthBin, LengthPoint
from reports.slices import LengthProfile, Slice
from reports.stage import Stage

Fields = Mapping[str, Any]
# The method of an interval that the document gives without one (a side's accuracy, say).
UNNAMED = "as in report.json"


def read_interval(found: Fields | None, confidence: float) -> Interval | None:
    """Return the interval; a limit that JSON could not hold is infinite, no limits at all is ``None``."""
    if found is None or found["low"] is None:
        return None
    return Interval(
        low=found["low"],
        high=math.inf if found["high"] is None else found["high"],
        confidence=found.get("confidence", confidence),
        method=found.get("method", UNNAMED),
    )


def read_estimate(found: Fields | None, confidence: float) -> Estimate | None:
    """Return the value with its interval, ``None`` where either is not there."""
    interval = read_interval(found, confidence)
    if found is None or interval is None or found["value"] is None:
        return None
    return Estimate(value=found["value"], interval=interval)


def known_estimate(found: Fields, confidence: float) -> Estimate:
    """Return the estimate of a place that always has one; raises ``ValueError`` where it has not."""
    estimate = read_estimate(found, confidence)
    if estimate is None:
        raise ValueError(f"{dict(found)} has no value or limits")
    return estimate


def known_number(found: Fields, name: str) -> float:
    """Return a number that is always there; raises ``ValueError`` where it is null."""
    if found[name] is None:
        raise ValueError(f"{name} is null")
    return float(found[name])


def read_sides(found: Fields | None, confidence: float) -> SideBySide | None:
    """Return a metric of both sides and its difference."""
    if found is None:
        return None
    return SideBySide(
        baseline=known_estimate(found["baseline"], confidence),
        candidate=known_estimate(found["candidate"], confidence),
        delta=known_estimate(found["delta"], confidence),
    )


def read_token_ratio(found: Fields | None, confidence: float) -> TokenRatio | None:
    """Return candidate / baseline tokens."""
    if found is None:
        return None
    geometric = found["geometric"]
    return TokenRatio(
        n_items=found["n_items"],
        value=known_number(found, "value"),
        error=None,
        interval=read_interval(found, confidence),
        geometric=geometric["value"],
        geometric_interval=read_interval(geometric, confidence),
    )


def read_blocks(found: Fields | None) -> BlockTest | None:
    """Return the comparison of a run's servers or quarters."""
    if found is None:
        return None
    ratio = math.inf if found["ratio"] is None else found["ratio"]
    return BlockTest(
        names=tuple(found["effects"]),
        effects=tuple(found["effects"].values()),
        statistic=math.nan,
        df=0,
        ratio=ratio,
        p_value=found["p_value"],
        within=found.get("within", SAME_ITEMS),
    )


def read_slices(found: Sequence[Fields], confidence: float) -> tuple[Slice, ...]:
    """Return the delta by slices."""
    return tuple(
        Slice(
            name=part["name"],
            n_items=part["n_items"],
            baseline=part["baseline"],
            candidate=part["candidate"],
            delta=known_estimate(part["delta"], confidence),
            p_value=part["p_value"],
            q_value=part["q_value"],
        )
        for part in found
    )


def read_length_profile(found: Fields | None, confidence: float) -> LengthProfile | None:
    """Return the delta by the baseline's output length."""
    if found is None:
        return None
    slope = read_estimate(found["slope"], confidence)
    return LengthProfile(slices=read_slices(found["slices"], confidence), slope=slope)


def read_length_bins(found: Sequence[Fields], confidence: float) -> tuple[LengthBin, ...]:
    """Return accuracy by output tokens of the response; raises ``ValueError`` for lengths that are none."""
    if any(part["middle"] <= 0 for part in found):
        raise ValueError("a response of no output tokens in by_response_length")
    return tuple(
        LengthBin(
            low=part["low"],
            high=part["high"],
            middle=part["middle"],
            baseline=_length_point(part["baseline"], confidence),
            candidate=_length_point(part["candidate"], confidence),
        )
        for part in found
    )


def _length_point(found: Fields | None, confidence: float) -> LengthPoint | None:
    if found is None:
        return None
    return LengthPoint(
        n_responses=found["n_responses"],
        n_items=found["n_items"],
        accuracy=known_estimate(found, confidence),
    )


def read_items(found: Fields) -> tuple[ItemRow, ...]:
    """Return the items from their columns; raises ``ValueError`` for columns of differing length."""
    sides = {name: _item_sides(found[name]) for name in ("baseline", "candidate")}
    columns = (found["sample_id"], found["category"], sides["baseline"], sides["candidate"])
    return tuple(
        ItemRow(sample_id=sample_id, category=category, baseline=baseline, candidate=candidate)
        for sample_id, category, baseline, candidate in zip(*columns, strict=True)
    )


def _item_sides(columns: Fields) -> list[ItemSide | None]:
    rows = zip(*(columns[name] for name in SIDE_COLUMNS), strict=True)
    absent = SIDE_COLUMNS.index("correct")
    return [
        None if row[absent] is None else ItemSide(**dict(zip(SIDE_COLUMNS, row, strict=True))) for row in rows
    ]


def read_stage(found: Fields | None) -> Stage | None:
    """Return how far a run with declared looks had come."""
    if found is None:
        return None
    told = {field.name: found[field.name] for field in fields(Stage)}
    return Stage(**(told | {"looks": tuple(found["looks"])}))
