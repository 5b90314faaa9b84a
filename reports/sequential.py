"""Early stopping: looks declared beforehand, error spent over them, a stage-wise interval at each."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import pairwise

import numpy as np

from reports.distributions import normal_cdf, normal_quantile, normal_tail, root
from reports.intervals import FloatArray, Interval, critical_value
from reports.paired_intervals import headline_interval
from reports.pairing import Pairing
from reports.verdict import Verdict, judge

NODES = 128  # Gauss-Legendre nodes per look: boundaries to 1e-7
REACH = 9.0  # standard deviations below which a path is no longer followed
FUTILE = 0.10  # chance of a verdict under the current trend below which going on is futile
LEAST_ERROR = 1e-15  # one-sided: a boundary beyond is an interval at 7.9, or its confidence would round to 1


class Spending(StrEnum):
    """How the error is spread over the looks (Lan and DeMets 1983)."""

    OBRIEN_FLEMING = "obrien-fleming"  # almost none early: the last look is near the fixed design
    POCOCK = "pocock"  # about even


@dataclass(frozen=True, kw_only=True)
class LookPlan:
    """Looks fixed before the first: epochs at each, and the critical value its interval uses.

    ``baseline_epochs`` is the size of a finished baseline; ``None`` when both sides grow together. ``error``
    is one-sided: 0.025 goes with a 95 % interval.
    """

    looks: tuple[int, ...]
    critical_values: tuple[float, ...]
    error: float
    spending: Spending
    futility: bool
    baseline_epochs: int | None

    def confidence(self, look: int) -> float:
        """Return the two-sided confidence of the interval at look number ``look`` (from 0)."""
        return confidence_at(self.critical_values[look])

    def fraction(self, look: int) -> float:
        """Return the share of the final information available at look number ``look``."""
        return information_fractions(self.looks, self.baseline_epochs)[look]


@dataclass(frozen=True, kw_only=True)
class LookDecision:
    """What a look decides; after an early stop the estimate is biased away from the margin."""

    verdict: Verdict
    stop: bool
    reason: str
    interval: Interval
    pass_chance: float
    regression_chance: float


@dataclass(frozen=True, kw_only=True)
class Chances:
    """The chance of a pass and of a regression at the last look, if the trend goes on (0 at the last look)."""

    of_pass: float
    of_regression: float

    @property
    def is_futile(self) -> bool:
        """Say whether hardly any verdict is left to hope for."""
        return max(self.of_pass, self.of_regression) < FUTILE


def confidence_at(critical: float) -> float:
    """Return the two-sided confidence of an interval at a critical value."""
    return 1 - 2 * max(float(normal_tail(critical)), LEAST_ERROR)


def default_looks(last: int, n_looks: int = 4) -> tuple[int, ...]:
    """Return looks at equal steps up to ``last`` epochs, none below 2: 8 16 24 32; 2 3 4; 2."""
    if last < 2:
        raise ValueError(f"looks: {last} epochs; stopping early takes 2 or more")
    steps = (-(-last * step // n_looks) for step in range(1, n_looks + 1))
    return tuple(sorted({max(step, 2) for step in steps}))


def plan_looks(
    looks: Sequence[int],
    *,
    error: float = 0.025,
    spending: Spending = Spending.OBRIEN_FLEMING,
    futility: bool = False,
    baseline_epochs: int | None = None,
) -> LookPlan:
    """Declare looks at these epochs; raises ``ValueError`` unless they rise and start at 2 or more."""
    if not looks or looks[0] < 2 or any(b <= a for a, b in pairwise(looks)):
        raise ValueError(f"looks: {list(looks)}; expected rising epoch counts from 2 on, such as 8 16 24 32")
    bounds = boundaries(information_fractions(looks, baseline_epochs), error, spending)
    return LookPlan(
        looks=tuple(looks),
        critical_values=tuple(bounds),
        error=error,
        spending=spending,
        futility=futility,
        baseline_epochs=baseline_epochs,
    )


def information_fractions(looks: Sequence[int], baseline_epochs: int | None = None) -> list[float]:
    """Return the information at each look as a share of the last one's.

    The information is one over the variance of the delta. A finished baseline is in it from the first look,
    so that early looks know more than epochs / last epochs; both arms are taken to be equally noisy.
    """
    noise = 0.0 if baseline_epochs is None else 1 / baseline_epochs
    return [(1 / looks[-1] + noise) / (1 / look + noise) for look in looks]


def spent(fraction: float, error: float, spending: Spending) -> float:
    """Return the one-sided error spent by the time ``fraction`` of the information is in."""
    if spending is Spending.POCOCK:
        return error * math.log(1 + (math.e - 1) * fraction)
    return 2 * float(normal_cdf(normal_quantile(error / 2) / math.sqrt(fraction)))


def boundaries(
    fractions: Sequence[float], error: float = 0.025, spending: Spending = Spending.OBRIEN_FLEMING
) -> list[float]:
    """Return the critical value of every look, so that crossing at look k has exactly the error it may spend.

    Recursive numerical integration of the score process (Armitage, McPherson and Rowe 1969).
    """
    _check_fractions(fractions)
    bounds: list[float] = []
    walk = _Walk(scores=np.zeros(1), mass=np.ones(1), fraction=0.0)
    already = 0.0
    for fraction in fractions:
        target = spent(fraction, error, spending)
        bound = walk.bound(fraction, target - already)
        bounds.append(bound)
        walk, already = walk.advance(bound, fraction), target
    return bounds


def crossing_probabilities(fractions: Sequence[float], bounds: Sequence[float]) -> list[float]:
    """Return the chance, under no drift, of having crossed by each look."""
    _check_fractions(fractions)
    crossed: list[float] = []
    walk = _Walk(scores=np.zeros(1), mass=np.ones(1), fraction=0.0)
    for fraction, bound in zip(fractions, bounds, strict=True):
        crossed.append((crossed[-1] if crossed else 0.0) + walk.crossing(bound, fraction))
        walk = walk.advance(bound, fraction)
    return crossed


def decide(plan: LookPlan, look: int, pairing: Pairing, margin: float) -> LookDecision:
    """Decide at look number ``look`` (from 0) by the headline interval at that look's critical value.

    Non-binding futility: with a chance under 10 % of either verdict at the last look, on the current trend,
    the run stops as inconclusive; going on all the same does no harm to the error.
    """
    interval = headline_interval(pairing.baseline_arm, pairing.candidate_arm, plan.confidence(look))
    verdict, is_last = judge(interval, margin), look == len(plan.looks) - 1
    chances = chances_at(plan, look, pairing, margin)
    futile = plan.futility and not is_last and chances.is_futile
    if verdict is not Verdict.INCONCLUSIVE:
        reason = f"decided at look {look + 1} of {len(plan.looks)}"
    elif is_last:
        reason = "undecided at the last look"
    elif futile:
        reason = f"futile: a verdict has a chance below {FUTILE:.0%} on the current trend"
    else:
        reason = f"undecided at look {look + 1} of {len(plan.looks)}"
    return LookDecision(
        verdict=verdict,
        stop=verdict is not Verdict.INCONCLUSIVE or is_last or futile,
        reason=reason,
        interval=interval,
        pass_chance=chances.of_pass,
        regression_chance=chances.of_regression,
    )


def conditional_power(z: FloatArray | float, fraction: float, last: float) -> FloatArray:
    """Return the chance that a score of ``z`` now ends above ``last``, if its trend goes on."""
    drift = np.asarray(z, dtype=np.float64) / math.sqrt(fraction)
    return normal_tail((last - drift) / math.sqrt(1 - fraction))


@dataclass(frozen=True, kw_only=True)
class _Walk:
    """Paths of the score process not yet stopped: quadrature points and their probability."""

    scores: FloatArray
    mass: FloatArray
    fraction: float

    def crossing(self, bound: float, fraction: float) -> float:
        """Return the chance of being above ``bound`` at ``fraction``."""
        step = math.sqrt(fraction - self.fraction)
        return float(self.mass @ normal_cdf((self.scores - bound * math.sqrt(fraction)) / step))

    def bound(self, fraction: float, share: float) -> float:
        """Return the bound at ``fraction`` that a share of all paths crosses."""
        return root(lambda z: self.crossing(z, fraction) - share, -REACH, 40.0)

    def advance(self, bound: float, fraction: float) -> "_Walk":
        """Return the paths that stay below ``bound`` at ``fraction``."""
        step, high = math.sqrt(fraction - self.fraction), bound * math.sqrt(fraction)
        low = -REACH * math.sqrt(fraction)
        nodes, weights = _quadrature()
        scores = low + (high - low) * (nodes + 1) / 2
        distance = (scores[:, None] - self.scores[None, :]) / step
        density = np.exp(-distance * distance / 2) @ self.mass / (step * math.sqrt(2 * math.pi))
        return _Walk(scores=scores, mass=density * weights * (high - low) / 2, fraction=fraction)


@cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes in [-1, 1] and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    return nodes, weights


def chances_at(plan: LookPlan, look: int, pairing: Pairing, margin: float) -> Chances:
    """Return the conditional power of pass and of regression at look number ``look`` (from 0)."""
    fraction, last = plan.fraction(look), plan.critical_values[-1]
    if fraction >= 1:
        return Chances(of_pass=0.0, of_regression=0.0)
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    nominal = headline_interval(base, cand, 1 - 2 * plan.error)
    value = cand.accuracy - base.accuracy
    z = critical_value(nominal.confidence)
    above = (value + margin) * z / max(value - nominal.low, 1e-12)
    below = -(value + margin) * z / max(nominal.high - value, 1e-12)
    return Chances(
        of_pass=float(conditional_power(above, fraction, last)),
        of_regression=float(conditional_power(below, fraction, last)),
    )


def _check_fractions(fractions: Sequence[float]) -> None:
    rising = all(b > a for a, b in pairwise([0.0, *fractions]))
    if not fractions or not rising or fractions[-1] > 1 + 1e-12:
        raise ValueError(f"information: {list(fractions)}; expected rising shares above 0 and up to 1")
