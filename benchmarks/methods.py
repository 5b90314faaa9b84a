"""The product's interval and its rivals, over many simulated runs at once."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from benchmarks.shapes import Draws, FloatArray
from reports.arm import REPLICATED_SHARE, effective_n
from reports.intervals import Limits, critical_value, mover_difference, scaled_tango, wilson
from reports.paired_intervals import POPULATION_STEP

Z = critical_value(0.95)
RESAMPLES = 400


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Every run of one checkpoint reduced to items (NaN where an item has no score on both sides)."""

    scored: FloatArray
    means: FloatArray
    variances: FloatArray

    @property
    def n_items(self) -> FloatArray:
        return np.asarray(np.isfinite(self.means).sum(axis=1), dtype=np.float64)

    @property
    def accuracy(self) -> FloatArray:
        return np.asarray(np.nanmean(self.means, axis=1))

    @property
    def n_responses(self) -> FloatArray:
        return np.asarray(self.n_items**2 / np.nansum(1 / self.scored, axis=1))

    @property
    def is_replicated(self) -> bool:
        return bool(np.mean(np.nanmean(self.scored >= 2, axis=1)) >= REPLICATED_SHARE)

    def limits(self, z: float = Z) -> Limits:
        imputed = np.nanmean(np.where(self.scored >= 2, self.variances, np.nan), axis=1)[:, None]
        within = np.where(self.scored >= 2, self.variances, imputed)
        variance = np.nansum(within / self.scored, axis=1) / self.n_items**2
        n = effective_n(self.accuracy, variance, self.n_responses)
        return wilson(self.accuracy, n, z)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Both checkpoints of every run, over the items scored on both sides."""

    baseline: Summary
    candidate: Summary

    @property
    def differences(self) -> FloatArray:
        return self.candidate.means - self.baseline.means

    @property
    def value(self) -> FloatArray:
        return self.candidate.accuracy - self.baseline.accuracy


def pair_of(baseline: Draws, candidate: Draws) -> Pair:
    kept = (baseline.scored > 0) & (candidate.scored > 0)
    sides = [_summary(draws, kept) for draws in (baseline, candidate)]
    return Pair(baseline=sides[0], candidate=sides[1])


def ours(pair: Pair, z: float = Z) -> Limits:
    """The headline: MOVER on Wilson limits, or scaled Tango where a side has one epoch."""
    base, cand = pair.baseline, pair.candidate
    if base.is_replicated and cand.is_replicated:
        return mover_difference(cand.accuracy, cand.limits(z), base.accuracy, base.limits(z))
    return scaled_tango(pair.differences, z, unseen=1)


def design_one_epoch(pair: Pair) -> Limits:
    """Scaled Tango without the allowance for an unseen flip."""
    return scaled_tango(pair.differences, Z)


def population(pair: Pair) -> Limits:
    """The second line: items as a sample."""
    replicated = pair.baseline.is_replicated and pair.candidate.is_replicated
    return scaled_tango(pair.differences, Z, floor=POPULATION_STEP, unseen=0 if replicated else 1)


def naive_z(pair: Pair) -> Limits:
    """Responses as independent questions, sides unpaired."""
    parts = []
    for side in (pair.candidate, pair.baseline):
        n = np.nansum(side.scored, axis=1)
        p = np.nansum(side.scored * side.means, axis=1) / n
        parts.append((p, p * (1 - p) / n))
    value = parts[0][0] - parts[1][0]
    half = Z * np.sqrt(parts[0][1] + parts[1][1])
    return Limits(value - half, value + half)


def clustered_t(pair: Pair) -> Limits:
    """Paired t-test over items."""
    n = pair.baseline.n_items
    half = student.ppf(0.975, n - 1) * np.nanstd(pair.differences, axis=1, ddof=1) / np.sqrt(n)
    return Limits(pair.value - half, pair.value + half)


def bootstrap(pair: Pair) -> Limits:
    """Percentiles of the mean over items drawn with replacement (the draws shared by all runs)."""
    d = np.nan_to_num(pair.differences)
    n = d.shape[1]
    rng = np.random.default_rng(n)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).T / n
    low, high = np.percentile(d @ weights, [2.5, 97.5], axis=1)
    return Limits(low, high)


def _summary(draws: Draws, kept: np.typing.NDArray[np.bool_]) -> Summary:
    scored = np.where(kept, draws.scored, np.nan).astype(np.float64)
    means = draws.right / scored
    variances = means * (1 - means) * scored / np.where(scored > 1, scored - 1, np.nan)
    return Summary(scored=scored, means=means, variances=variances)
