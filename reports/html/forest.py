"""The forest plot: every figure with its interval and what is tolerated of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from reports.html.drawing import SMALL, TEXT, WIDE, inches, style_axes
from reports.html.svg import ROLES, UNITS_PER_INCH, themed_svg
from reports.items import cut

_LABEL_LENGTH = 26


@dataclass(frozen=True, kw_only=True)
class ForestRow:
    """One line of the forest plot, in score units; ``edge`` is the least tolerated, ``None`` where all is."""

    label: str
    value: float
    low: float
    high: float
    edge: float | None
    text: str
    role: str


@dataclass(frozen=True, kw_only=True)
class Axis:
    """What the values are. ``is_difference``: they have signs and a line at zero; else they are shares."""

    label: str
    is_difference: bool


DELTAS = Axis(label="candidate - baseline, percentage points", is_difference=True)


def forest_plot(
    rows: Sequence[ForestRow], name: str, *, width: int, label: str, axis: Axis = DELTAS
) -> Markup:
    """Draw every value with its interval and what is tolerated of it, in percent or percentage points."""
    is_wide = width >= WIDE
    row_height, top, bottom = (34, 6, 46) if is_wide else (50, 4, 46)
    left, right = (170, 200) if is_wide else (12, 12)
    figure = Figure(figsize=inches(width, top + bottom + row_height * len(rows)))
    height = top + bottom + row_height * len(rows)
    axes = figure.add_axes(
        (left / width, bottom / height, (width - left - right) / width, row_height * len(rows) / height)
    )
    low, high = _forest_range(rows, axis)
    axes.set_xlim(low, high)
    axes.set_ylim(-len(rows) + 0.5, 0.5)
    for place, row in enumerate(rows):
        _forest_row(axes, place, row, is_wide=is_wide, has_zero=axis.is_difference)
    texts = _forest_texts(figure, axes, rows, is_wide=is_wide)
    style_axes(axes)
    axes.spines["left"].set_visible(False)
    axes.yaxis.set_major_locator(NullLocator())
    axes.xaxis.set_major_locator(MaxNLocator(7 if is_wide else 5, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(_signed if axis.is_difference else _share))
    axes.set_xlabel(axis.label, fontsize=SMALL, color=ROLES["muted"])
    return themed_svg(figure, name, label=label, texts=texts)


def _signed(x: float, _: int) -> str:
    return f"{x:+g}" if abs(x) > 1e-9 else "0"


def _share(x: float, _: int) -> str:
    return f"{x:g} %" if 0 <= x <= 100 else ""


def _forest_range(rows: Sequence[ForestRow], axis: Axis) -> tuple[float, float]:
    ends = [100 * end for row in rows for end in (row.low, row.high, row.edge) if end is not None]
    ends.append(0.0 if axis.is_difference else 100.0)
    pad = 0.06 * max(max(ends) - min(ends), 1.0)
    return min(ends) - pad, max(ends) + pad


def _forest_row(axes: Axes, place: int, row: ForestRow, *, is_wide: bool, has_zero: bool) -> None:
    y = -place if is_wide else -place - 0.16
    if row.edge is not None:
        edge, (left, right), half = 100 * row.edge, axes.get_xlim(), 0.3 if is_wide else 0.2
        axes.fill_between([edge, right], y - half, y + half, color=ROLES["zone"], linewidth=0, zorder=0)
        axes.vlines(edge, y - half, y + half, color=ROLES["regression"], linewidth=2, zorder=1)
        if left > edge:
            axes.set_xlim(left, right)
    half = 0.5 if is_wide else 0.22
    if has_zero:
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
        for column, text in enumerate((cut(row.label, _LABEL_LENGTH), row.text)):
            key = f"text-{place}-{column}"
            texts[key] = text
            side = "right" if column and not is_wide else "left"
            figure.text(
                places[column],
                y,
                key,
                fontsize=TEXT if is_wide else 12,
                color=ROLES["ink"],
                ha=side,
                va="center",
            )
    return texts
