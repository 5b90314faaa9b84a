"""The pictures of report.html: deltas with their margins, epochs, accuracy by output length."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

from reports.html.svg import ROLES, UNITS_PER_INCH, themed_svg
from reports.intervals import Estimate
from reports.report import EpochCount
from reports.response_length import LengthBin, LengthPoint

NARROW, WIDE = 350, 1080  # CSS pixels: a phone's column, and the page's
_TEXT, _SMALL = 13, 11  # font sizes in CSS pixels at the size the figures are shown at
_LABEL_LENGTH = 26
_MAX_MARKED_EPOCHS = 40
_TICK_GAP = 0.11  # of the axis, between labels


@dataclass(frozen=True, kw_only=True)
class ForestRow:
    """One line of the forest plot, in score units; ``margin`` is ``None`` where there is none to hold."""

    label: str
    value: float
    low: float
    high: float
    margin: float | None
    text: str
    role: str


def forest_plot(rows: Sequence[ForestRow], name: str, *, width: int, label: str) -> Markup:
    """Draw every delta with its interval and the loss its task tolerates, in percentage points."""
    is_wide = width >= WIDE
    row_height, top, bottom = (34, 6, 46) if is_wide else (50, 4, 46)
    left, right = (170, 200) if is_wide else (12, 12)
    figure = Figure(figsize=_inches(width, top + bottom + row_height * len(rows)))
    height = top + bottom + row_height * len(rows)
    axes = figure.add_axes(
        (left / width, bottom / height, (width - left - right) / width, row_height * len(rows) / height)
    )
    low, high = _forest_range(rows)
    axes.set_xlim(low, high)
    axes.set_ylim(-len(rows) + 0.5, 0.5)
    for place, row in enumerate(rows):
        _forest_row(axes, place, row, is_wide=is_wide)
    texts = _forest_texts(figure, axes, rows, is_wide=is_wide)
    _style(axes)
    axes.spines["left"].set_visible(False)
    axes.yaxis.set_major_locator(NullLocator())
    axes.xaxis.set_major_locator(MaxNLocator(7 if is_wide else 5))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:+g}" if abs(x) > 1e-9 else "0"))
    axes.set_xlabel("candidate - baseline, percentage points", fontsize=_SMALL, color=ROLES["muted"])
    return themed_svg(figure, name, label=label, texts=texts)


def _forest_range(rows: Sequence[ForestRow]) -> tuple[float, float]:
    ends = [100 * end for row in rows for end in (row.low, row.high, 0.0, -(row.margin or 0.0))]
    pad = 0.06 * (max(ends) - min(ends))
    return min(ends) - pad, max(ends) + pad


def _forest_row(axes: Axes, place: int, row: ForestRow, *, is_wide: bool) -> None:
    y = -place if is_wide else -place - 0.16
    if row.margin is not None:
        edge, (left, right), half = -100 * row.margin, axes.get_xlim(), 0.3 if is_wide else 0.2
        axes.fill_between([edge, right], y - half, y + half, color=ROLES["zone"], linewidth=0, zorder=0)
        axes.vlines(edge, y - half, y + half, color=ROLES["regression"], linewidth=2, zorder=1)
        if left > edge:
            axes.set_xlim(left, right)
    half = 0.5 if is_wide else 0.22
    axes.vlines(0, y - half, y + half, color=ROLES["ink"], linewidth=1, zorder=2)
    colour = ROLES[row.role]
    axes.hlines(y, 100 * row.low, 100 * row.high, color=colour, linewidth=2.5, zorder=3)
    axes.vlines([100 * row.low, 100 * row.high], y - 0.1, y + 0.1, color=colour, linewidth=2.5, zorder=3)
    axes.plot(100 * row.value, y, marker="o", markersize=7, color=colour, zorder=4)


def _forest_texts(figure: Figure, axes: Axes, rows: Sequence[ForestRow], *, is_wide: bool) -> dict[str, str]:
    """Place each row's name and numbers as placeholders; return what stands in their place."""
    texts: dict[str, str] = {}
    width, _ = figure.get_size_inches() * UNITS_PER_INCH
    places = (12 / width, 1 - 190 / width) if is_wide else (12 / width, 1 - 12 / width)
    box = axes.get_position()
    for place, row in enumerate(rows):
        share = (place + (0.5 if is_wide else 0.24)) / len(rows)
        y = box.y1 - share * box.height
        for column, text in enumerate((_cut(row.label), row.text)):
            key = f"text-{place}-{column}"
            texts[key] = text
            side = "right" if column and not is_wide else "left"
            figure.text(
                places[column],
                y,
                key,
                fontsize=_TEXT if is_wide else 12,
                color=ROLES["ink"],
                ha=side,
                va="center",
            )
    return texts


def epoch_plot(
    baseline: Sequence[EpochCount], candidate: Sequence[EpochCount], name: str, *, label: str
) -> Markup:
    """Draw the accuracy of every epoch of both sides, and each side's mean as a line."""
    figure = Figure(figsize=_inches(NARROW, 170))
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
    axes.set_xlabel("epoch", fontsize=_SMALL, color=ROLES["muted"])
    return themed_svg(figure, name, label=label)


def length_plot(bins: Sequence[LengthBin], name: str, *, label: str) -> Markup:
    """Draw both sides' accuracy, with intervals, over the output tokens of the response (log scale)."""
    figure = Figure(figsize=_inches(NARROW, 200))
    axes = figure.add_axes((46 / NARROW, 42 / 200, (NARROW - 58) / NARROW, 148 / 200))
    axes.set_xscale("log")
    for role, marker, shift in (("baseline", "o", 0.985), ("candidate", "D", 1.015)):
        points = [(part.middle * shift, point) for part in bins if (point := getattr(part, role)) is not None]
        _length_points(axes, points, role, marker)
    _percent_axis(axes)
    middles = [part.middle for part in bins]
    axes.set_xlim(min(middles) / 1.15, max(middles) * 1.15)
    axes.xaxis.set_major_locator(FixedLocator(_token_ticks(min(middles), max(middles))))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda tokens, _: short_tokens(tokens)))
    axes.set_xlabel("output tokens of the response", fontsize=_SMALL, color=ROLES["muted"])
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
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if high / low > 4 else (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)
    ticks = [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]
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
    _style(axes)


def _style(axes: Axes) -> None:
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(side in ("left", "bottom"))
        axes.spines[side].set_color(ROLES["muted"])
    axes.tick_params(labelsize=_SMALL, colors=ROLES["muted"], length=3)
    axes.patch.set_visible(False)
    figure = axes.get_figure()
    if figure is not None:
        figure.patch.set_visible(False)


def _dashes(role: str) -> tuple[float, ...]:
    """Tell the sides apart without colour, too."""
    return (1, 0) if role == "baseline" else (4, 2)


def _inches(width: float, height: float) -> tuple[float, float]:
    return width / UNITS_PER_INCH, height / UNITS_PER_INCH


def _cut(label: str) -> str:
    return label if len(label) <= _LABEL_LENGTH else f"{label[: _LABEL_LENGTH - 1]}…"
