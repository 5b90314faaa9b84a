"""Simulated tasks: how hard their items are, how a candidate differs, which responses go missing."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, logit

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
ITEM_CHANGE = 0.65  # standard deviation, in logits, of what quantization does to one item


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A mixture of items: nearly always right, in between, nearly always wrong; the first are ``fixed``."""

    n_items: int
    easy: float
    easy_chance: float
    hard: float
    middle_from: float = 0.05
    fixed: tuple[float, ...] = ()

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Draw the chance of a right response for every item."""
        kind, spread = rng.random(self.n_items), rng.uniform(self.middle_from, 1, self.n_items)
        chances = np.where(kind < self.easy, self.easy_chance, np.where(kind > 1 - self.hard, 0.03, spread))
        chances[: len(self.fixed)] = self.fixed
        return np.clip(chances, 0.001, 0.9999)


SHAPES = {
    "aime seed": Shape(n_items=30, easy=1.0, easy_chance=0.9998, hard=0, fixed=(0.69,)),
    "aime ceiling": Shape(n_items=30, easy=0.85, easy_chance=0.9995, hard=0, middle_from=0.6),
    "aime mid": Shape(n_items=30, easy=0.6, easy_chance=0.99, hard=0.03, middle_from=0.3),
    "gpqa": Shape(n_items=198, easy=0.7, easy_chance=0.985, hard=0.06),
    "ocr": Shape(n_items=1000, easy=0.84, easy_chance=0.992, hard=0.06),
    "mmmu": Shape(n_items=1730, easy=0.62, easy_chance=0.98, hard=0.1),
    "tools": Shape(n_items=2000, easy=0.97, easy_chance=0.999, hard=0.002, middle_from=0.4),
}


@dataclass(frozen=True, kw_only=True)
class Draws:
    """Many runs of one checkpoint: scored and right responses, replicates x items."""

    scored: IntArray
    right: IntArray


def candidate_chances(baseline: FloatArray, delta: float, rng: np.random.Generator) -> FloatArray:
    """Return a candidate's chances: each item moved by chance, the mean by exactly ``delta``."""
    moved = logit(baseline) + ITEM_CHANGE * rng.standard_normal(len(baseline))
    goal = float(baseline.mean()) + delta
    shift = brentq(lambda by: float(expit(moved + by).mean()) - goal, -30, 30)
    return np.asarray(expit(moved + shift))


def draw_runs(
    chances: FloatArray, epochs: int, n_runs: int, loss: FloatArray | float, rng: np.random.Generator
) -> Draws:
    """Draw runs in which a response goes missing with chance ``loss`` (per item or one for all).

    ``chances`` holds the items of every run, or one row for all.
    """
    shape = (n_runs, chances.shape[-1])
    scored = (
        rng.binomial(epochs, 1 - np.broadcast_to(loss, shape)) if np.any(loss) else np.full(shape, epochs)
    )
    return Draws(scored=scored.astype(np.int64), right=rng.binomial(scored, chances))


def hardness_loss(chances: FloatArray, most: float) -> FloatArray:
    """Return each item's chance of a missing response: ``most`` for an item never right, 0 for a sure one."""
    return most * (1 - chances)
