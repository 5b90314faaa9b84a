"""Answers that changed between the checkpoints, with the changes that sampling alone explains taken off."""

from dataclasses import dataclass

import numpy as np

from reports.distributions import hypergeometric
from reports.intervals import FloatArray, Interval, critical_value, wilson
from reports.multiplicity import benjamini_hochberg
from reports.pairing import Pairing
from reports.permutation import distinct_rows

FALSE_DISCOVERY = 0.1  # share of named items that may be named by chance
_EQUAL = 1e-12  # means within it are equal: what the order of a sum leaves; a real change is far larger


@dataclass(frozen=True, kw_only=True)
class Flips:
    """Items that got worse and better, and how often the two sides disagree.

    ``rate`` is the chance that one response of each side differs in score: with 0/1 scores at one epoch
    simply (worse + better) / items, with its interval. ``corrected_rate`` is the part beyond what each
    checkpoint disagrees with itself, mean (p_c - p_b)^2, cut at 0 (``raw_rate`` is not cut); both are
    ``None`` where an arm has one epoch.
    """

    worse: int
    better: int
    rate: float
    interval: Interval | None
    baseline_self_rate: float | None
    candidate_self_rate: float | None
    corrected_rate: float | None
    raw_rate: float | None


@dataclass(frozen=True, kw_only=True)
class RegressedItem:
    """An item the candidate does worse on than chance explains (one-sided Fisher mid-p; q over all items)."""

    sample_id: str
    baseline: float
    candidate: float
    p_value: float
    q_value: float


def count_flips(pairing: Pairing, confidence: float) -> Flips:
    """Count what changed; an item counts as worse when its candidate mean is lower."""
    base, cand, change = pairing.baseline_arm, pairing.candidate_arm, pairing.differences
    rate = float(np.mean(cand.means * (1 - base.means) + base.means * (1 - cand.means)))
    raw = _excess(pairing) if pairing.is_replicated else None
    is_single = pairing.is_binary and bool((base.epochs == 1).all() and (cand.epochs == 1).all())
    limits = wilson(rate, pairing.baseline_arm.n_items, critical_value(confidence))
    return Flips(
        worse=int((change < -_EQUAL).sum()),
        better=int((change > _EQUAL).sum()),
        rate=rate,
        interval=limits.interval(confidence, "wilson") if is_single else None,
        baseline_self_rate=2 * float(np.mean(base.item_variances)) if base.is_replicated else None,
        candidate_self_rate=2 * float(np.mean(cand.item_variances)) if cand.is_replicated else None,
        corrected_rate=None if raw is None else max(raw, 0.0),
        raw_rate=raw,
    )


def regressed_items(pairing: Pairing, false_discovery: float = FALSE_DISCOVERY) -> tuple[RegressedItem, ...]:
    """Name the items that got worse, worst evidence first; empty for fractional scores."""
    if not pairing.is_binary:
        return ()
    p = _item_p_values(pairing)
    q = benjamini_hochberg(list(p))
    base, cand = pairing.baseline_arm.means, pairing.candidate_arm.means
    named = [i for i in np.argsort(p, kind="stable") if q[i] <= false_discovery]
    return tuple(
        RegressedItem(
            sample_id=pairing.kept_ids[i],
            baseline=float(base[i]),
            candidate=float(cand[i]),
            p_value=float(p[i]),
            q_value=q[i],
        )
        for i in named
    )


def _excess(pairing: Pairing) -> float:
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    noise = cand.item_variances / cand.epochs + base.item_variances / base.epochs
    return float(np.mean(pairing.differences**2 - noise))


def _item_p_values(pairing: Pairing) -> FloatArray:
    """Return each item's one-sided Fisher mid-p: the chance of as few right candidate responses."""
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    cand_right = np.rint(cand.means * cand.epochs).astype(np.int64)
    right = cand_right + np.rint(base.means * base.epochs).astype(np.int64)
    tables, index = distinct_rows(cand_right, cand.epochs + base.epochs, right, cand.epochs)
    p = np.array([_lower_mid_p(*(int(v) for v in table)) for table in tables])
    return p[index]


def _lower_mid_p(right: int, total: int, right_of_both: int, drawn: int) -> float:
    """Return the chance of fewer right ones among those drawn, and half that of as many."""
    null = hypergeometric(total, right_of_both, drawn)
    at = right - null.start
    return float(min(null.mass[:at].sum() + null.mass[at] / 2, 1.0))
