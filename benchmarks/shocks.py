"""Noise shared by a whole epoch: what it does to the headline, and how far the drift check mends it."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from benchmarks.shapes import SHAPES, FloatArray, candidate_chances
from reports.drift import check_drift
from reports.paired_intervals import headline_interval
from reports.pairing import Pairing, Side

QUADRATURE = 21


@dataclass(frozen=True, kw_only=True)
class ShockCell:
    """Every epoch of either side shifted by its own normal shock of ``size`` logits."""

    shape: str
    epochs: int
    size: float

    @property
    def name(self) -> str:
        return f"{self.shape} {self.epochs}/{self.epochs}, shocks of {self.size}"


SHOCK_CELLS = tuple(
    ShockCell(shape=shape, epochs=epochs, size=size)
    for shape, epochs in (("gpqa", 4), ("gpqa", 8), ("aime mid", 32))
    for size in (0.0, 0.2, 0.4)
)


@dataclass(frozen=True, kw_only=True)
class ShockResult:
    """Coverage of the headline as it is and widened, share of runs flagged, and what widening costs."""

    plain: float
    widened: float
    flagged: float
    width: float


def simulate_shocks(cell: ShockCell, item_sets: int, runs: int, seed: int = 20_250) -> ShockResult:
    """Simulate equal checkpoints under shocks; the truth is the difference of the means over shocks."""
    plain = widened = flagged = 0
    ratio = 0.0
    for item_set in range(item_sets):
        rng = np.random.default_rng([seed, 11, item_set])
        base = SHAPES[cell.shape].draw(rng)
        cand = candidate_chances(base, 0.0, rng)
        truth = _mean_over_shocks(cand, cell.size) - _mean_over_shocks(base, cell.size)
        for _ in range(runs):
            pairing = _pairing(_run(base, cell, rng), _run(cand, cell, rng))
            headline = headline_interval(pairing.baseline_arm, pairing.candidate_arm, 0.95)
            check = check_drift(pairing, headline)
            shown = check.interval if check else headline
            plain += headline.low <= truth <= headline.high
            widened += shown.low <= truth <= shown.high
            flagged += bool(check and check.has_drift)
            ratio += shown.width / headline.width
    n = item_sets * runs
    return ShockResult(plain=plain / n, widened=widened / n, flagged=flagged / n, width=ratio / n)


def _run(chances: FloatArray, cell: ShockCell, rng: np.random.Generator) -> FloatArray:
    shocks = cell.size * rng.standard_normal(cell.epochs)
    shifted = expit(logit(chances)[:, None] + shocks)
    return (rng.random(shifted.shape) < shifted).astype(np.float64)


def _mean_over_shocks(chances: FloatArray, size: float) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(QUADRATURE)
    return float(np.mean(expit(logit(chances)[:, None] + size * nodes) @ (weights / weights.sum())))


def _pairing(baseline: FloatArray, candidate: FloatArray) -> Pairing:
    ids = tuple(map(str, range(len(baseline))))
    return Pairing(item_ids=ids, baseline=_side(baseline), candidate=_side(candidate))


def _side(scores: FloatArray) -> Side:
    n_items, n_epochs = scores.shape
    return Side(
        codes=np.repeat(np.arange(n_items), n_epochs),
        scores=scores.ravel(),
        epochs=np.tile(np.arange(n_epochs), n_items),
        n_epochs=n_epochs,
    )
