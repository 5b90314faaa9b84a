import itertools

import numpy as np
import pandas as pd
import pytest

from reports.best_of import compare_majority, compare_pass_at, majority_accuracy, pass_at_k
from reports.intervals import Estimate
from tests.reports.score_rows import score_rows


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_pass_at_k_is_the_mean_over_all_draws(k: int) -> None:
    rows = ["11000", "00000", "11111"]
    draws = [[max(map(int, draw)) for draw in itertools.combinations(row, k)] for row in rows]
    assert pass_at_k(score_rows(rows), k) == pytest.approx(np.mean([np.mean(draw) for draw in draws]))


def test_pass_at_k_leaves_out_items_with_too_few_responses() -> None:
    assert pass_at_k(score_rows(["01", "0", "1."]), 2) == pytest.approx(1.0)
    assert pass_at_k(score_rows(["0", "1"]), 2) is None


def test_pass_at_k_refuses() -> None:
    with pytest.raises(ValueError, match="k is 0"):
        pass_at_k(score_rows(["1"]), 0)
    with pytest.raises(ValueError, match="right or wrong"):
        pass_at_k(score_rows(["1"]).assign(score=0.5), 1)


@pytest.mark.parametrize(
    ("answers", "scores", "expected"),
    [
        pytest.param(["7", "7", "3"], [1, 1, 0], 1.0, id="right answer leads"),
        pytest.param(["3", "3", "7"], [0, 0, 1], 0.0, id="wrong answer leads"),
        pytest.param(["3", "7"], [0, 1], 0.5, id="a tie counts by its share"),
        pytest.param([None, None, "7"], [0, 0, 1], 1.0, id="no answer has no vote"),
        pytest.param([None, None], [0, 0], 0.0, id="nobody voted"),
        pytest.param(["7", "3", "3"], [1, np.nan, np.nan], 1.0, id="missing responses have no vote"),
        pytest.param(["7"], [np.nan], None, id="nothing scored"),
    ],
)
def test_majority(answers: list[str | None], scores: list[float], expected: float | None) -> None:
    table = pd.DataFrame({"sample_id": "a", "epoch": range(len(answers)), "answer": answers, "score": scores})
    assert majority_accuracy(table) == expected


@pytest.mark.parametrize(
    "rows", [["11", "11"], ["00", "00"], ["1111", "1111"]], ids=["right", "wrong", "four"]
)
def test_no_interval_has_no_width(rows: list[str]) -> None:
    table = score_rows(rows)
    found = compare_pass_at(table, table, 0.95)
    assert list(found) == [f"pass@{k}" for k in (2, 4) if k <= len(rows[0])]
    for side in found.values():
        for estimate in (side.baseline, side.candidate, side.delta):
            assert estimate.interval.width > 0.1


def test_more_groups_of_responses_narrow_the_interval() -> None:
    widths = [
        compare_pass_at(score_rows(["10" * n] * 20), score_rows(["10" * n] * 20), 0.95)[
            "pass@2"
        ].delta.interval.width
        for n in (1, 4, 16)
    ]
    assert widths == sorted(widths, reverse=True) and widths[2] < widths[0] / 2


def test_only_items_with_enough_responses_on_both_sides_count() -> None:
    found = compare_pass_at(score_rows(["11", "01", "1."]), score_rows(["00", "1.", "11"]), 0.95)
    assert found["pass@2"].baseline.value == 1.0 and found["pass@2"].candidate.value == 0.0
    assert compare_pass_at(score_rows(["1"]), score_rows(["11"]), 0.95) == {}
    assert compare_pass_at(score_rows(["11"]).assign(score=0.5), score_rows(["11"]), 0.95) == {}


def _votes(text: list[str]) -> pd.DataFrame:
    return score_rows(text).assign(answer=lambda table: np.where(table["score"] == 1, "right", "wrong"))


def test_majority_of_both_sides() -> None:
    found = compare_majority(_votes(["110", "110", "100"]), _votes(["001", "111", "111"]), 0.95)
    assert found is not None
    assert found.baseline.value == pytest.approx(2 / 3) and found.candidate.value == pytest.approx(2 / 3)
    assert found.delta.value == 0 and found.delta.interval.width > 0.5
    assert compare_majority(score_rows(["1"]).assign(answer=None), _votes(["1"]), 0.95) is None


def _holds(truth: float, estimate: Estimate) -> bool:
    return estimate.interval.low <= truth <= estimate.interval.high


@pytest.mark.parametrize("k", [2, 4])
def test_intervals_of_pass_at_k_hold(k: int) -> None:
    rng = np.random.default_rng(5)
    chances = np.concatenate([rng.uniform(0.02, 0.3, 20), np.full(40, 0.9)])
    truth = float(np.mean(1 - (1 - chances) ** k))
    held = 0
    for _ in range(200):
        sides = [
            score_rows(["".join("01"[int(x)] for x in row) for row in rng.random((60, 8)) < chances[:, None]])
            for _ in range(2)
        ]
        found = compare_pass_at(sides[0], sides[1], 0.95)[f"pass@{k}"]
        held += _holds(truth, found.baseline) and _holds(0.0, found.delta)
    assert held >= 0.94 * 200
