import numpy as np
import pytest

from reports.arm import Arm, arm_from_scores, effective_n


def arm_of(rows: list[list[float]]) -> Arm:
    codes = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return arm_from_scores(codes, np.array([score for row in rows for score in row], float), len(rows))


def test_a_response_more_does_not_weigh_its_item_more() -> None:
    arm = arm_of([[1, 1, 1, 1], [0, 0]])
    assert arm.accuracy == 0.5
    assert arm.n_responses == pytest.approx(4 / (1 / 4 + 1 / 2))


def test_items_are_the_clusters() -> None:
    arm = arm_of([[1, 1, 1, 1], [1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 0]])
    assert arm.accuracy == 0.5625
    assert arm.item_error == pytest.approx(0.2135, abs=5e-5)  # from 16 rows it would be 0.1281


def test_an_item_seen_once_is_as_noisy_as_the_others() -> None:
    arm = arm_of([[1], [1, 0], [1, 1]])
    assert arm.item_variances[0] == pytest.approx((0.5 + 0) / 2)
    assert arm.is_replicated


@pytest.mark.parametrize(
    ("rows", "replicated"),
    [
        pytest.param([[1], [0], [1]], False, id="one epoch"),
        pytest.param([[1, 0], [0], [1]], False, id="a stray second response does not speak for all items"),
        pytest.param([[1, 0], [0, 0], [1], [1]], True, id="half of the items"),
    ],
)
def test_replication(rows: list[list[float]], replicated: bool) -> None:
    assert arm_of(rows).is_replicated is replicated


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([[1] * 32] * 30, id="all right"),
        pytest.param([[0] * 32] * 30, id="all wrong"),
        pytest.param([[0.5, 0.5]] * 10, id="all half right"),
        pytest.param([[1], [0]], id="two items, one epoch"),
        pytest.param([[1, 1]], id="one item"),
        pytest.param([[1]], id="one response"),
        pytest.param([[1] * 2000] * 200, id="many right"),
    ],
)
def test_intervals_have_width_and_stay_in_range(rows: list[list[float]]) -> None:
    arm = arm_of(rows)
    shown = [arm.interval(0.95), arm.population(0.95)]
    assert (shown[1] is None) is (len(rows) == 1)
    for interval in shown:
        if interval is not None:
            assert 0 <= interval.low < interval.high <= 1
            assert interval.low <= arm.accuracy <= interval.high


def test_items_that_do_not_waver_are_known_better_than_their_number_says() -> None:
    steady = arm_of([[1] * 8] * 5 + [[0] * 8] * 5)
    shaky = arm_of([[1, 0] * 4] * 10)
    assert steady.interval(0.95).width < shaky.interval(0.95).width
    assert shaky.effective_n == pytest.approx(70)  # the unbiased variance, 2/7, not 1/4
    assert steady.population(0.95).width > 3 * steady.interval(0.95).width  # type: ignore[union-attr]


def test_ragged_hard_items_may_vary_more_than_a_binomial() -> None:
    rows = [[1] * 20] * 20 + [[1, 0]] * 5
    arm = arm_of(rows)
    assert arm.effective_n < arm.n_responses


def test_effective_n_of_a_perfect_arm_is_its_responses() -> None:
    assert effective_n(1.0, 0.0, 960.0) == 960.0
    assert arm_of([[1], [0]]).effective_n == 2.0


def test_small_sets_trust_no_spread() -> None:
    small = arm_of([[1, 1]] * 29 + [[1, 0]])
    large = arm_of([[1, 1]] * 290 + [[1, 0]] * 10)
    assert small.population_n == 30
    assert large.population_n > 300


def test_select_keeps_the_items_chosen() -> None:
    arm = arm_of([[1, 1], [0, 1], [0, 0]]).select(np.array([2, 0]))
    assert arm.means.tolist() == [0, 1]
    assert arm.n_items == 2
