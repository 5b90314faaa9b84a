"""What the pictures of report.html have in common: sizes, axes, how the sides look."""

from matplotlib.axes import Axes

from reports.html.svg import ROLES, UNITS_PER_INCH

NARROW, WIDE = 350, 1160  # CSS pixels: a phone's column, and the page's
TEXT, SMALL = 13, 11  # font sizes in CSS pixels at the size the figures are shown at


def style_axes(axes: Axes) -> None:
    """Leave the axes below and at the left, in the muted colour, on no ground of their own."""
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(side in ("left", "bottom"))
        axes.spines[side].set_color(ROLES["muted"])
    axes.tick_params(labelsize=SMALL, colors=ROLES["muted"], length=3)
    axes.patch.set_visible(False)
    figure = axes.get_figure()
    if figure is not None:
        figure.patch.set_visible(False)


def inches(width: float, height: float) -> tuple[float, float]:
    """Return a figure size for one given in CSS pixels."""
    return width / UNITS_PER_INCH, height / UNITS_PER_INCH
