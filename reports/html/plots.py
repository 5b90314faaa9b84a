"""The pictures of one task: its epochs, and accuracy by output length."""

import math
from collections.abc import Sequence

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from reports.html.drawing import NARROW, SMALL, inches, style_axes
from reports.html.svg import ROLES, themed_svg
from reports.intervals import Estimate
from reports.report import EpochCount
from reports.response_length import LengthBin, LengthPoint

_MAX_MARKED_EPOCHS = 40
_APART = 0.006  # of the axis, each side's points from the middle of their bin
_TICK_GAP = 0.11  # of the axis, between labels


def epoch_plot(
    baseline: Sequence[EpochCount], candidate: Sequence[EpochCount], name: str, *, label: str
) -> Markup:
    """Draw the accuracy of every epoch of both sides, and each side's mean as a line."""
    figure = Figure(figsize=inches(NARROW, 170))
    axes = figure.add_axes((46 / NARROW, 42 / 170, (NARROW - 58) / NARROW, 118 / 170))
    for epochs, role, marker in ((baseline, "baseline", "o"), (candidate, "candidate", "D")):
        values = [100 * epoch.mean for epoch in epochs]
        if not values:
            continue
        shift = 0.0 if len(values) > _MAX_MARKED_EPOCHS else 0.12 if role == "candidate" else -0.12
        places = [epoch.epoch + shift for epoch in epochs]
        size = 5.5 if len(values) <= _MAX_MARKED_EPOCHS else 3.5
        axes.plot(places, values, linestyle="none", marker=marker, markersize=size, color=ROLES[role])
        axes.axhline(sum(values) / len(values), color=ROLES[role], linewidth=1.2, dashes=_dashes(role))
    _percent_axis(axes)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    axes.set_xlabel("epoch", fontsize=SMALL, color=ROLES["muted"])
    return themed_svg(figure, name, label=label)


def length_plot(bins: Sequence[LengthBin], name: str, *, label: str) -> Markup:
    """Draw both sides' accuracy, with intervals, over the output tokens of the response (log scale)."""
    figure = Figure(figsize=inches(NARROW, 200))
    axes = figure.add_axes((46 / NARROW, 42 / 200, (NARROW - 58) / NARROW, 148 / 200))
    axes.set_xscale("log")
    low = min(part.middle for part in bins)
    high = max(low * 1.01, *(part.middle for part in bins))
    for role, marker, side in (("baseline", "o", -1), ("candidate", "D", 1)):
        shift = (high / low) ** (side * _APART)
        points = [(part.middle * shift, point) for part in bins if (point := getattr(part, role)) is not None]
        _length_points(axes, points, role, marker)
    _percent_axis(axes)
    pad = (high / low) ** 0.06
    axes.set_xlim(low / pad, high * pad)
    axes.xaxis.set_major_locator(FixedLocator(_token_ticks(low, high)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda tokens, _: short_tokens(tokens)))
    axes.set_xlabel("output tokens of the response", fontsize=SMALL, color=ROLES["muted"])
    return themed_svg(figure, name, label=label)


def _length_points(axes: Axes, points: Sequence[tuple[float, LengthPoint]], role: str, marker: str) -> None:
    if not points:
        return
    estimates: list[Estimate] = [point.accuracy for _, point in points]
    values = [100 * found.value for found in estimates]
    lows = [max(100 * (found.value - found.interval.low), 0.0) for found in estimates]
    highs = [max(100 * (found.interval.high - found.value), 0.0) for found in estimates]
    axes.errorbar(
        [place for place, _ in points],
        values,
        yerr=[lows, highs],
        marker=marker,
        markersize=5.5,
        linewidth=1.2,
        dashes=_dashes(role),
        elinewidth=1.5,
        color=ROLES[role],
    )


def _token_ticks(low: float, high: float) -> list[float]:
    """Return round numbers of tokens between the ends, none so near another that their labels touch."""
    if high / low < 2:
        ticks = [float(tick) for tick in MaxNLocator(4).tick_values(low, high) if low <= tick <= high]
    else:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        steps = (1, 2, 5) if high / low > 4 else (1, 1.5, 2, 3, 4, 6, 8)
        ticks = [
            step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high
        ]
    kept: list[float] = []
    for tick in ticks or [low, high]:
        if not kept or math.log(tick / kept[-1]) > _TICK_GAP * math.log(high / low):
            kept.append(tick)
    return kept


def short_tokens(tokens: float) -> str:
    """Format a number of tokens for an axis: ``800``, ``1.5k``, ``131k``."""
    if tokens < 1000:
        return f"{tokens:.3g}"
    return f"{tokens / 1000:.3g}k"


def _percent_axis(axes: Axes) -> None:
    """Show accuracy in percent, never beyond 0 and 100 and never over so little that noise looks large."""
    low, high = axes.get_ylim()
    middle, half = (low + high) / 2, max((high - low) / 2, 1.0) * 1.08
    axes.set_ylim(max(middle - half, -1.5), min(middle + half, 101.5))
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda percent, _: f"{percent:g} %" if percent <= 100 else "")
    )
    axes.grid(axis="y", color=ROLES["grid"], linewidth=1)
    axes.set_axisbelow(True)
    style_axes(axes)


def _dashes(role: str) -> tuple[float, ...]:
    """Tell the sides apart without colour, too."""
    return (1, 0) if role == "baseline" else (4, 2)
