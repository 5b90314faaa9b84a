"""Interval formulas, in closed form or by bisection, for numbers or whole arrays of replicates at once."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reports.distributions import FloatArray as FloatArray
from reports.distributions import normal_quantile

BISECTIONS = 60  # halves a range of 2 down to the resolution of a float


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval that knows how it was made; ``low < high`` always: no width is no certainty."""

    low: float
    high: float
    confidence: float
    method: str

    def __post_init__(self) -> None:
        if not self.low < self.high:  # also catches NaN
            raise ValueError(f"interval ({self.method}): [{self.low}, {self.high}]; expected low < high")

    @property
    def width(self) -> float:
        """High minus low."""
        return self.high - self.low

    def union(self, other: "Interval", method: str) -> "Interval":
        """Return the smallest interval holding both, named ``method``."""
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Interval(low=low, high=high, confidence=self.confidence, method=method)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A value and its interval; a ratio's ``high`` may be infinite where the denominator may be 0."""

    value: float
    interval: Interval


class Limits(NamedTuple):
    """Lower and upper limits of one interval per replicate (0-d arrays for one)."""

    low: FloatArray
    high: FloatArray

    def interval(self, confidence: float, method: str) -> Interval:
        """Return the single interval these limits describe."""
        return Interval(low=float(self.low), high=float(self.high), confidence=confidence, method=method)


def critical_value(confidence: float) -> float:
    """Return the two-sided normal critical value, 1.96 for ``confidence`` 0.95."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: {confidence}; expected a fraction between 0 and 1, such as 0.95")
    return -normal_quantile((1 - confidence) / 2)


def wilson(p: npt.ArrayLike, n: npt.ArrayLike, z: float) -> Limits:
    """Return Wilson's score limits of a proportion ``p`` seen on ``n`` (any positive real) trials.

    >>> limits = wilson(1.0, 22, critical_value(0.95))
    >>> round(float(limits.low), 3), float(limits.high)
    (0.851, 1.0)
    """
    p, n = np.asarray(p, dtype=np.float64), np.asarray(n, dtype=np.float64)
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # At 0 and 1 the limit is exact; the sum would miss it by rounding.
    low = np.where(p <= 0, 0.0, np.clip(centre - half, 0, p))
    high = np.where(p >= 1, 1.0, np.clip(centre + half, p, 1))
    return Limits(low, high)


def mover_difference(
    candidate: npt.ArrayLike, c: Limits, baseline: npt.ArrayLike, b: Limits, rho: FloatArray | float = 0.0
) -> Limits:
    """Return limits of candidate - baseline from the limits of each (Newcombe 1998, method 10).

    ``rho`` is the correlation of the two estimates; 0 for independent samples.
    """
    pc, pb = np.asarray(candidate, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    return Limits(
        np.maximum(pc - pb - _hypot(pc - c.low, b.high - pb, rho), -1),
        np.minimum(pc - pb + _hypot(c.high - pc, pb - b.low, rho), 1),
    )


def mover_ratio(
    candidate: npt.ArrayLike, c: Limits, baseline: npt.ArrayLike, b: Limits, rho: FloatArray | float = 0.0
) -> Limits:
    """Return limits of candidate / baseline from the limits of each (MOVER-R, Donner and Zou 2012).

    The upper limit is infinite where the baseline may be 0; ``baseline`` itself must be above 0.
    """
    pc, pb = np.asarray(candidate, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    # (a - sqrt(a*a - x*y)) / y, written as x / (a + sqrt(...)) so that y may pass through 0.
    a = pc * pb - rho * (pc - c.low) * (b.high - pb)
    x, y = c.low * (2 * pc - c.low), b.high * (2 * pb - b.high)
    root = a + np.sqrt(np.maximum(a * a - x * y, 0))
    low = np.where(root > 0, x / np.where(root > 0, root, 1), 0.0)
    a = pc * pb - rho * (c.high - pc) * (pb - b.low)
    x, y = c.high * (2 * pc - c.high), b.low * (2 * pb - b.low)
    root = a + np.sqrt(np.maximum(a * a - x * y, 0))
    high = np.where(y > 0, root / np.where(y > 0, y, 1), np.inf)
    return Limits(low, high)


def tango(gained: npt.ArrayLike, lost: npt.ArrayLike, n: npt.ArrayLike, z: float) -> Limits:
    """Return Tango's (1998) score limits of a paired difference (gained - lost) / n.

    ``gained`` and ``lost`` are the discordant counts (any non-negative reals with a sum of at most ``n``).
    """
    gained, lost, n = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (gained, lost, n)))
    delta = (gained - lost) / n
    return Limits(
        _tango_root(gained, lost, n, z, np.full_like(delta, -1.0)),
        _tango_root(gained, lost, n, z, np.full_like(delta, 1.0)),
    )


def scaled_tango(differences: FloatArray, z: float, *, floor: float = 0.0, unseen: float = 0.0) -> Limits:
    """Return limits of the mean of ``differences`` (each in [-1, 1], items on the last axis).

    Tango's limits on differences measured in steps of their typical size ``s`` = sum d^2 / sum |d|: exactly
    Tango's for -1, 0, 1. ``unseen`` counts whole items that may yet change and enter both sums; ``floor`` is
    the smallest step believed in.
    """
    size = np.abs(differences).sum(axis=-1) + unseen
    square = np.square(differences).sum(axis=-1) + unseen
    step = np.where(size > 0, square / np.where(size > 0, size, 1), 1.0)
    step = np.clip(np.maximum(step, floor), 1e-12, 1)
    gained = np.maximum(differences, 0).sum(axis=-1) / step
    lost = np.maximum(-differences, 0).sum(axis=-1) / step
    limits = tango(gained, lost, differences.shape[-1], z)
    return Limits(step * limits.low, step * limits.high)


def shrunk_correlation(candidate: FloatArray, baseline: FloatArray) -> float:
    """Return the correlation of two sides' values by item, shrunk towards 0 as Newcombe's method 10 does.

    0 where a side does not vary: all right on one side says nothing of pairing.
    """
    covariance = float(np.mean(candidate * baseline) - np.mean(candidate) * np.mean(baseline))
    spread = float(np.std(candidate) * np.std(baseline))
    if spread <= 0:
        return 0.0
    if covariance > 0:
        covariance = max(covariance - 1 / (2 * len(candidate)), 0.0)
    return min(max(covariance / spread, -1.0), 1.0)


def _hypot(x: FloatArray, y: FloatArray, rho: FloatArray | float) -> FloatArray:
    square = x * x + y * y - 2 * rho * x * y
    root: FloatArray = np.sqrt(np.maximum(square, 0))
    return root


def _tango_root(gained: FloatArray, lost: FloatArray, n: FloatArray, z: float, end: FloatArray) -> FloatArray:
    """Bisect from the estimate towards ``end`` for the difference whose score statistic is ``z``."""
    inside, outside = (gained - lost) / n, end
    for _ in range(BISECTIONS):
        middle = (inside + outside) / 2
        rejected = _tango_statistic(gained, lost, n, middle) > z
        inside, outside = np.where(rejected, inside, middle), np.where(rejected, middle, outside)
    return (inside + outside) / 2


def _tango_statistic(gained: FloatArray, lost: FloatArray, n: FloatArray, delta: FloatArray) -> FloatArray:
    linear = -gained - lost + (2 * n - gained + lost) * delta
    constant = -lost * delta * (1 - delta)
    # the restricted maximum-likelihood estimate of P(lost)
    q = (np.sqrt(np.maximum(linear * linear - 8 * n * constant, 0)) - linear) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    distance = np.abs(gained - lost - n * delta)
    safe = np.where(variance > 0, variance, 1)
    return np.where(variance > 0, distance / np.sqrt(safe), math.inf)
