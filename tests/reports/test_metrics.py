import numpy as np
import pandas as pd
import pytest

from reports.best_of import majority_accuracy, pass_at_k
from reports.metrics import (
    ToolCounts,
    ratio_of_means,
    schema_accuracy,
    token_ratio,
    trigger_f1,
)
from tests.reports.score_rows import score_rows


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
