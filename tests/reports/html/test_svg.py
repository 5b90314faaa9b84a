from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from reports.html.drawing import NARROW, WIDE
from reports.html.forest import Axis, ForestRow, forest_plot
from reports.html.plots import epoch_plot, length_plot, short_tokens
from reports.html.svg import ROLES, themed_svg
from reports.intervals import Estimate, Interval
from reports.report import EpochCount
from reports.response_length import LengthBin, LengthPoint


def _row(label: str = "aime25", **changes: object) -> ForestRow:
    row = {
        "label": label,
        "value": -0.01,
        "low": -0.02,
        "high": 0.01,
        "edge": -0.014,
        "text": "-1",
        "role": "pass",
    }
    return ForestRow(**(row | changes))  # type: ignore[arg-type]


def _svg(markup: str) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def test_no_style_no_metadata_no_namespaces_and_colours_by_role() -> None:
    figure = Figure(figsize=(2, 2))
    axes = figure.add_subplot()
    axes.plot([1, 2], [1, 2], color=ROLES["candidate"], marker="D")
    axes.text(1, 1, "key-1", color=ROLES["muted"])
    markup = themed_svg(figure, "one", label="a < b", texts={"key-1": "<i>x</i>"})
    root = _svg(markup)
    assert root.attrib["viewBox"] == "0 0 144 144" and root.attrib["aria-label"] == "a < b"
    assert not [
        e for e in root.iter() if "style" in e.attrib or e.tag in ("style", "metadata") or "}" in e.tag
    ]
    assert any("s-candidate" in e.get("class", "").split() for e in root.iter())
    assert any(e.text == "<i>x</i>" for e in root.iter("text"))
    assert "xmlns" not in markup and "http:" not in markup


def test_every_reference_is_to_an_id_of_the_same_figure() -> None:
    root = _svg(epoch_plot(_epochs(8), _epochs(8), "task-7-epochs", label="epochs"))
    ids = {e.attrib["id"] for e in root.iter() if "id" in e.attrib}
    assert ids and all(name.startswith("task-7-epochs-") for name in ids)
    links = {e.attrib["href"] for e in root.iter() if "href" in e.attrib}
    clips = {e.attrib["clip-path"] for e in root.iter() if "clip-path" in e.attrib}
    assert {link[1:] for link in links} | {clip[5:-1] for clip in clips} <= ids


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_text_of_logs_never_reaches_the_plotting_library(width: int) -> None:
    """A glyph its font lacks would warn, a dollar would become a formula; here warnings are errors."""
    markup = forest_plot([_row("$x^2$ 你好 <b>"), _row("b")], "f", width=width, label="你好")
    texts = [e.text for e in _svg(markup).iter("text")]
    assert "$x^2$ 你好 <b>" in texts


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(_row(edge=None), id="no margin"),
        pytest.param(_row(edge=-0.5), id="a margin far outside the interval"),
        pytest.param(_row(edge=0.0), id="no loss tolerated"),
        pytest.param(_row(low=-1.0, high=1.0), id="nothing known"),
        pytest.param(_row(value=0.0, low=-1e-6, high=1e-6), id="next to no width"),
    ],
)
def test_any_row_is_drawn(row: ForestRow) -> None:
    assert "f-pass" in forest_plot([row], "f", width=WIDE, label="one")


@pytest.mark.parametrize(
    "row",
    [
        pytest.param({"value": 0.8, "low": 0.7, "high": 0.9, "edge": 0.73}, id="a pass line"),
        pytest.param({"value": 1.0, "low": 1.0, "high": 1.0, "edge": None}, id="all of it"),
        pytest.param({"value": 0.0, "low": 0.0, "high": 0.1, "edge": 1.0}, id="none of it"),
    ],
)
def test_shares_have_neither_signs_nor_a_zero_line(row: dict[str, float | None]) -> None:
    axis = Axis(label="percent", is_difference=False)
    texts = [
        e.text or ""
        for e in _svg(forest_plot([_row(**row)], "f", width=WIDE, label="one", axis=axis)).iter("text")
    ]
    shown = [text for text in texts if text.endswith(" %")]
    assert shown and "100 %" in shown and not [text for text in shown if text.startswith(("+", "-", "−"))]
    assert not [text for text in shown if float(text.removesuffix(" %")) > 100]


def _epochs(n: int, mean: float = 0.9) -> list[EpochCount]:
    return [EpochCount(epoch=at, correct=9, n=10, mean=mean) for at in range(1, n + 1)]


@pytest.mark.parametrize(
    ("baseline", "candidate"),
    [(2, 2), (128, 4), (1, 8), (0, 3)],
    ids=["few", "many and few", "one and eight", "one side missing"],
)
def test_epochs_are_drawn_however_many(baseline: int, candidate: int) -> None:
    assert "f-candidate" in epoch_plot(_epochs(baseline), _epochs(candidate, 1.0), "e", label="epochs")


def _point(value: float, half: float = 0.02) -> LengthPoint:
    interval = Interval(low=max(value - half, 0), high=min(value + half, 1), confidence=0.95, method="m")
    return LengthPoint(n_responses=9, n_items=3, accuracy=Estimate(value=value, interval=interval))


def test_lengths_are_drawn_with_one_side_missing_at_places() -> None:
    bins = [
        LengthBin(low=1, high=4, middle=2, baseline=_point(1.0), candidate=None),
        LengthBin(low=5, high=5, middle=5, baseline=None, candidate=_point(0.0)),
    ]
    assert "s-baseline" in length_plot(bins, "l", label="lengths")


@pytest.mark.parametrize(
    ("tokens", "text"), [(5, "5"), (800, "800"), (1000, "1k"), (1500, "1.5k"), (131_072, "131k")]
)
def test_short_tokens(tokens: float, text: str) -> None:
    assert short_tokens(tokens) == text
