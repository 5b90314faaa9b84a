from typing import Any

import numpy as np
import pytest

from reports.server_starts import compare_starts, server_starts
from tests.reports.declared_runs import drawn, task_run


def _at(hour: int, server: Any = None) -> dict[str, Any]:
    return {"at": f"2026-01-01T{hour:02}:00:00+00:00", "server_started": server}


ZERO = 1767225600.0  # 2026-01-01T00:00:00Z


@pytest.mark.parametrize(
    ("value", "hours"),
    [
        pytest.param(None, [], id="a manifest of before"),
        pytest.param("x", [], id="no list"),
        pytest.param([_at(1)], [1], id="one"),
        pytest.param([_at(1), _at(3)], [1, 3], id="a server that does not say may be a new one"),
        pytest.param([_at(1, 5.0), _at(3, 5.0)], [1], id="a resumed run on the same server"),
        pytest.param([_at(1, 5.0), _at(3, 9.0)], [1, 3], id="another server"),
        pytest.param([_at(1, 5.0), _at(3)], [1, 3], id="one that stopped saying"),
        pytest.param([_at(1), {"at": "soon"}, 7, {}], [1], id="times that are none"),
    ],
)
def test_starts_of_the_server(value: Any, hours: list[int]) -> None:
    assert server_starts(value) == tuple(ZERO + 3600 * hour for hour in hours)


def test_a_start_that_scores_unlike_the_others_is_seen() -> None:
    scores = drawn(0.8, 8, n_items=60)
    scores[:, 4:] *= drawn(0.6, 4, n_items=60, seed=3)
    frame = task_run(scores).frame.assign(finished_at=np.tile(np.arange(8.0), 60))
    found = compare_starts(frame, (0.0, 4.0))
    assert found is not None and found.names == ("start 1", "start 2")
    assert found.p_value < 0.001 and found.effects[0] > found.effects[1]


def test_equal_starts_are_alike() -> None:
    frame = task_run(drawn(0.8, 8, n_items=60)).frame.assign(finished_at=np.tile(np.arange(8.0), 60))
    found = compare_starts(frame, (0.0, 2.0, 4.0, 100.0))
    assert found is not None and found.names == ("start 1", "start 2", "start 3")
    assert found.p_value > 0.01


@pytest.mark.parametrize(
    ("starts", "finished"),
    [
        pytest.param((), 1.0, id="none known"),
        pytest.param((0.0,), 1.0, id="one"),
        pytest.param((0.0, 5.0), 1.0, id="a second that answered nothing"),
        pytest.param((0.0, 5.0), np.nan, id="no times"),
    ],
)
def test_one_start_is_no_blocks(starts: tuple[float, ...], finished: float) -> None:
    frame = task_run(drawn(0.8, 4)).frame.assign(finished_at=finished)
    assert compare_starts(frame, starts) is None


def test_many_starts_keep_their_order() -> None:
    frame = task_run(drawn(0.5, 12)).frame.assign(finished_at=np.tile(np.arange(12.0), 30))
    found = compare_starts(frame, tuple(map(float, range(12))))
    assert found is not None and found.names[1] == "start 2" and found.names[-1] == "start 12"
