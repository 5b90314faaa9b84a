import math
from typing import Any

import pytest

from reports.cost import Cost, Price, PriceError, cost_of
from reports.speed import speed_of
from tests.reports.timed_rows import timed_frame

NONE = float("nan")
HOUR = {"duration_s": 3600.0, "finished_at": 3600.0, "output_tokens": 500_000.0}


@pytest.mark.parametrize(
    ("row", "price", "n_solved", "cost"),
    [
        pytest.param(HOUR, {"gpu_hour": 2.5, "n_gpus": 8}, 4, (20.0, 5.0, 40.0), id="an hour on 8 GPUs"),
        pytest.param(HOUR, {"per_million": 3.0}, 3, (1.5, 0.5, 3.0), id="half a million tokens"),
        pytest.param(HOUR, {"per_million": 3.0}, 0, (1.5, None, 3.0), id="none solved"),
        pytest.param(
            HOUR | {"output_tokens": NONE}, {"per_million": 3.0}, 1, (None,) * 3, id="tokens not known"
        ),
        pytest.param(
            HOUR | {"finished_at": NONE}, {"gpu_hour": 1.0, "n_gpus": 1}, 1, (None,) * 3, id="time not known"
        ),
    ],
)
def test_cost(row: Any, price: Any, n_solved: int, cost: tuple[float | None, ...]) -> None:
    found = cost_of(speed_of(timed_frame(row)), Price(**price), n_solved)
    assert found == Cost(total=cost[0], per_solved=cost[1], per_million=cost[2])


@pytest.mark.parametrize(
    ("price", "message"),
    [
        pytest.param({}, "give one", id="none"),
        pytest.param({"gpu_hour": 1.0, "n_gpus": 1, "per_million": 1.0}, "give one", id="both"),
        pytest.param({"gpu_hour": 1.0}, "number of GPUs", id="no GPUs"),
        pytest.param({"per_million": 1.0, "n_gpus": 8}, "number of GPUs", id="GPUs of no use"),
        pytest.param({"gpu_hour": 1.0, "n_gpus": 0}, "GPUs: 0", id="no GPU"),
        pytest.param({"gpu_hour": 0.0, "n_gpus": 1}, "above 0", id="free"),
        pytest.param({"per_million": -1.0}, "above 0", id="negative"),
        pytest.param({"per_million": math.nan}, "above 0", id="no number"),
        pytest.param({"per_million": math.inf}, "above 0", id="infinite"),
    ],
)
def test_a_price_that_is_none_is_refused(price: Any, message: str) -> None:
    with pytest.raises(PriceError, match=message):
        Price(**price)
