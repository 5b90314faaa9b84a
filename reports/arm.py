"""One checkpoint's scores reduced to items, and its accuracy with both intervals."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from reports.intervals import FloatArray, Interval, critical_value, wilson

IntArray = npt.NDArray[np.int64]
SMALL_SET = 50  # items up to which the population line trusts no variance estimate (statistics 3d)
REPLICATED_SHARE = 0.5  # share of items with two or more responses from which within-item variance is judged


@dataclass(frozen=True, kw_only=True)
class Arm:
    """Scores of one checkpoint by item; every array has one entry per item.

    ``epochs`` counts an item's scored responses (at least 1), ``means`` and ``variances`` are taken over them
    (variance with divisor n - 1; NaN for a single response).
    """

    epochs: IntArray
    means: FloatArray
    variances: FloatArray

    @property
    def n_items(self) -> int:
        """Count the items."""
        return len(self.epochs)

    @cached_property
    def accuracy(self) -> float:
        """Mean of item means: a hard item with fewer responses keeps its weight."""
        return float(np.mean(self.means))

    @cached_property
    def n_responses(self) -> float:
        """Responses that a balanced run of the same precision would hold: n^2 / sum(1 / E_i)."""
        return float(self.n_items**2 / np.sum(1 / self.epochs))

    @cached_property
    def is_replicated(self) -> bool:
        """Say whether enough items have two or more responses to see the noise within an item."""
        return bool(np.mean(self.epochs >= 2) >= REPLICATED_SHARE)

    @cached_property
    def item_variances(self) -> FloatArray:
        """Within-item variances; an item seen once is given the mean of the others (NaN if all are)."""
        single = self.epochs < 2
        if single.all() or not single.any():
            return self.variances
        return np.where(single, np.mean(self.variances[~single]), self.variances)

    @cached_property
    def sampling_variance(self) -> float:
        """Variance of the accuracy from sampling alone, these items held fixed."""
        return float(np.sum(self.item_variances / self.epochs) / self.n_items**2)

    @cached_property
    def effective_n(self) -> float:
        """Independent trials worth the same precision, these items held fixed."""
        if not self.is_replicated:  # the noise is not seen, so that of coin tosses is supposed
            return self.n_responses
        return float(effective_n(self.accuracy, self.sampling_variance, self.n_responses))

    @cached_property
    def population_n(self) -> float:
        """Independent trials worth the same precision, the items taken as a sample (statistics 3d)."""
        n, p = self.n_items, self.accuracy
        spread = float(np.var(self.means, ddof=1)) if n > 1 else 0.0
        if n <= SMALL_SET or not 0 < p < 1:
            return float(n)
        if spread == 0:
            return self.n_responses
        return float(np.clip(n * p * (1 - p) / spread, n, self.n_responses))

    def select(self, items: IntArray) -> "Arm":
        """Return the arm over some of its items."""
        return Arm(epochs=self.epochs[items], means=self.means[items], variances=self.variances[items])

    @property
    def item_error(self) -> float | None:
        """Standard error from the spread of the item means; ``None`` for one item."""
        return float(np.std(self.means, ddof=1) / np.sqrt(self.n_items)) if self.n_items > 1 else None

    def interval(self, confidence: float) -> Interval:
        """Return the interval for exactly these items: only sampling is random."""
        limits = wilson(self.accuracy, self.effective_n, critical_value(confidence))
        return limits.interval(confidence, "wilson-deff")

    def population(self, confidence: float) -> Interval | None:
        """Return the interval for items like these; one item says nothing of others."""
        if self.n_items < 2:
            return None
        limits = wilson(self.accuracy, self.population_n, critical_value(confidence))
        return limits.interval(confidence, "wilson-items")


def effective_n(
    p: FloatArray | float, sampling_variance: FloatArray | float, n_responses: FloatArray | float
) -> FloatArray:
    """Return the trials at which a binomial would vary as the accuracy ``p`` does (statistics 4).

    One flip not yet seen (1/N^2) is added to the variance, so that no run of luck looks like certainty.
    The cap at the binomial is Hoeffding's and holds for balanced epochs; with ragged ones the variance may
    exceed it. Works on whole arrays of replicates.
    """
    n = np.asarray(n_responses, dtype=np.float64)
    binomial = np.asarray(p * (1 - p) / n)
    varies = binomial > 0
    scale = np.where(varies, binomial, 1.0)
    padded = np.minimum(1.0, (sampling_variance + 1 / n**2) / scale)
    effective: FloatArray = np.where(varies, n / np.maximum(sampling_variance / scale, padded), n)
    return effective


def arm_from_scores(codes: IntArray, scores: FloatArray, n_items: int) -> Arm:
    """Reduce finite ``scores`` to items; ``codes`` holds each response's item, no item is left empty."""
    epochs = np.bincount(codes, minlength=n_items).astype(np.int64)
    means = np.bincount(codes, weights=scores, minlength=n_items) / epochs
    squares = np.bincount(codes, weights=np.square(scores - means[codes]), minlength=n_items)
    variances = np.where(epochs > 1, squares / np.maximum(epochs - 1, 1), np.nan)
    return Arm(epochs=epochs, means=means, variances=variances)


def item_arm(rows: pd.DataFrame) -> Arm | None:
    """Return the scored responses by item, ``None`` where there are none."""
    scored = rows[rows["score"].notna()]
    if scored.empty:
        return None
    codes, names = pd.factorize(scored["sample_id"].astype(str))
    return arm_from_scores(codes.astype(np.int64), scored["score"].to_numpy(float), len(names))
