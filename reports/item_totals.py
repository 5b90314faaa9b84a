"""Scores of a run added up by item, so that many runs pool by adding arrays and not by joining tables."""

from dataclasses import dataclass

import numpy as np

from reports.arm import Arm, IntArray
from reports.intervals import FloatArray


@dataclass(frozen=True, kw_only=True)
class ItemTotals:
    """Scored responses by item: how many, the sum of their scores and of the squares; one entry an item."""

    counts: IntArray
    sums: FloatArray
    squares: FloatArray

    def __add__(self, other: "ItemTotals") -> "ItemTotals":
        """Return both runs' responses together, as if all were epochs of one run."""
        return ItemTotals(
            counts=self.counts + other.counts,
            sums=self.sums + other.sums,
            squares=self.squares + other.squares,
        )

    @property
    def items(self) -> IntArray:
        """Items with a scored response."""
        return np.flatnonzero(self.counts)

    def arm(self, items: IntArray) -> Arm:
        """Return the arm over these items, each of which must have a response."""
        counts, sums = self.counts[items], self.sums[items]
        spread = np.maximum(self.squares[items] - sums**2 / counts, 0.0)
        # of responses all alike nothing but rounding is left, which must not pass for variance
        spread = np.where(spread > 1e-9 * np.maximum(self.squares[items], 1e-300), spread, 0.0)
        return Arm(
            epochs=counts,
            means=sums / counts,
            variances=np.where(counts > 1, spread / np.maximum(counts - 1, 1), np.nan),
        )


def item_totals(codes: IntArray, scores: FloatArray, n_items: int) -> ItemTotals:
    """Add up finite ``scores`` by item code."""
    return ItemTotals(
        counts=np.bincount(codes, minlength=n_items).astype(np.int64),
        sums=np.bincount(codes, weights=scores, minlength=n_items).astype(np.float64),
        squares=np.bincount(codes, weights=scores**2, minlength=n_items).astype(np.float64),
    )


def paired_arms(baseline: ItemTotals, candidate: ItemTotals) -> tuple[Arm, Arm] | None:
    """Return both sides over the items that both scored, ``None`` where there is none."""
    both = np.flatnonzero((baseline.counts > 0) & (candidate.counts > 0))
    return (baseline.arm(both), candidate.arm(both)) if len(both) else None
