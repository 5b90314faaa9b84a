"""All number formatting: fractions become percent and percentage points here and nowhere else."""

import math
from collections import Counter
from collections.abc import Sequence

from reports.intervals import Interval
from reports.report import EpochCount

UNKNOWN = "-"
_MAX_EPOCH_GROUPS = 6
_TOLD_CHANCE = 0.001
_ROUNDING = 1e-9  # what a sum of rounded numbers, or report.json, may lack of all


def percent(fraction: float | None, digits: int = 2) -> str:
    """Format a fraction as percent: ``98.96 %``; never ``100.00 %`` for less than all.

    >>> percent(0.98958), percent(0.99999)
    ('98.96 %', '99.99 %')
    """
    if fraction is None or math.isnan(fraction):
        return UNKNOWN
    if math.isinf(fraction):
        return "unbounded"
    return f"{_not_quite(100 * fraction, digits):.{digits}f} %"


def chance(fraction: float) -> str:
    """Format a computed probability, whose far ends no model of noise tells: ``< 0.1 %``.

    >>> chance(1e-9), chance(0.213), chance(0.9999)
    ('< 0.1 %', '21.3 %', '> 99.9 %')
    """
    if fraction < _TOLD_CHANCE:
        return f"< {percent(_TOLD_CHANCE, 1)}"
    if fraction > 1 - _TOLD_CHANCE:
        return f"> {percent(1 - _TOLD_CHANCE, 1)}"
    return percent(fraction, 1)


def _not_quite(value: float, digits: int) -> float:
    """Keep 99.999 from rounding to 100 and 0.001 from rounding to 0: all and none are claims."""
    step = 10.0**-digits
    if 100 - step / 2 <= value < 100 - _ROUNDING:
        return 100 - step
    return step if 0 < value < step / 2 else value


def limit(fraction: float) -> str:
    """Format a limit that somebody set: ``1 %``, ``99.5 %``."""
    return f"{100 * fraction:.6g} %"


def points(fraction: float, digits: int = 2) -> str:
    """Format a difference of fractions in percentage points, signed: ``-0.31 pp``.

    >>> points(-0.0062)
    '-0.62 pp'
    """
    return f"{_signed(fraction, digits)} pp"


def digits_for(interval: Interval | None) -> int:
    """Return the decimals (of a percentage) at which the interval still shows its width: 2 or more."""
    width = 100 * interval.width if interval is not None else 1.0
    return 2 if width >= 0.1 or not math.isfinite(width) else 1 - math.floor(math.log10(width))


def _signed(fraction: float, digits: int) -> str:
    text = f"{100 * fraction:+.{digits}f}"
    return f"{0:.{digits}f}" if float(text) == 0 else text


def margin_points(margin: float) -> str:
    """Format a margin: ``1.4 pp``."""
    return f"{100 * margin:.4g} pp"


def percent_interval(interval: Interval | None) -> str:
    """Format an interval of a fraction: ``[98.09, 99.43]`` (percent)."""
    if interval is None:
        return UNKNOWN
    digits = digits_for(interval)
    low = f"{_not_quite(100 * interval.low, digits):.{digits}f}"
    high = (
        f"{_not_quite(100 * interval.high, digits):.{digits}f}"
        if math.isfinite(interval.high)
        else "unbounded"
    )
    return f"[{low}, {high}]"


def points_interval(interval: Interval | None) -> str:
    """Format an interval of a difference: ``[-0.99, +0.99]`` (percentage points)."""
    if interval is None:
        return UNKNOWN
    digits = digits_for(interval)
    return f"[{_signed(interval.low, digits)}, {_signed(interval.high, digits)}]"


def ratio(value: float, interval: Interval | None) -> str:
    """Format a ratio with its interval: ``1.072 [1.041, 1.104]``."""
    digits = digits_for(interval) + 1
    if interval is None:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} [{interval.low:.{digits}f}, {interval.high:.{digits}f}]"


def decimals(value: float, low: float | None = None, high: float | None = None) -> str:
    """Format a number of unknown size with its limits: ``0.0123 [0.0117, 0.0129]``, two digits of the width."""
    if low is None or high is None:
        return f"{value:.3g}"
    width = high - low
    digits = min(max(1 - math.floor(math.log10(width)), 0), 12) if 0 < width < math.inf else 4
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def share(part: int, whole: int) -> str:
    """Format a part of a whole with its percentage: ``3 of 960 (0.31 %)``; plain ``0`` for none."""
    if part == 0 or whole == 0:
        return f"{part:,} of {whole:,}"
    return f"{part:,} of {whole:,} ({percent(part / whole)})"


def p_value(p: float) -> str:
    """Format a p-value; below 0.0001 only its size is of use."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}" if p < 0.1 else f"{p:.2f}"


def q_value(q: float) -> str:
    """Format a q-value, the share of false ones among what is named: ``q = 0.014``."""
    return "q < 0.001" if q < 0.001 else f"q = {q:.3f}"


def confidence_level(confidence: float) -> str:
    """Format a confidence: ``95 %``."""
    return f"{100 * confidence:.6g} %"


def epochs_grouped(epochs: Sequence[EpochCount]) -> str:
    """Format a side's epochs, equal ones together: ``22 epochs of 30/30, 10 of 29/30; mean 0.98958``."""
    if not epochs:
        return UNKNOWN
    groups = Counter((epoch.correct, epoch.n) for epoch in epochs)
    partly = any(abs(epoch.mean - epoch.correct / epoch.n) > 1e-9 for epoch in epochs)
    all_differ = len(groups) > 2 and max(groups.values()) == 1
    if partly or all_differ or len(groups) > _MAX_EPOCH_GROUPS:
        means = [epoch.mean for epoch in epochs]
        low, high = percent(min(means), 1), percent(max(means), 1)
        return f"{_epochs(len(epochs))} of {low}" if low == high else f"{len(epochs)} epochs, {low} to {high}"
    ordered = sorted(groups.items(), key=lambda group: (-group[0][0] / group[0][1], -group[0][1]))
    texts = [f"{times} of {correct:,}/{n:,}" for (correct, n), times in ordered]
    texts[0] = f"{_epochs(ordered[0][1])} of {ordered[0][0][0]:,}/{ordered[0][0][1]:,}"
    mean = sum(epoch.correct for epoch in epochs) / sum(epoch.n for epoch in epochs)
    return f"{', '.join(texts)}; mean {mean:.5f}"


def _epochs(number: int) -> str:
    return f"{number} epoch{'s' * (number != 1)}"
