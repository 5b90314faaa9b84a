"""Secondary metrics: token ratios, schema accuracy and trigger F1 of tool calls."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from reports.distributions import student_quantile
from reports.intervals import (
    Estimate,
    FloatArray,
    Interval,
    Limits,
    critical_value,
    mover_difference,
    shrunk_correlation,
    wilson,
)


@dataclass(frozen=True, kw_only=True)
class ToolCounts:
    """Tool-call counts by item, epochs summed; equal lengths, and the same items in both checkpoints.

    ``expected``: responses that should call a tool; ``triggered``: that called one; ``correct_triggers``:
    both; ``valid``: whose calls fit their schema.
    """

    expected: FloatArray
    triggered: FloatArray
    correct_triggers: FloatArray
    valid: FloatArray


@dataclass(frozen=True, kw_only=True)
class SideBySide:
    """A metric of both checkpoints and its difference."""

    baseline: Estimate
    candidate: Estimate
    delta: Estimate


@dataclass(frozen=True, kw_only=True)
class TokenRatio:
    """Candidate / baseline tokens: of the means, and typical (geometric mean over items).

    An interval is ``None`` where it cannot be known: fewer than two items, or no spread between them.
    """

    n_items: int
    value: float
    error: float | None
    interval: Interval | None
    geometric: float | None
    geometric_interval: Interval | None


def token_ratio(
    baseline: pd.DataFrame,
    candidate: pd.DataFrame,
    column: str = "output_tokens",
    *,
    confidence: float = 0.95,
) -> TokenRatio | None:
    """Compare the tokens of ``column`` over the items counted on both sides; ``None`` for no such item."""
    sides = [_item_means(table, column) for table in (baseline, candidate)]
    joined = pd.concat(sides, axis=1, join="inner").dropna().sort_index()
    b, c = joined.iloc[:, 0].to_numpy(float), joined.iloc[:, 1].to_numpy(float)
    return ratio_of_means(b, c, confidence) if len(b) and b.sum() > 0 and c.sum() > 0 else None


def ratio_of_means(baseline: FloatArray, candidate: FloatArray, confidence: float) -> TokenRatio:
    """Return mean(candidate) / mean(baseline) over paired items, and the geometric mean of item ratios.

    Interval of the first: linearised standard error, t on n - 1 degrees of freedom, on the log scale.
    """
    n = len(baseline)
    quantile = student_quantile((1 + confidence) / 2, n - 1) if n > 1 else math.nan
    value = float(candidate.sum() / baseline.sum())
    residuals = (candidate - value * baseline) / float(np.mean(baseline))
    error = float(np.std(residuals, ddof=1) / math.sqrt(n)) if n > 1 else None
    geometric, logs = None, np.empty(0)
    if (baseline > 0).all() and (candidate > 0).all():
        logs = np.log(candidate / baseline)
        geometric = float(np.exp(np.mean(logs)))
    log_error = float(np.std(logs, ddof=1) / math.sqrt(n)) if len(logs) > 1 else None
    return TokenRatio(
        n_items=n,
        value=value,
        error=error,
        interval=_log_interval(value, (error or 0) / value * quantile, confidence, "ratio-log-t"),
        geometric=geometric,
        geometric_interval=_log_interval(
            geometric or 0.0, (log_error or 0) * quantile, confidence, "geometric-t"
        ),
    )


def schema_accuracy(
    baseline: ToolCounts, candidate: ToolCounts, *, confidence: float = 0.95
) -> SideBySide | None:
    """Compare the share of triggered responses whose calls are valid; ``None`` when a side triggered none."""
    base, cand = (_Share(hits=side.valid, trials=side.triggered) for side in (baseline, candidate))
    return _compare_shares(base, cand, confidence, "wilson", _identity)


def trigger_f1(baseline: ToolCounts, candidate: ToolCounts, *, confidence: float = 0.95) -> SideBySide | None:
    """Compare F1 of calling a tool when one is expected; ``None`` when a side neither should nor did call.

    Wilson's limits on J = TP / (TP + FP + FN), mapped by F1 = 2J / (1 + J) (Lam, Gopal and Qian 2023).
    """
    base, cand = (
        _Share(
            hits=side.correct_triggers,
            trials=side.expected + side.triggered - side.correct_triggers,
        )
        for side in (baseline, candidate)
    )
    return _compare_shares(base, cand, confidence, "wilson-f1", _f1_of_jaccard)


def share_estimate(hits: float, trials: float, *, confidence: float = 0.95) -> Estimate | None:
    """Return ``hits`` of ``trials`` with Wilson's interval; ``None`` without trials."""
    return _side_estimate(hits, trials, confidence, "wilson", _identity)


def f1_estimate(
    correct: float, spurious: float, missed: float, *, confidence: float = 0.95
) -> Estimate | None:
    """Return F1 of true positives beside false positives and negatives, with the interval of :func:`trigger_f1`."""
    return _side_estimate(correct, correct + spurious + missed, confidence, "wilson-f1", _f1_of_jaccard)


def _side_estimate(
    hits: float, trials: float, confidence: float, method: str, transform: Callable[[FloatArray], FloatArray]
) -> Estimate | None:
    if trials <= 0:
        return None
    limits = wilson(hits / trials, trials, critical_value(confidence))
    mapped = Limits(transform(limits.low), transform(limits.high))
    value = float(transform(np.asarray(hits / trials)))
    return Estimate(value=value, interval=mapped.interval(confidence, method))


@dataclass(frozen=True, kw_only=True)
class _Share:
    hits: FloatArray
    trials: FloatArray

    @property
    def value(self) -> float:
        return float(self.hits.sum() / self.trials.sum())

    @property
    def residuals(self) -> FloatArray:
        return self.hits - self.value * self.trials


def _compare_shares(
    base: _Share, cand: _Share, confidence: float, method: str, transform: Callable[[FloatArray], FloatArray]
) -> SideBySide | None:
    if base.trials.sum() == 0 or cand.trials.sum() == 0:
        return None
    b, c = _share_limits(base, confidence, transform), _share_limits(cand, confidence, transform)
    base_value = float(transform(np.asarray(base.value)))
    cand_value = float(transform(np.asarray(cand.value)))
    rho = shrunk_correlation(cand.residuals, base.residuals)
    delta = mover_difference(cand_value, c, base_value, b, rho)
    return SideBySide(
        baseline=Estimate(value=base_value, interval=b.interval(confidence, method)),
        candidate=Estimate(value=cand_value, interval=c.interval(confidence, method)),
        delta=Estimate(
            value=cand_value - base_value, interval=delta.interval(confidence, "mover-wilson-paired")
        ),
    )


def _share_limits(share: _Share, confidence: float, transform: Callable[[FloatArray], FloatArray]) -> Limits:
    limits = wilson(share.value, share.trials.sum(), critical_value(confidence))
    return Limits(transform(limits.low), transform(limits.high))


def _identity(share: FloatArray) -> FloatArray:
    return share


def _f1_of_jaccard(jaccard: FloatArray) -> FloatArray:
    return 2 * jaccard / (1 + jaccard)


def _item_means(table: pd.DataFrame, column: str) -> pd.Series:
    means = table.groupby("sample_id", sort=False, observed=True)[column].mean()
    means.index = means.index.astype(object).astype(str)
    return means


def _log_interval(value: float, half: float, confidence: float, method: str) -> Interval | None:
    """Return value * exp(+-half); ``None`` for no spread, which would be a width of zero."""
    if not (math.isfinite(half) and half > 0):
        return None
    factor = math.exp(half)
    return Interval(low=value / factor, high=value * factor, confidence=confidence, method=method)
