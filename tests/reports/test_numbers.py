import math

import pytest

from reports import numbers
from reports.intervals import Interval
from reports.report import EpochCount


def _interval(low: float, high: float) -> Interval:
    return Interval(low=low, high=high, confidence=0.95, method="test")


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        pytest.param(0.98958, "98.96 %", id="two decimals"),
        pytest.param(1.0, "100.00 %", id="all"),
        pytest.param(0.99999, "99.99 %", id="nearly all is not all"),
        pytest.param(0.00001, "0.01 %", id="nearly none is not none"),
        pytest.param(0.0, "0.00 %", id="none"),
        pytest.param(1.00001, "100.00 %", id="beyond all"),
        pytest.param(None, "-", id="unknown"),
        pytest.param(math.nan, "-", id="not a number"),
        pytest.param(math.inf, "unbounded", id="unbounded"),
    ],
)
def test_percent(fraction: float | None, text: str) -> None:
    assert numbers.percent(fraction) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        pytest.param(-0.0099, 0.0099, "[-0.99, +0.99]", id="both sides"),
        pytest.param(-0.00001, 0.1, "[0.00, +10.00]", id="no minus zero"),
        pytest.param(-0.00012, 0.00012, "[-0.012, +0.012]", id="a narrow interval keeps its width"),
        pytest.param(0.1, 0.1000001, "[+10.0000000, +10.0000100]", id="a very narrow one too"),
    ],
)
def test_points_interval(low: float, high: float, text: str) -> None:
    assert numbers.points_interval(_interval(low, high)) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        pytest.param(_interval(1.04, 1.1), "1.072 [1.040, 1.100]", id="interval"),
        pytest.param(None, "1.072", id="none known"),
    ],
)
def test_ratio(interval: Interval | None, text: str) -> None:
    assert numbers.ratio(1.0722, interval) == text


def test_an_unbounded_interval() -> None:
    assert numbers.percent_interval(_interval(0.5, math.inf)) == "[50.00, unbounded]"


def _epochs(*pairs: tuple[int, int]) -> list[EpochCount]:
    return [EpochCount(epoch=i, correct=c, n=n, mean=c / n) for i, (c, n) in enumerate(pairs)]


@pytest.mark.parametrize(
    ("epochs", "text"),
    [
        pytest.param(
            _epochs(*[(29, 30)] * 10, *[(30, 30)] * 22),
            "22 epochs of 30/30, 10 of 29/30; mean 0.98958",
            id="the published AIME run",
        ),
        pytest.param(_epochs((5, 8)), "1 epoch of 5/8; mean 0.62500", id="one epoch"),
        pytest.param(_epochs(*[(i, 20) for i in range(10)]), "10 epochs, 0.0 % to 45.0 %", id="many kinds"),
        pytest.param(
            [EpochCount(epoch=1, correct=0, n=2, mean=0.75)], "1 epoch of 75.0 %", id="fractional scores"
        ),
        pytest.param([], "-", id="none"),
    ],
)
def test_epochs_grouped(epochs: list[EpochCount], text: str) -> None:
    assert numbers.epochs_grouped(epochs) == text


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        pytest.param(3, 958, "3 of 958 (0.31 %)", id="some"),
        pytest.param(0, 960, "0 of 960", id="none"),
        pytest.param(0, 0, "0 of 0", id="of nothing"),
    ],
)
def test_share(part: int, whole: int, text: str) -> None:
    assert numbers.share(part, whole) == text
