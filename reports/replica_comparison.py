"""Whether replicas answer alike, tested within items.

The items are strata, since chance and not difficulty decides which replica answers. Where each item was
answered once, responses begun one after the other are strata in their place. Two replicas of right
and wrong answers are tested exactly (Cochran-Mantel-Haenszel, mid-p), others by shuffling the replicas'
names within items; with very many responses the chi-squared distribution serves.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from reports.arm import IntArray
from reports.drift import BlockTest, compare_blocks, within_items
from reports.intervals import FloatArray
from reports.permutation import MAX_SHUFFLED, exact_test

LEVEL = 0.05  # equal replicas are flagged this often
NEIGHBOURS = "items asked one after the other"
GROUP = 20  # responses
LEAST_IN_COMMON = 0.25  # of the responses; a few second answers would speak for all the others
N_SHUFFLES = 1_999
BATCH = 500_000  # scores shuffled at once
SLACK = 1e-9  # relative distance within which two statistics are equal


def compare_replicas(rows: pd.DataFrame) -> BlockTest | None:
    """Test whether replicas score alike, ``None`` where fewer than two have answered anything comparable.

    On the same items, where several replicas answered enough of them. With one epoch none has a second answer;
    then among responses begun one after the other: chance decided between the replicas there too, and neither
    the order of the items nor a replica that came late can look like a difference.
    """
    if rows["replica"].nunique() < 2:
        return None
    if _share_in_common(rows) < LEAST_IN_COMMON:
        by_turns = _compared(rows.assign(sample_id=_turns(rows)))
        if by_turns is not None:
            return replace(by_turns, within=NEIGHBOURS)
    return _compared(rows)


def _share_in_common(rows: pd.DataFrame) -> float:
    """Return which share of the scored responses belongs to items that several replicas answered."""
    used = rows[rows["score"].notna() & rows["replica"].notna()]
    blocks, names = pd.factorize(used["replica"])
    items, sample_ids = pd.factorize(used["sample_id"])
    shape = len(sample_ids), len(names)
    counts = np.bincount(items * len(names) + blocks, minlength=shape[0] * shape[1]).reshape(shape)
    is_shared = np.count_nonzero(counts, axis=1) > 1
    return float(counts[is_shared].sum() / max(len(used), 1))


def _turns(rows: pd.DataFrame) -> IntArray:
    """Return for each response the number of its group of :data:`GROUP` begun one after the other."""
    rank = np.arange(len(rows))
    if {"finished_at", "duration_s"} <= set(rows.columns):
        begun = rows["finished_at"].to_numpy(dtype=np.float64) - rows["duration_s"].to_numpy(dtype=np.float64)
        rank[np.argsort(begun, kind="stable")] = np.arange(len(rows))
    return rank // GROUP


def _compared(rows: pd.DataFrame) -> BlockTest | None:
    """Test replicas within items; ``p_value`` is exact or of shuffles, the statistic that of chi-squared."""
    found = compare_blocks(rows, "replica")
    if found is None or not found.df:
        return found
    used = rows[rows["score"].notna() & rows["replica"].notna()]
    blocks, names = pd.factorize(used["replica"], sort=True)
    items, _ = pd.factorize(used["sample_id"].astype(str), sort=True)  # shuffles must not depend on the order
    scores = used["score"].to_numpy(dtype=np.float64)
    if len(names) == 2 and np.isin(scores, (0.0, 1.0)).all():
        return replace(found, p_value=_exact_p(items, blocks, scores.astype(np.int64)))
    shuffled = _shuffled_p(items, blocks, scores, len(names))
    return found if shuffled is None else replace(found, p_value=shuffled)


def are_unlike(test: BlockTest | None) -> bool:
    """Return whether a test of replicas says that they differ, at :data:`LEVEL`."""
    return test is not None and test.p_value < LEVEL


def _exact_p(items: IntArray, blocks: IntArray, right: IntArray) -> float:
    n_items = int(items.max()) + 1
    total, n_right = (
        np.bincount(items, minlength=n_items),
        np.bincount(items, right, n_items).astype(np.int64),
    )
    second = blocks == 1
    taken = np.bincount(items[second], minlength=n_items)
    taken_right = np.bincount(items[second], right[second], n_items).astype(np.int64)
    shared = (taken > 0) & (taken < total)
    return exact_test(taken_right[shared], taken[shared], n_right[shared], total[shared]).mid_p


def _shuffled_p(items: IntArray, blocks: IntArray, scores: FloatArray, n_blocks: int) -> float | None:
    """Return the mid-p of shuffles within items, ``None`` where there are too many responses to shuffle."""
    found = within_items(items, blocks, scores, n_blocks)
    spread = np.bincount(items, weights=found.residuals**2)
    use = spread[items] > 0
    if use.sum() * N_SHUFFLES > MAX_SHUFFLED:
        return None
    order = np.lexsort((blocks[use], scores[use], items[use]))  # the order of the rows must not matter
    codes, residuals, labels = items[use][order], found.residuals[use][order], blocks[use][order]
    is_of = (labels[:, None] == np.arange(n_blocks)).astype(np.float64)
    rng = np.random.default_rng(0)
    batch = max(1, BATCH // len(codes))
    values = []
    for start in range(0, N_SHUFFLES, batch):
        keys = rng.random((min(batch, N_SHUFFLES - start), len(codes))) + codes
        values.append(found.statistics(residuals[np.argsort(keys, axis=1)] @ is_of))
    return _mid_p(np.concatenate(values), float(found.statistics(found.sums)))


def _mid_p(values: FloatArray, observed: float) -> float:
    slack = SLACK * max(1.0, observed)
    beyond, tied = values > observed + slack, np.abs(values - observed) <= slack
    return float(beyond.sum() + tied.sum() / 2 + 1) / (len(values) + 1)
