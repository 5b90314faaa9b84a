"""How estimates and intervals look in report.json: value, low, high, ``None`` where not known or unbounded."""

import math
from typing import Any

from reports.drift import BlockTest
from reports.intervals import Estimate, Interval
from reports.metrics import SideBySide, TokenRatio


def finite(value: float | None) -> float | None:
    """Return the value, ``None`` for what JSON cannot hold (NaN, infinity)."""
    return value if value is not None and math.isfinite(value) else None


def value_and_limits(value: float | None, interval: Interval | None) -> dict[str, Any]:
    """Return ``{"value", "low", "high"}``."""
    low, high = (interval.low, interval.high) if interval is not None else (None, None)
    return {"value": finite(value), "low": finite(low), "high": finite(high)}


def estimate(found: Estimate | None) -> dict[str, Any] | None:
    """Return value, limits, confidence and method of an estimate."""
    if found is None:
        return None
    how = {"confidence": found.interval.confidence, "method": found.interval.method}
    return value_and_limits(found.value, found.interval) | how


def limits(interval: Interval | None) -> dict[str, Any] | None:
    """Return the limits alone, with how they were made."""
    if interval is None:
        return None
    return {"low": finite(interval.low), "high": finite(interval.high), "method": interval.method}


def side_by_side(found: SideBySide | None) -> dict[str, Any] | None:
    """Return a metric of both sides and its difference."""
    if found is None:
        return None
    return {
        "baseline": value_and_limits(found.baseline.value, found.baseline.interval),
        "candidate": value_and_limits(found.candidate.value, found.candidate.interval),
        "delta": estimate(found.delta),
    }


def token_ratio(found: TokenRatio | None) -> dict[str, Any] | None:
    """Return candidate / baseline tokens: of the means, and the geometric mean over items."""
    if found is None:
        return None
    return value_and_limits(found.value, found.interval) | {
        "n_items": found.n_items,
        "geometric": value_and_limits(found.geometric, found.geometric_interval),
    }


def block_test(found: BlockTest | None) -> dict[str, Any] | None:
    """Return how blocks of one run (servers, quarters of the run) differ on what ``within`` names."""
    if found is None:
        return None
    return {
        "effects": dict(zip(found.names, found.effects, strict=True)),
        "ratio": finite(found.ratio),
        "p_value": found.p_value,
        "within": found.within,
    }
