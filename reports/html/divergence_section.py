"""What report.html shows of a ``divergence`` block: figures, findings, where it sits, and that as a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from reports.divergence.lines import Fact, Table, headline, summary, tables
from reports.html.drawing import NARROW, SMALL, inches, style_axes
from reports.html.plots import short_tokens
from reports.html.svg import ROLES, themed_svg

_HEIGHT = 200


@dataclass(frozen=True, kw_only=True)
class DivergenceSection:
    """One block as the page shows it; ``picture`` is empty where there are no two positions to draw."""

    title: str
    facts: Sequence[Fact]
    tables: Sequence[Table]
    picture: Markup


def divergence_section(block: Mapping[str, Any] | None) -> DivergenceSection | None:
    """Return the section, ``None`` without a block."""
    if block is None:
        return None
    return DivergenceSection(
        title=headline(block), facts=summary(block), tables=tables(block), picture=position_plot(block)
    )


def position_plot(block: Mapping[str, Any]) -> Markup:
    """Draw the mean absolute difference, with intervals, over the position in the text (log scale)."""
    rows = [row for row in block["by_position"] if row["mean_absolute"] is not None]
    if len(rows) < 2 or block["is_identical"]:
        return Markup("")
    figure = Figure(figsize=inches(NARROW, _HEIGHT))
    axes = figure.add_axes((58 / NARROW, 42 / _HEIGHT, (NARROW - 70) / NARROW, 148 / _HEIGHT))
    axes.set_xscale("log", base=2)
    places = [max(row["from"], row["to"] / 4) * 2**0.5 for row in rows]
    axes.errorbar(
        places,
        [row["mean_absolute"] for row in rows],
        yerr=[[_error(row, end) for row in rows] for end in ("low", "high")],
        marker="D",
        markersize=5.5,
        linewidth=1.2,
        elinewidth=1.5,
        color=ROLES["candidate"],
    )
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(FixedLocator([float(row["from"]) for row in rows[1:]]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda tokens, _: short_tokens(tokens)))
    axes.grid(axis="y", color=ROLES["grid"], linewidth=1)
    axes.set_axisbelow(True)
    style_axes(axes)
    axes.set_xlabel("position in the text, tokens", fontsize=SMALL, color=ROLES["muted"])
    return themed_svg(figure, "divergence", label="mean absolute difference by position in the text")


def _error(row: Mapping[str, Any], end: str) -> float:
    interval = row["absolute_interval"]
    return abs(interval[end] - interval["value"]) if interval else 0.0
