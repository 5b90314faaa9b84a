"""Follow a series of runs: which run left the earlier ones, is there a slow trend, what did a version change."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

import numpy as np
import pandas as pd

from reports.drift import BlockTest, compare_blocks
from reports.history import HistoryRun, Series
from reports.intervals import Estimate, FloatArray
from reports.item_totals import ItemTotals, item_totals, paired_arms
from reports.paired_intervals import headline_interval
from reports.slope import Slope, weighted_slope

CONFIDENCE = 0.95  # beyond it: look; one run in 20 goes there by chance
ALARM = 0.9973  # three standard errors, the limits of a control chart; one run in 370 by chance
_DAY_S = 86400.0


class Flag(StrEnum):
    """How far a difference lies from none: beyond the 95 % interval, or beyond the 99.73 % one."""

    WATCH = "watch"
    DRIFT = "drift"


@dataclass(frozen=True, kw_only=True)
class Shift:
    """A paired difference (later - earlier, 95 %) over ``n_items`` items, and its flag."""

    delta: Estimate
    n_items: int
    flag: Flag | None


@dataclass(frozen=True, kw_only=True)
class TrendPoint:
    """One run; ``against_earlier`` compares it with all judged runs before it, ``None`` for the first."""

    run: HistoryRun
    accuracy: Estimate
    against_earlier: Shift | None


@dataclass(frozen=True, kw_only=True)
class VersionChange:
    """The runs under a version against those under the version just before; versions are (server, quantcheck)."""

    first: HistoryRun
    before: tuple[str, str | None]
    after: tuple[str, str | None]
    n_before: int
    n_after: int
    shift: Shift


@dataclass(frozen=True, kw_only=True)
class Trend:
    """A series followed; ``pooled``, ``between`` and ``slope`` are over the judged runs."""

    series: Series
    points: tuple[TrendPoint, ...]
    pooled: Estimate | None
    between: BlockTest | None
    slope: Slope | None
    slope_flag: Flag | None
    changes: tuple[VersionChange, ...]

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Every flag of the series."""
        shifts = [point.against_earlier for point in self.points]
        shifts += [change.shift for change in self.changes]
        found = [shift.flag for shift in shifts if shift is not None]
        return tuple(flag for flag in (*found, self.slope_flag) if flag is not None)


def follow(series: Series) -> Trend:
    """Return what the runs of a series show over time; runs that are not whole are shown and not judged."""
    n_items = len(series.item_ids)
    totals = [item_totals(run.codes, run.scores, n_items) for run in series.runs]
    judged = [(run, total) for run, total in zip(series.runs, totals, strict=True) if run.is_judged]
    whole = _sum(total for _, total in judged)
    slope = _slope(judged, whole) if whole is not None else None
    return Trend(
        series=series,
        points=_points(series.runs, totals),
        pooled=_accuracy(whole) if whole is not None else None,
        between=_between([run for run, _ in judged]),
        slope=slope,
        slope_flag=_p_flag(slope.p_value) if slope is not None else None,
        changes=_changes(judged),
    )


def _points(runs: Sequence[HistoryRun], totals: Sequence[ItemTotals]) -> tuple[TrendPoint, ...]:
    earlier: ItemTotals | None = None
    points = []
    for run, total in zip(runs, totals, strict=True):
        shift = _shift(earlier, total) if earlier is not None and run.is_judged else None
        points.append(TrendPoint(run=run, accuracy=_accuracy(total), against_earlier=shift))
        if run.is_judged:
            earlier = total if earlier is None else earlier + total
    return tuple(points)


def _accuracy(total: ItemTotals) -> Estimate:
    arm = total.arm(total.items)
    return Estimate(value=arm.accuracy, interval=arm.interval(CONFIDENCE))


def _sum(totals: Iterable[ItemTotals]) -> ItemTotals | None:
    whole: ItemTotals | None = None
    for total in totals:
        whole = total if whole is None else whole + total
    return whole


def _shift(earlier: ItemTotals, later: ItemTotals) -> Shift | None:
    """Return later - earlier over their common items, ``None`` where they have none."""
    arms = paired_arms(earlier, later)
    if arms is None:
        return None
    value = arms[1].accuracy - arms[0].accuracy
    limits = headline_interval(*arms, CONFIDENCE)
    flag = None
    if not limits.low <= 0 <= limits.high:
        alarm = headline_interval(*arms, ALARM)
        flag = Flag.WATCH if alarm.low <= 0 <= alarm.high else Flag.DRIFT
    return Shift(delta=Estimate(value=value, interval=limits), n_items=arms[0].n_items, flag=flag)


def _p_flag(p_value: float) -> Flag | None:
    if p_value < 1 - ALARM:
        return Flag.DRIFT
    return Flag.WATCH if p_value < 1 - CONFIDENCE else None


def _between(runs: Sequence[HistoryRun]) -> BlockTest | None:
    """Test whether the runs score alike on the same items; ``None`` for fewer than two."""
    if len(runs) < 2:
        return None
    table = pd.DataFrame(
        {
            "sample_id": np.concatenate([run.codes for run in runs]),
            "score": np.concatenate([run.scores for run in runs]),
            "run": np.repeat(np.arange(len(runs)), [len(run.scores) for run in runs]),
        }
    )
    return compare_blocks(table, "run")


def _slope(judged: Sequence[tuple[HistoryRun, ItemTotals]], whole: ItemTotals) -> Slope | None:
    """Fit a line through the runs' accuracies; noise within items is judged from all runs together."""
    noise = whole.arm(whole.items)
    if not noise.is_replicated:
        return None
    by_item = np.full(len(whole.counts), np.nan)
    by_item[whole.items] = noise.item_variances
    start = judged[0][0].at
    days = np.array([(run.at - start).total_seconds() / _DAY_S for run, _ in judged])
    values = np.array([total.arm(total.items).accuracy for _, total in judged])
    variances = np.array([_sampling_variance(total, by_item) for _, total in judged])
    return weighted_slope(days, values, variances, CONFIDENCE)


def _sampling_variance(total: ItemTotals, by_item: FloatArray) -> float:
    """Return the variance of one run's accuracy, with one flip not yet seen allowed for (as in ``arm``)."""
    items = total.items
    counts = total.counts[items]
    seen = float(np.sum(by_item[items] / counts)) / len(items) ** 2
    return seen + 1 / float(counts.sum()) ** 2


def _changes(judged: Sequence[tuple[HistoryRun, ItemTotals]]) -> tuple[VersionChange, ...]:
    """Compare the runs of each version with those of the version before; unknown servers are left out."""
    segments: list[tuple[tuple[str, str | None], list[tuple[HistoryRun, ItemTotals]]]] = []
    for run, total in judged:
        if run.server is None:
            continue
        version = (run.server, run.quantcheck)
        if not segments or segments[-1][0] != version:
            segments.append((version, []))
        segments[-1][1].append((run, total))
    changes = []
    for (before, old), (after, new) in pairwise(segments):
        sums = _sum(total for _, total in old), _sum(total for _, total in new)
        shift = _shift(sums[0], sums[1]) if sums[0] is not None and sums[1] is not None else None
        if shift is not None:
            counts = {"n_before": len(old), "n_after": len(new)}
            changes.append(VersionChange(first=new[0][0], before=before, after=after, shift=shift, **counts))
    return tuple(changes)
