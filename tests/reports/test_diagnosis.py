import numpy as np
import pandas as pd
import pytest

from reports.diagnosis import LossKind, completed_delta, diagnose, position_test
from reports.pairing import pair_scores
from reports.signals import compare_signals, is_truncated
from reports.slices import item_labels, length_profile, slices_by
from tests.reports.score_rows import score_matrix, score_rows


def table(rng: np.random.Generator, p: np.ndarray, n_epochs: int = 8) -> pd.DataFrame:
    """Return a full score table; output tokens grow with the item's number."""
    frame = score_matrix(rng.random((len(p), n_epochs)) < p[:, None])
    item = frame["sample_id"].str.slice(5).astype(int)
    return frame.assign(
        outcome=np.where(frame["score"] == 1, "correct", "incorrect"),
        stop_reason="stop",
        output_tokens=1000.0 * 2 ** (item * 5 // len(p)),
        reasoning_tokens=900.0 + item,
        flags=None,
        category=pd.Categorical(np.where(item % 2 == 0, "even", "odd")),
    )


def mark(frame: pd.DataFrame, rows: pd.Series, **values: object) -> pd.DataFrame:
    marked = frame.copy()
    for column, value in values.items():
        marked[column] = marked[column].astype(object).where(~rows, value)
    marked["score"] = marked["score"].astype(float)
    return marked


P = np.full(60, 0.9)
RNG = np.random.default_rng
BASE = table(RNG(1), P)


def test_equal_checkpoints_have_no_kind_of_loss() -> None:
    found = diagnose(BASE, table(RNG(2), P))
    assert found.kinds == ()
    assert [part.name for part in found.by_category] == ["even", "odd"]
    assert found.output_tokens is not None and found.output_tokens.value == 1
    assert found.output_tokens.interval is None


def test_truncation_is_budget_not_quality() -> None:
    cand = table(RNG(2), P)
    cand = mark(cand, cand["epoch"] == 0, outcome="truncated", stop_reason="max_tokens", score=0)
    found = diagnose(BASE, cand)
    assert LossKind.BUDGET in found.kinds
    assert found.completed is not None and found.completed.interval.high > 0
    (truncated,) = [signal for signal in found.signals if signal.name == "truncated"]
    assert (truncated.baseline, truncated.candidate) == (0, pytest.approx(1 / 8))
    assert truncated.is_more and truncated.q_value < 0.01


def test_loops_and_no_answers_are_named() -> None:
    cand = table(RNG(2), P)
    rows = cand["epoch"] < 2
    cand = mark(cand, rows, outcome="no_answer", score=0, flags="format_miss;degenerate_repetition")
    found = diagnose(BASE, cand)
    assert {LossKind.LOOPS, LossKind.NO_ANSWER} <= set(found.kinds)
    assert {"no_answer", "format_miss", "degenerate_repetition"} <= {s.name for s in found.signals}


def test_loss_that_grows_with_length() -> None:
    losing = np.where(np.arange(60) >= 36, 0.4, 0.9)
    found = diagnose(BASE, table(RNG(2), losing))
    assert LossKind.LENGTH in found.kinds
    assert found.by_length is not None and found.by_length.slope is not None
    assert found.by_length.slope.value < -0.05
    deltas = [part.delta.value for part in found.by_length.slices]
    assert deltas[-1] < deltas[0] - 0.2


def test_loss_in_one_category() -> None:
    losing = np.where(np.arange(60) % 2 == 0, 0.5, 0.9)
    found = diagnose(BASE, table(RNG(2), losing))
    assert LossKind.CATEGORY in found.kinds
    even, odd = found.by_category
    assert even.q_value < 0.01 < odd.q_value
    assert even.n_items == odd.n_items == 30


def test_a_loss_that_all_categories_share_is_none_of_theirs() -> None:
    found = diagnose(BASE, table(RNG(2), P - 0.4))
    assert all(part.q_value < 0.01 and part.delta.value < -0.2 for part in found.by_category)
    assert LossKind.CATEGORY not in found.kinds


def test_loss_without_a_pattern() -> None:
    bare = ["sample_id", "epoch", "score"]
    found = diagnose(BASE[bare], table(RNG(2), P - 0.3)[bare])
    assert found.kinds == (LossKind.UNIFORM,)
    assert found.signals == () and found.by_length is None and found.by_category == ()
    assert found.output_tokens is None


def test_a_run_that_changes_midway() -> None:
    cand = table(RNG(2), P)
    cand = mark(cand, (cand["epoch"] >= 4) & (RNG(3).random(len(cand)) < 0.3), score=0)
    found = diagnose(BASE, cand)
    assert LossKind.POSITION in found.kinds
    assert found.position is not None and len(found.position.names) == 4


def test_position_column_wins_over_epochs() -> None:
    frame = score_rows(["1100", "1100", "1010"])
    placed = frame.assign(position=[0, 1, 5, 6, 2, 3, 7, 8, 4, 9, 10, 11])
    found = position_test(placed)
    assert found is not None and found.effects[0] > found.effects[-1]
    assert position_test(score_rows(["1", "0"])) is None


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param({"outcome": ["truncated", "correct"]}, [True, False], id="by outcome"),
        pytest.param({"stop_reason": ["length", "stop"]}, [True, False], id="as the server says"),
        pytest.param({"stop_reason": [None, "max_tokens"]}, [False, True], id="as inspect says"),
        pytest.param({}, [False, False], id="unknown is not truncated"),
    ],
)
def test_truncated(columns: dict[str, list[str | None]], expected: list[bool]) -> None:
    assert is_truncated(score_rows(["1", "0"]).assign(**columns)).tolist() == expected


def test_a_failed_response_shows_no_sign_but_its_failure() -> None:
    base = score_rows(["11", "11"]).assign(outcome="correct", flags=None)
    cand = score_rows(["1.", "11"]).assign(
        outcome=["correct", "error", "correct", "correct"], flags=["a; b", None, "b", "b"]
    )
    rates = {signal.name: signal.candidate for signal in compare_signals(pair_scores(base, cand), base, cand)}
    assert rates == {"error": 0.25, "a": 0.5, "b": 1}


def test_completed_needs_a_finished_response_on_both_sides() -> None:
    base = score_rows(["11", "11"]).assign(outcome="correct")
    cut = base.assign(outcome="truncated", score=0.0)
    assert completed_delta(pair_scores(base, cut), base, cut) is None
    half = base.assign(outcome=["truncated", "correct"] * 2, score=[0.0, 1, 0, 1])
    found = completed_delta(pair_scores(base, half), base, half)
    assert found is not None and found.value == 0


def test_labels_come_from_whichever_side_has_them() -> None:
    base = score_rows(["1", "1"]).assign(category=[None, "b"])
    cand = score_rows(["1", "1"]).assign(category=["a", "z"])
    assert item_labels(base, cand, "category") == {"item-0": "a", "item-1": "b"}
    assert item_labels(base, cand, "subject") == {}


def test_fractional_slices_have_p_values() -> None:
    rng = RNG(5)
    base = score_matrix(rng.uniform(0.5, 1, (20, 4)))
    cand = score_matrix(rng.uniform(0.0, 0.5, (20, 4)))
    labels = {f"item-{i}": "x" for i in range(10)}
    (only,) = slices_by(pair_scores(base, cand), labels)
    assert only.n_items == 10 and only.p_value < 1e-6


def test_lengths_all_alike_have_no_slope() -> None:
    base = score_rows(["10"] * 8).assign(output_tokens=100)
    found = length_profile(pair_scores(base, base), base)
    assert found is not None and found.slope is None
    assert len(found.slices) == 4
    assert length_profile(pair_scores(base, base), base.assign(output_tokens=np.nan)) is None
