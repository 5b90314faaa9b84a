"""Several responses to one item taken together: pass@k and the majority vote, each with its interval.

Both intervals hold for exactly these items and are upper bounds on the noise: the responses to an item fall
into disjoint groups of ``k``, and what is averaged over all groups varies no more than the average over these
(Hoeffding 1963); independent groups of unequal chances vary no more than coin tosses of the mean one
(Hoeffding 1956). So Wilson's interval on the number of groups covers, and is never of zero width. A vote is
one group an item.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import gammaln

from reports.distributions import FloatArray
from reports.intervals import Estimate, critical_value, mover_difference, wilson
from reports.metrics import SideBySide

KS = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, kw_only=True)
class RightCounts:
    """Scored and right responses by item; scores are 0 or 1."""

    items: pd.Index
    scored: FloatArray
    right: FloatArray

    def select(self, items: pd.Index) -> "RightCounts":
        """Return the counts of these items."""
        rows = self.items.get_indexer(items)
        return RightCounts(items=items, scored=self.scored[rows], right=self.right[rows])


def right_counts(table: pd.DataFrame) -> RightCounts | None:
    """Count a table's scored and right responses by item; ``None`` for scores between 0 and 1."""
    scores = table["score"].to_numpy(dtype=np.float64)
    known = np.isfinite(scores)
    if not np.isin(scores[known], (0.0, 1.0)).all():
        return None
    codes, items = pd.factorize(table["sample_id"][known].astype(object).astype(str))
    return RightCounts(
        items=pd.Index(items),
        scored=np.bincount(codes, minlength=len(items)).astype(np.float64),
        right=np.bincount(codes, weights=scores[known], minlength=len(items)).astype(np.float64),
    )


def pass_at_k(table: pd.DataFrame, k: int) -> float | None:
    """Return the chance that at least one of ``k`` responses is right, the mean over items.

    Unbiased: 1 - C(n - right, k) / C(n, k) for every item (Chen et al. 2021). Items with fewer than ``k``
    scored responses are left out; ``None`` when none is left. Scores must be 0 or 1.
    """
    if k < 1:
        raise ValueError(f"pass@k: k is {k}; expected 1 or more")
    counts = right_counts(table)
    if counts is None:
        raise ValueError("pass@k: a score lies between 0 and 1; expected right or wrong")
    return mean_pass_at(counts, k)


def mean_pass_at(counts: RightCounts, k: int) -> float | None:
    """Return pass@k over the items with ``k`` scored responses, ``None`` for no such item."""
    enough = counts.scored >= k
    return float(np.mean(_pass_at(counts.scored[enough], counts.right[enough], k))) if enough.any() else None


def compare_pass_at(
    baseline: pd.DataFrame, candidate: pd.DataFrame, confidence: float
) -> dict[str, SideBySide]:
    """Compare pass@2, pass@4 ... over the items with so many scored responses on both sides."""
    base, cand = right_counts(baseline), right_counts(candidate)
    if base is None or cand is None:
        return {}
    shared = base.items.intersection(cand.items)
    base, cand = base.select(shared), cand.select(shared)
    least = np.minimum(base.scored, cand.scored)
    compared = {}
    for k in KS:
        items = shared[least >= k]
        if len(items):
            sides = [_share(side.select(items), k) for side in (base, cand)]
            compared[f"pass@{k}"] = _side_by_side(sides[0], sides[1], confidence, "wilson-groups")
    return compared


def majority_accuracy(table: pd.DataFrame) -> float | None:
    """Return the share of items whose most frequent ``answer`` is right; a tie counts by its share.

    Responses without an answer have no vote; an item without any vote is wrong. Items without a scored
    response are left out; ``None`` when there is no item.
    """
    votes = majority_votes(table)
    return float(votes.mean()) if len(votes) else None


def majority_votes(table: pd.DataFrame) -> "pd.Series[float]":
    """Return each item's vote: 1 where its most frequent answer is right, a share where answers tie."""
    scored = table.loc[table["score"].notna(), ["sample_id", "answer", "score"]]
    scored = scored.assign(sample_id=scored["sample_id"].astype(object).astype(str))
    votes = (
        scored[scored["answer"].notna()]
        .groupby(["sample_id", "answer"], observed=True)["score"]
        .agg(["size", "mean"])
    )
    most = votes.groupby(level="sample_id")["size"].transform("max")
    winners = votes.loc[votes["size"] == most, "mean"].groupby(level="sample_id").mean()
    return winners.reindex(sorted(scored["sample_id"].unique()), fill_value=0.0)


def compare_majority(baseline: pd.DataFrame, candidate: pd.DataFrame, confidence: float) -> SideBySide | None:
    """Compare the votes over the items of both sides; ``None`` without such, or where nobody tells answers."""
    if baseline["answer"].isna().all() or candidate["answer"].isna().all():
        return None
    ours, theirs = majority_votes(baseline), majority_votes(candidate)
    items = ours.index.intersection(theirs.index)
    if not len(items):
        return None
    sides = [_Share(value=float(votes[items].mean()), trials=float(len(items))) for votes in (ours, theirs)]
    return _side_by_side(sides[0], sides[1], confidence, "wilson-votes")


@dataclass(frozen=True, kw_only=True)
class _Share:
    value: float
    trials: float


def _share(counts: RightCounts, k: int) -> _Share:
    n = counts.scored
    trials = len(n) ** 2 / float(np.sum(1 / np.floor(n / k)))
    return _Share(value=float(np.mean(_pass_at(n, counts.right, k))), trials=trials)


def _side_by_side(base: _Share, cand: _Share, confidence: float, method: str) -> SideBySide:
    z = critical_value(confidence)
    b, c = wilson(base.value, base.trials, z), wilson(cand.value, cand.trials, z)
    delta = mover_difference(cand.value, c, base.value, b)
    return SideBySide(
        baseline=Estimate(value=base.value, interval=b.interval(confidence, method)),
        candidate=Estimate(value=cand.value, interval=c.interval(confidence, method)),
        delta=Estimate(value=cand.value - base.value, interval=delta.interval(confidence, f"mover-{method}")),
    )


def _pass_at(n: FloatArray, right: FloatArray, k: int) -> FloatArray:
    wrong = n - right
    possible = wrong >= k
    log_misses = _log_choose(np.where(possible, wrong, k), k) - _log_choose(n, k)
    return 1 - np.where(possible, np.exp(log_misses), 0.0)


def _log_choose(n: FloatArray, k: int) -> FloatArray:
    log: FloatArray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return log
