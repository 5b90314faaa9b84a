"""What a budget can decide, before it is spent: smallest visible loss, chance of a verdict, epochs needed."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from reports.arm import Arm, effective_n
from reports.distributions import normal_cdf, normal_quantile, root, student_power, student_quantile
from reports.intervals import critical_value, mover_difference, tango, wilson
from reports.pairing import Pairing
from reports.verdict import check_margin

POWER = 0.80  # chance of a verdict that a plan should have
MAX_EPOCHS = 4096


@dataclass(frozen=True, kw_only=True)
class Noise:
    """What the chance of a verdict depends on.

    ``within_*`` is a side's variance of one response about its item's mean, averaged over items, score^2.
    ``item_spread`` is the variance over items of the true difference; it counts where a side has one epoch,
    whose interval cannot tell it from noise.
    """

    n_items: int
    accuracy: float
    within_baseline: float
    within_candidate: float
    item_spread: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Epochs:
    """Epochs of each side."""

    baseline: int
    candidate: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What one task's budget can decide about equal checkpoints.

    ``pass_chance`` is the chance of a pass when nothing was lost, ``regression_chance`` of a regression when
    twice the margin was. The ``*_needed`` are the epochs for a pass chance of 80 %: both sides alike, the
    candidate alone, the baseline alone; ``None`` where no number of epochs will do.
    """

    margin: float
    epochs: Epochs
    error: float
    smallest_visible_loss: float
    smallest_margin: float
    pass_chance: float
    regression_chance: float
    both_needed: int | None
    candidate_needed: int | None
    baseline_needed: int | None

    @property
    def is_underpowered(self) -> bool:
        """Say whether equal checkpoints would fail to pass more than one time in five."""
        return self.pass_chance < POWER


def noise_from_baseline(arm: Arm) -> Noise | None:
    """Return the noise a measured baseline shows, the candidate taken to be as noisy.

    ``None`` for one epoch, which cannot tell noise from difficulty.
    """
    if not arm.is_replicated:
        return None
    within = _padded_within(arm)
    return Noise(n_items=arm.n_items, accuracy=arm.accuracy, within_baseline=within, within_candidate=within)


def noise_from_pair(pairing: Pairing) -> Noise:
    """Return the noise two measured sides show; at one epoch the disagreement of the two, an upper bound."""
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    accuracy = (base.accuracy + cand.accuracy) / 2
    if pairing.is_replicated:
        within_base, within_cand = _padded_within(base), _padded_within(cand)
    else:
        disagreement = (float(np.sum(pairing.differences**2)) + 1) / base.n_items
        within_base = within_cand = disagreement / (1 / base.epochs.mean() + 1 / cand.epochs.mean())
    return Noise(
        n_items=base.n_items,
        accuracy=accuracy,
        within_baseline=within_base,
        within_candidate=within_cand,
    )


def standard_error(noise: Noise, epochs: Epochs) -> float:
    """Return the standard error of the delta for exactly these items."""
    per_item = noise.within_candidate / epochs.candidate + noise.within_baseline / epochs.baseline
    return math.sqrt((per_item + noise.item_spread) / noise.n_items)


def chance_of_pass(noise: Noise, epochs: Epochs, margin: float, loss: float, confidence: float) -> float:
    """Return the chance that a true ``loss`` passes at ``margin``: its interval's low end lies above.

    The low end's distance is that of the product's interval at the expected counts, which near the ceiling is
    wider than 1.96 standard errors.
    """
    error = standard_error(noise, epochs)
    distance = _distances(noise, epochs, loss, confidence).low
    return float(normal_cdf((margin - loss - distance) / error))


def chance_of_regression(
    noise: Noise, epochs: Epochs, margin: float, loss: float, confidence: float
) -> float:
    """Return the chance that a true ``loss`` is shown to exceed ``margin``."""
    error = standard_error(noise, epochs)
    distance = _distances(noise, epochs, loss, confidence).high
    return float(normal_cdf((loss - margin - distance) / error))


def plan(noise: Noise, epochs: Epochs, margin: float, *, confidence: float = 0.95) -> Plan:
    """Say what ``epochs`` can decide at ``margin`` and what would be needed."""
    check_margin(margin)
    error = standard_error(noise, epochs)
    z = critical_value(confidence)

    def enough(trial: Epochs) -> bool:
        return chance_of_pass(noise, trial, margin, 0.0, confidence) >= POWER

    return Plan(
        margin=margin,
        epochs=epochs,
        error=error,
        smallest_visible_loss=(z + normal_quantile(POWER)) * error,
        smallest_margin=smallest_margin(noise, epochs, confidence),
        pass_chance=chance_of_pass(noise, epochs, margin, 0.0, confidence),
        regression_chance=chance_of_regression(noise, epochs, margin, 2 * margin, confidence),
        both_needed=_fewest(lambda e: enough(Epochs(baseline=e, candidate=e))),
        candidate_needed=_fewest(lambda e: enough(replace(epochs, candidate=e))),
        baseline_needed=_fewest(lambda e: enough(replace(epochs, baseline=e))),
    )


def smallest_margin(noise: Noise, epochs: Epochs, confidence: float = 0.95) -> float:
    """Return the margin that equal checkpoints pass with a chance of 80 %."""
    error = standard_error(noise, epochs)
    return _distances(noise, epochs, 0.0, confidence).low + normal_quantile(POWER) * error


def candidate_epochs(noise: Noise, error: float, baseline_epochs: int) -> int | None:
    """Return the candidate epochs for a standard error of ``error``; ``None`` if the baseline is too small.

    The closed form of the design: w_c / (n SE^2 - w_b / E_b).
    """
    room = noise.n_items * error**2 - noise.within_baseline / baseline_epochs - noise.item_spread
    return math.ceil(noise.within_candidate / room - 1e-9) if room > 0 else None


def items_for_paired_t(
    loss: float, spread: float, *, power: float = POWER, confidence: float = 0.95
) -> float:
    """Return the items for which a paired t-test sees ``loss`` with item differences of ``spread``."""
    level = (1 - confidence) / 2

    def excess(n: float) -> float:
        return student_power(student_quantile(1 - level, n - 1), n - 1, math.sqrt(n) * loss / spread) - power

    high = 4.0
    while excess(high) < 0:
        high *= 2
    return root(excess, 2, high) if excess(2) < 0 else 2.0


def responses_for_accuracies(
    one: float, other: float, *, power: float = POWER, confidence: float = 0.95
) -> float:
    """Return the independent responses a side needs to tell two accuracies apart (no pairing)."""
    pooled = (one + other) / 2
    apart = critical_value(confidence) * math.sqrt(2 * pooled * (1 - pooled))
    seen = normal_quantile(power) * math.sqrt(one * (1 - one) + other * (1 - other))
    return ((apart + seen) / (one - other)) ** 2


def _padded_within(arm: Arm) -> float:
    """Return the mean within-item variance with one unseen flip added: never a noise of 0."""
    return float(np.mean(arm.item_variances)) + 1 / arm.n_responses


@dataclass(frozen=True, kw_only=True)
class _Distances:
    """How far the limits lie from the estimate."""

    low: float
    high: float


def _distances(noise: Noise, epochs: Epochs, loss: float, confidence: float) -> _Distances:
    """Return the interval's distances at the expected counts."""
    n, z = noise.n_items, critical_value(confidence)
    if min(epochs.baseline, epochs.candidate) < 2:
        changed = max(n * n * standard_error(noise, epochs) ** 2, abs(loss) * n)
        limits = tango((changed - loss * n) / 2, (changed + loss * n) / 2, n, z)
        return _Distances(low=-loss - float(limits.low), high=float(limits.high) + loss)
    base, cand = noise.accuracy, min(max(noise.accuracy - loss, 0.0), 1.0)
    base_n = _trials(base, noise.within_baseline, n * epochs.baseline)
    cand_n = _trials(cand, noise.within_candidate, n * epochs.candidate)
    limits = mover_difference(cand, wilson(cand, cand_n, z), base, wilson(base, base_n, z))
    return _Distances(low=cand - base - float(limits.low), high=float(limits.high) - (cand - base))


def _trials(accuracy: float, within: float, n_responses: int) -> float:
    """Return the effective trials of so many responses, in balanced epochs at least the responses themselves.

    The unseen flip that planning adds to the noise may lie above what an accuracy near 1 allows at all
    (Hoeffding); taken at its word it would ask for ten times the margin that the same run is given later.
    """
    within = min(within, accuracy * (1 - accuracy))
    return float(effective_n(accuracy, within / n_responses, n_responses))


def _fewest(enough: Callable[[int], bool]) -> int | None:
    """Return the fewest epochs that are enough, by doubling and halving; ``None`` beyond ``MAX_EPOCHS``."""
    high = 1
    while not enough(high):
        if high >= MAX_EPOCHS:
            return None
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
