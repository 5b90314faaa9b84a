"""Tails and quantiles of the few distributions the statistics need.

Straight from ``scipy.special``: importing ``scipy.stats`` costs more than a second at every start.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

_HALVINGS = 60  # of a range of tens, down to the resolution of a float
FloatArray = npt.NDArray[np.float64]


def normal_cdf(z: npt.ArrayLike) -> FloatArray:
    """Return the chance that a standard normal value lies at or below ``z``."""
    chance: FloatArray = special.ndtr(np.asarray(z, dtype=np.float64))
    return chance


def normal_tail(z: npt.ArrayLike) -> FloatArray:
    """Return the chance that a standard normal value lies above ``z``, exact also far out."""
    return normal_cdf(-np.asarray(z, dtype=np.float64))


def normal_quantile(chance: float) -> float:
    """Return the value below which a standard normal value lies with this chance."""
    return float(special.ndtri(chance))


def student_quantile(chance: float, freedom: float) -> float:
    """Return the value below which Student's t with so many degrees of freedom lies with this chance."""
    return float(special.stdtrit(freedom, chance))


def student_power(critical: float, freedom: float, shift: float) -> float:
    """Return the chance that Student's t about ``shift`` (noncentral) lies above ``critical``."""
    return 1 - float(special.nctdtr(freedom, shift, critical))


def chi_square_tail(value: float, freedom: float) -> float:
    """Return the chance that chi-square with so many degrees of freedom lies above ``value``."""
    return float(special.chdtrc(freedom, value))


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function that changes its sign once between ``low`` and ``high`` does so, by halving."""
    at_low = function(low)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) > 0) == (at_low > 0) else (low, middle)
    return (low + high) / 2


@dataclass(frozen=True, kw_only=True)
class CountMass:
    """The chance of every count from ``start`` on."""

    start: int
    mass: FloatArray


def hypergeometric(total: int, right: int, drawn: int) -> CountMass:
    """Return the distribution of the right ones among ``drawn`` of ``total`` of which ``right`` are right.

    By the ratio of neighbours, so that the chances sum to 1 and none is off by more than a few roundings.
    """
    low, high = max(0, drawn + right - total), min(right, drawn)
    counts = np.arange(low, high, dtype=np.float64)
    ratios = (right - counts) * (drawn - counts) / ((counts + 1) * (total - right - drawn + counts + 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    mass = np.exp(logs - logs.max())
    return CountMass(start=low, mass=mass / mass.sum())
