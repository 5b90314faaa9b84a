import numpy as np
import pytest

from reports.intervals import Estimate, Interval
from reports.pooled import pooled_delta


def estimate(value: float, low: float, high: float, confidence: float = 0.95) -> Estimate:
    interval = Interval(low=low, high=high, confidence=confidence, method="mover-wilson")
    return Estimate(value=value, interval=interval)


ONE, OTHER = estimate(-0.01, -0.04, 0.01), estimate(0.03, -0.01, 0.05)


def test_one_task_is_itself() -> None:
    pooled = pooled_delta({"a": ONE})
    assert pooled.value == pytest.approx(-0.01)
    assert (pooled.interval.low, pooled.interval.high) == (pytest.approx(-0.04), pytest.approx(0.01))


def test_distances_add_in_squares() -> None:
    pooled = pooled_delta({"a": ONE, "b": OTHER})
    assert pooled.value == pytest.approx(0.01)
    assert pooled.interval.low == pytest.approx(0.01 - np.hypot(0.015, 0.02))
    assert pooled.interval.high == pytest.approx(0.01 + np.hypot(0.01, 0.01))


def test_weights_are_shares() -> None:
    pooled = pooled_delta({"a": ONE, "b": OTHER}, {"a": 30, "b": 10})
    assert pooled.value == pytest.approx(0.0)
    assert pooled_delta({"a": ONE, "b": OTHER}, {"a": 3, "b": 1}) == pooled


def test_pool_is_narrower_than_its_widest() -> None:
    pooled = pooled_delta({str(i): ONE for i in range(4)})
    assert pooled.interval.width == pytest.approx(ONE.interval.width / 2)


@pytest.mark.parametrize(
    ("deltas", "weights", "message"),
    [
        pytest.param({}, None, "no task", id="no task"),
        pytest.param({"a": ONE}, {"b": 1.0}, "no weight for 'a'", id="no weight"),
        pytest.param({"a": ONE}, {"a": -1.0}, "weight -1.0 of 'a'", id="negative"),
        pytest.param({"a": ONE}, {"a": 0.0}, "sum to 0", id="nothing"),
        pytest.param(
            {"a": ONE, "b": estimate(0, -1, 1, 0.9)}, None, r"confidences \[0.9, 0.95\]", id="unlike"
        ),
    ],
)
def test_refuses(deltas: dict[str, Estimate], weights: dict[str, float] | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pooled_delta(deltas, weights)
