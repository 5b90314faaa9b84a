import itertools

import numpy as np
import pandas as pd
import pytest

from reports.metrics import (
    ToolCounts,
    majority_accuracy,
    pass_at_k,
    ratio_of_means,
    schema_accuracy,
    token_ratio,
    trigger_f1,
)
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


def test_token_ratio_averages_epochs_within_items() -> None:
    base = score_rows(["11", "11", "1"]).assign(output_tokens=[10, 30, 40, 40, 10])
    cand = score_rows(["1", "1", "1"]).assign(output_tokens=[40, 40, np.nan])
    ratio = token_ratio(base, cand)
    assert ratio is not None
    assert (ratio.n_items, ratio.value) == (2, pytest.approx(80 / 60))
    assert ratio.geometric == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("base", "cand", "interval", "geometric"),
    [
        pytest.param([100.0, 200], [100.0, 200], False, 1.0, id="no spread is no certainty"),
        pytest.param([100.0], [200.0], False, 2.0, id="one item"),
        pytest.param([100.0, 0, 50], [90.0, 10, 60], True, None, id="an item of nothing has no ratio"),
    ],
)
def test_token_ratio_edges(
    base: list[float], cand: list[float], interval: bool, geometric: float | None
) -> None:
    ratio = ratio_of_means(np.array(base), np.array(cand), 0.95)
    assert (ratio.interval is not None) is interval
    assert ratio.geometric == geometric
    assert ratio.geometric_interval is None


def test_categories_serve_as_ids_and_unused_ones_do_not_matter() -> None:
    ids = pd.Categorical(["a", "a", "b"], categories=["a", "b", "unused"])
    table = pd.DataFrame({"sample_id": ids, "epoch": [0, 1, 0], "score": [1.0, 0, 1]})
    table = table.assign(answer=pd.Categorical(["x", "y", "x"]), output_tokens=[1.0, 3, 4])
    assert pass_at_k(table, 1) == 0.75
    assert majority_accuracy(table) == 0.75
    ratio = token_ratio(table, table.assign(sample_id=["a", "a", "b"]))
    assert ratio is not None and ratio.n_items == 2


def test_no_tokens_no_ratio() -> None:
    table = score_rows(["1"]).assign(output_tokens=np.nan)
    assert token_ratio(table, table) is None


def counts(expected: str, triggered: str, valid: str) -> ToolCounts:
    bits = [np.array([float(mark) for mark in text]) for text in (expected, triggered, valid)]
    return ToolCounts(expected=bits[0], triggered=bits[1], correct_triggers=bits[0] * bits[1], valid=bits[2])


ALL = counts("1" * 40 + "0" * 10, "1" * 40 + "0" * 10, "1" * 40 + "0" * 10)


def test_perfect_tool_calls_have_width() -> None:
    for found in (schema_accuracy(ALL, ALL), trigger_f1(ALL, ALL)):
        assert found is not None
        assert found.delta.value == 0
        assert found.delta.interval.low < -0.04 and found.delta.interval.high > 0.04
        assert found.baseline.interval.high == 1


def test_even_chances_against_themselves_have_width() -> None:
    half = counts("1" * 40, "1" * 40, "10" * 20)
    found = schema_accuracy(half, half)
    assert found is not None and found.delta.interval.width > 0.01


def test_pairing_narrows_when_the_same_items_fail() -> None:
    base = counts("1" * 60, "1" * 60, "1" * 30 + "0" * 30)
    same = counts("1" * 60, "1" * 60, "1" * 29 + "0" * 31)
    other = counts("1" * 60, "1" * 60, "0" * 31 + "1" * 29)
    paired, unpaired = schema_accuracy(base, same), schema_accuracy(base, other)
    assert paired is not None and unpaired is not None
    assert paired.delta.interval.width < 0.6 * unpaired.delta.interval.width


def test_no_calls_no_metric() -> None:
    none = counts("0" * 5, "0" * 5, "0" * 5)
    assert schema_accuracy(ALL, none) is None
    assert trigger_f1(none, none) is None


def test_false_and_missed_triggers_both_cost() -> None:
    missed = counts("1" * 40 + "0" * 10, "1" * 30 + "0" * 20, "1" * 30 + "0" * 20)
    false = counts("1" * 40 + "0" * 10, "1" * 50, "1" * 50)
    for side, f1 in ((missed, 60 / 70), (false, 80 / 90)):
        found = trigger_f1(ALL, side)
        assert found is not None and found.candidate.value == pytest.approx(f1)
