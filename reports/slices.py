"""The delta by slices of the items: by subject or category, and by how long the baseline's answers are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reports.arm import IntArray
from reports.distributions import chi_square_tail, student_quantile
from reports.intervals import Estimate, FloatArray, Interval, critical_value
from reports.multiplicity import benjamini_hochberg
from reports.paired_intervals import headline_interval
from reports.pairing import Pairing
from reports.permutation import exact_test_of, normal_test

LENGTH_BINS = 4
MIN_SLOPE_ITEMS = 5


@dataclass(frozen=True, kw_only=True)
class Slice:
    """The items of one kind; ``q_value`` allows for the other slices of the same cut."""

    name: str
    n_items: int
    baseline: float
    candidate: float
    delta: Estimate
    p_value: float
    q_value: float


@dataclass(frozen=True, kw_only=True)
class LengthProfile:
    """The delta by the baseline's mean output tokens per item, in quarters of the items.

    ``slope`` is the change of the delta per doubling of the tokens (``None`` without spread). Long items
    are also hard ones, so a slope alone does not prove a fault that grows with length.
    """

    slices: tuple[Slice, ...]
    slope: Estimate | None


def slices_by(pairing: Pairing, labels: Mapping[str, str], *, confidence: float = 0.95) -> tuple[Slice, ...]:
    """Cut the kept items by ``labels`` (sample id to name; items without one are left out), by name."""
    names = np.array([labels.get(item, "") for item in pairing.kept_ids], dtype=object)
    groups = {str(name): np.flatnonzero(names == name) for name in sorted({str(n) for n in names} - {""})}
    return _slices(pairing, groups, confidence)


def item_labels(baseline: pd.DataFrame, candidate: pd.DataFrame, column: str) -> dict[str, str]:
    """Return each item's first non-empty value of ``column``, the baseline's before the candidate's."""
    parts = [table[["sample_id", column]] for table in (baseline, candidate) if column in table.columns]
    if not parts:
        return {}
    firsts = [part.dropna().drop_duplicates("sample_id").astype(object).astype(str) for part in parts]
    rows = pd.concat(firsts, ignore_index=True).drop_duplicates("sample_id")
    return dict(zip(rows["sample_id"], rows[column], strict=True))


def length_profile(
    pairing: Pairing, baseline: pd.DataFrame, *, column: str = "output_tokens", confidence: float = 0.95
) -> LengthProfile | None:
    """Cut the kept items by the baseline's tokens; ``None`` with fewer than two items of known length.

    ``baseline`` is the table that ``pairing`` was made of.
    """
    if column not in baseline.columns:
        return None
    lengths = _item_means(pairing, baseline[column].to_numpy(dtype=np.float64, na_value=np.nan))
    known = np.flatnonzero(np.isfinite(lengths) & (lengths > 0))
    if len(known) < 2:
        return None
    order = known[np.argsort(lengths[known], kind="stable")]
    quarters = [part for part in np.array_split(order, min(LENGTH_BINS, len(order))) if len(part)]
    groups = {
        f"{place}: {lengths[part[0]]:,.0f} to {lengths[part[-1]]:,.0f} tokens": part
        for place, part in enumerate(quarters, start=1)
    }
    slope = _slope(np.log2(lengths[known]), pairing.differences[known], confidence)
    return LengthProfile(slices=_slices(pairing, groups, confidence), slope=slope)


def _slices(pairing: Pairing, groups: Mapping[str, IntArray], confidence: float) -> tuple[Slice, ...]:
    arms = [
        (pairing.baseline_arm.select(items), pairing.candidate_arm.select(items)) for items in groups.values()
    ]
    test = exact_test_of if pairing.is_binary else normal_test
    p_values = [test(base, cand).mid_p for base, cand in arms]
    rows = zip(groups, arms, p_values, benjamini_hochberg(p_values), strict=True)
    return tuple(
        Slice(
            name=name,
            n_items=base.n_items,
            baseline=base.accuracy,
            candidate=cand.accuracy,
            delta=Estimate(
                value=cand.accuracy - base.accuracy, interval=headline_interval(base, cand, confidence)
            ),
            p_value=p,
            q_value=q,
        )
        for name, (base, cand), p, q in rows
    )


def differ(slices: Sequence[Slice], level: float = 0.05) -> bool:
    """Say whether the slices' deltas differ by more than their noise (Cochran's Q): a loss all share is none.

    A slice's variance is judged from the width of its interval, which never is zero.
    """
    if len(slices) < 2:
        return False
    values = np.array([part.delta.value for part in slices])
    intervals = [part.delta.interval for part in slices]
    errors = np.array([found.width / 2 / critical_value(found.confidence) for found in intervals])
    weights = errors**-2
    spread = float(np.sum(weights * (values - np.average(values, weights=weights)) ** 2))
    return chi_square_tail(spread, len(slices) - 1) < level


def _item_means(pairing: Pairing, values: FloatArray) -> FloatArray:
    """Return the mean of the baseline rows' known values for every kept item (NaN where none is known)."""
    known, n = np.isfinite(values), len(pairing.item_ids)
    codes = pairing.baseline.codes[known]
    counts = np.bincount(codes, minlength=n)
    sums = np.bincount(codes, weights=values[known], minlength=n)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)[pairing.kept]


def _slope(x: FloatArray, y: FloatArray, confidence: float) -> Estimate | None:
    """Return the least-squares slope with an error that allows for unequal noise (HC3)."""
    n = len(x)
    centred = x - x.mean()
    spread = float(np.sum(centred**2))
    if n < MIN_SLOPE_ITEMS or spread <= 0:
        return None
    slope = float(np.sum(centred * y)) / spread
    leverage = 1 / n + centred**2 / spread
    residuals = (y - y.mean() - slope * centred) / np.maximum(1 - leverage, 1e-9)
    error = float(np.sqrt(np.sum((centred * residuals) ** 2))) / spread
    half = student_quantile((1 + confidence) / 2, n - 2) * error
    if not half > 0:
        return None
    interval = Interval(low=slope - half, high=slope + half, confidence=confidence, method="slope-hc3")
    return Estimate(value=slope, interval=interval)
