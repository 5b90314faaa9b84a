"""Noise shared by a whole epoch or server, which intervals over items cannot see."""

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reports.arm import IntArray
from reports.distributions import chi_square_tail, student_quantile
from reports.intervals import FloatArray, Interval
from reports.pairing import Pairing, Side

MIN_EPOCHS = 4
MAX_BLOCKS = 256  # more epochs are taken in groups of neighbours: the test's cost grows with their cube
COMPLETE = 0.95  # share of the items an epoch must have scored to count
DRIFT_LEVEL = 0.05
SAME_ITEMS = "the same items"


@dataclass(frozen=True, kw_only=True)
class BlockTest:
    """Whether blocks of one checkpoint's responses (epochs, servers) score alike on the same items.

    ``effects`` is each block's mean score minus what its items score on average; ``ratio`` is the spread of
    the blocks over the spread that sampling explains (1 without drift). ``within`` says what was compared.
    """

    names: tuple[str, ...]
    effects: tuple[float, ...]
    statistic: float
    df: int
    ratio: float
    p_value: float
    within: str = SAME_ITEMS


@dataclass(frozen=True, kw_only=True)
class DriftCheck:
    """The epochs of both checkpoints tested for drift; ``interval`` is the headline, widened where there is.

    ``epoch_interval`` takes whole epochs as the only independent units.
    """

    ratio: float
    p_value: float
    has_drift: bool
    interval: Interval
    epoch_interval: Interval | None


def check_drift(pairing: Pairing, headline: Interval) -> DriftCheck | None:
    """Test whether epochs vary more than sampling explains, and widen ``headline`` if they do.

    Needs four epochs or more on each side that scored nearly all items; ``None`` otherwise. The widened
    interval holds the one over items and the one over epochs: it mitigates a shared shock, it does not cure
    it, and shocks that last a whole run need several runs to be seen.
    """
    sides = (pairing.candidate, pairing.baseline)
    tests = [_epoch_test(pairing, side) for side in sides]
    cand, base = tests
    if cand is None or base is None:
        return None
    df = cand.df + base.df
    statistic = cand.statistic + base.statistic
    p_value = chi_square_tail(statistic, df) if df else 1.0
    by_epoch = _epoch_interval(pairing, cand, base, headline.confidence)
    has_drift = p_value < DRIFT_LEVEL
    widened = headline.union(by_epoch, f"{headline.method}+epochs") if has_drift and by_epoch else headline
    return DriftCheck(
        ratio=statistic / df if df else 1.0,
        p_value=p_value,
        has_drift=has_drift,
        interval=widened,
        epoch_interval=by_epoch,
    )


def compare_blocks(table: pd.DataFrame, column: str) -> BlockTest | None:
    """Test one checkpoint's blocks named by ``column`` (such as ``replica``) within items.

    Compares like with like: only items with responses in several blocks speak. ``None`` where there is none,
    so with fewer than two blocks too.
    """
    rows = table[table["score"].notna() & table[column].notna()]
    blocks, names = pd.factorize(rows[column], sort=True)
    items, sample_ids = pd.factorize(rows["sample_id"])
    cells = np.bincount(items * len(names) + blocks)
    if np.count_nonzero(cells) == len(sample_ids):  # one block an item
        return None
    scores = rows["score"].to_numpy(dtype=np.float64)
    return _block_test(items, blocks, scores, tuple(str(name) for name in names))


def _epoch_test(pairing: Pairing, side: Side) -> BlockTest | None:
    items, scores, epochs = pairing.kept_scores(side)
    counts = np.bincount(epochs)
    full = np.flatnonzero(counts >= COMPLETE * len(pairing.kept))
    if len(full) < MIN_EPOCHS:
        return None
    use = np.isin(epochs, full)
    size = -(-len(full) // MAX_BLOCKS)
    n_blocks = len(full) // size  # what is left over goes to the last
    blocks = np.minimum(np.searchsorted(full, epochs[use]) // size, n_blocks - 1)
    return _block_test(items[use], blocks, scores[use], tuple(str(full[i * size]) for i in range(n_blocks)))


def _block_test(items: IntArray, blocks: IntArray, scores: FloatArray, names: tuple[str, ...]) -> BlockTest:
    """Return the generalised Cochran-Mantel-Haenszel test of blocks with items as strata."""
    found = within_items(items, blocks, scores, len(names))
    statistic, df = float(found.statistics(found.sums)), found.whitening.shape[1]
    return BlockTest(
        names=names,
        effects=tuple(float(v) for v in found.sums / np.maximum(found.sizes, 1)),
        statistic=statistic,
        df=df,
        ratio=statistic / df if df else 1.0,
        p_value=chi_square_tail(statistic, df) if df else 1.0,
    )


@dataclass(frozen=True, kw_only=True)
class WithinItems:
    """Scores as what they differ by from their item's mean (``residuals``, one a response).

    ``sums`` and ``sizes`` are each block's residuals added up and its responses. ``whitening`` (blocks x df)
    turns sums into independent numbers of variance 1 where blocks are labels shuffled within items.
    """

    residuals: FloatArray
    sums: FloatArray
    sizes: FloatArray
    whitening: FloatArray

    def statistics(self, sums: FloatArray) -> FloatArray:
        """Return the chi-squared statistic of sums by block (last axis)."""
        squares: FloatArray = np.sum((sums @ self.whitening) ** 2, axis=-1)
        return squares


def within_items(items: IntArray, blocks: IntArray, scores: FloatArray, n_blocks: int) -> WithinItems:
    """Return the scores of blocks within their items; every array has one entry a response."""
    n_items = int(items.max()) + 1
    cells = np.bincount(items * n_blocks + blocks, minlength=n_items * n_blocks)
    counts = cells.reshape(n_items, n_blocks).astype(np.float64)
    totals = counts.sum(axis=1)
    means = np.bincount(items, weights=scores, minlength=n_items) / np.maximum(totals, 1)
    residuals = scores - means[items]
    squares = np.bincount(items, weights=residuals**2, minlength=n_items)
    variances = squares / np.maximum(totals - 1, 1)  # of a draw without replacement from the item
    weighted = counts * (variances / np.maximum(totals, 1))[:, None]
    covariance = np.diag(variances @ counts) - counts.T @ weighted
    sizes, directions = np.linalg.eigh(covariance)
    free = sizes > 1e-9 * max(float(sizes[-1]), 1e-9)  # the blocks' sums are tied: at least one is not free
    return WithinItems(
        residuals=residuals,
        sums=np.bincount(blocks, weights=residuals, minlength=n_blocks).astype(np.float64),
        sizes=counts.sum(axis=0),
        whitening=directions[:, free] / np.sqrt(sizes[free]),
    )


def _epoch_interval(pairing: Pairing, cand: BlockTest, base: BlockTest, confidence: float) -> Interval | None:
    """Return Welch's interval with epoch means as units; ``None`` where epochs do not vary at all."""
    parts = [float(np.var(side.effects, ddof=1)) / len(side.effects) for side in (cand, base)]
    total = sum(parts)
    if total <= 0:
        return None
    freedoms = [part**2 / (len(side.effects) - 1) for part, side in zip(parts, (cand, base), strict=True)]
    half = math.sqrt(total) * student_quantile((1 + confidence) / 2, total**2 / sum(freedoms))
    value = pairing.candidate_arm.accuracy - pairing.baseline_arm.accuracy
    return Interval(
        low=max(value - half, -1.0), high=min(value + half, 1.0), confidence=confidence, method="welch-epochs"
    )
