import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.delta import Delta, paired_delta
from reports.intervals import Interval
from tests.reports.score_rows import score_matrix, score_rows, spread_misses


def marks(alphabet: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.text(alphabet, min_size=1, max_size=4), min_size=2, max_size=12)


def shown(delta: Delta) -> list[Interval]:
    parts = [
        delta.interval,
        delta.population,
        delta.baseline.interval,
        delta.baseline.population,
        delta.candidate.interval,
        delta.candidate.population,
        delta.if_candidate_missing_wrong,
        delta.if_baseline_missing_wrong,
    ]
    return [part for part in parts if part is not None]


def comparable(base: list[str], cand: list[str]) -> bool:
    return any(set(b) - {"."} and set(c) - {"."} for b, c in zip(base, cand, strict=False))


@settings(max_examples=30, deadline=None)
@given(marks("0011."), marks("0111."))
def test_swapping_sides_negates(base: list[str], cand: list[str]) -> None:
    if not comparable(base, cand):
        return
    forth = paired_delta(score_rows(base), score_rows(cand))
    back = paired_delta(score_rows(cand), score_rows(base))
    assert forth.value == pytest.approx(-back.value, abs=1e-12)
    assert forth.interval.low == pytest.approx(-back.interval.high, abs=1e-9)
    assert forth.p_value == pytest.approx(back.p_value, abs=1e-9)
    assert (forth.flips.worse, forth.flips.better) == (back.flips.better, back.flips.worse)
    assert forth.method == back.method
    assert (forth.only_baseline, forth.unscored) == (back.only_candidate, back.unscored)


@settings(max_examples=30, deadline=None)
@given(marks("01."), marks("01."), st.sampled_from([0.5, 0.8, 0.9, 0.99, 0.9999]))
def test_stays_in_range_with_width_and_widens(base: list[str], cand: list[str], confidence: float) -> None:
    if not comparable(base, cand):
        return
    tables = score_rows(base), score_rows(cand)
    delta = paired_delta(*tables, confidence=confidence)
    for interval in shown(delta):
        assert -1 <= interval.low < interval.high <= 1
    assert delta.interval.low - 1e-9 <= delta.value <= delta.interval.high + 1e-9
    wider = paired_delta(*tables, confidence=(1 + confidence) / 2)
    assert wider.interval.low <= delta.interval.low and wider.interval.high >= delta.interval.high
    assert 0 < delta.p_value <= 1


@settings(max_examples=12, deadline=None)
@given(marks("01.5"), marks("01.5"), st.randoms(use_true_random=False))
def test_order_of_rows_and_other_columns_do_not_matter(base: list[str], cand: list[str], rnd: object) -> None:
    if not comparable(base, cand):
        return
    tables = [score_rows(rows).assign(score=lambda t: t["score"] / 5) for rows in (base, cand)]
    seed = rnd.randrange(2**32)  # type: ignore[attr-defined]
    mixed = [t.sample(frac=1, random_state=seed).assign(note="x", task="t") for t in tables]
    one, other = paired_delta(*tables), paired_delta(*mixed)
    assert other.interval.low == pytest.approx(one.interval.low, abs=1e-12)
    assert other.p_value == pytest.approx(one.p_value, abs=1e-12)
    assert (other.flips.worse, other.flips.better) == (one.flips.worse, one.flips.better)


@pytest.mark.parametrize("order", sorted(set(itertools.permutations("1155"))), ids="".join)
def test_equal_means_in_any_order_are_no_flip(order: tuple[str, ...]) -> None:
    tables = [score_rows([row, "0"]).assign(score=lambda t: t["score"] / 5) for row in ("15", "".join(order))]
    flips = paired_delta(*tables).flips
    assert (flips.worse, flips.better) == (0, 0)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.text("0111", min_size=2, max_size=4), min_size=2, max_size=8))
def test_more_epochs_narrow(rows: list[str]) -> None:
    rows = [row.ljust(4, "1")[:4] for row in rows]
    few = paired_delta(score_rows(rows), score_rows(rows[::-1]))
    many = paired_delta(score_rows([r * 4 for r in rows]), score_rows([r * 4 for r in rows[::-1]]))
    assert many.interval.width < few.interval.width


@pytest.mark.parametrize(
    ("base", "cand", "method"),
    [
        pytest.param(["11", "10"], ["11", "11"], "mover-wilson", id="two epochs a side"),
        pytest.param(["11", "10"], ["1", "0"], "scaled-tango", id="one epoch in the candidate"),
        pytest.param(["1", "0"], ["11", "11"], "scaled-tango", id="one epoch in the baseline"),
        pytest.param(["1", "0"], ["1", "0"], "scaled-tango", id="one epoch a side"),
        pytest.param(
            ["111", "10."], ["1..", "11."], "mover-wilson", id="an item seen once in a replicated arm"
        ),
        pytest.param(["11", "1.", "1.", "1."], ["11"] * 4, "scaled-tango", id="hardly replicated"),
    ],
)
def test_method(base: list[str], cand: list[str], method: str) -> None:
    assert paired_delta(score_rows(base), score_rows(cand)).method == method


@pytest.mark.parametrize(
    ("right", "n_items", "n_epochs", "half", "population_half"),
    [
        pytest.param("1", 30, 32, 0.0039856, 0.1135134, id="all right, 32 epochs"),
        pytest.param("0", 30, 32, 0.0039856, 0.1135134, id="all wrong, 32 epochs"),
        pytest.param("1", 30, 1, 0.1135134, 0.1135134, id="all right, one epoch"),
    ],
)
def test_the_ceiling_has_width(
    right: str, n_items: int, n_epochs: int, half: float, population_half: float
) -> None:
    table = score_rows([right * n_epochs] * n_items)
    delta = paired_delta(table, table)
    assert delta.value == 0 and delta.p_value == 1
    assert (delta.interval.low, delta.interval.high) == (
        pytest.approx(-half, abs=1e-6),
        pytest.approx(half, abs=1e-6),
    )
    assert delta.population is not None
    assert delta.population.high == pytest.approx(population_half, abs=1e-6)


def test_falling_from_all_to_one_in_32_is_seen() -> None:
    base = score_rows(["1" * 32] * 30)
    cand = score_rows(["1" + "0" * 31] * 30)
    delta = paired_delta(base, cand)
    assert delta.interval.high < -0.9
    assert len(delta.regressed) == 30 and delta.flips.worse == 30


def test_one_item_says_nothing_of_others() -> None:
    delta = paired_delta(score_rows(["1" * 8]), score_rows(["1" * 8]))
    assert delta.population is None and delta.item_error is None
    assert delta.baseline.population is None
    assert any("one item" in text for text in delta.warnings)


def test_few_items_at_one_epoch_warn() -> None:
    delta = paired_delta(score_rows(["1"] * 9), score_rows(["1"] * 9))
    assert any("9 items at one epoch" in text for text in delta.warnings)


def test_missing_is_counted_and_left_out() -> None:
    base = score_rows(["11", "1.", "10"])
    cand = score_rows(["11", "..", "1"])
    delta = paired_delta(base, cand)
    assert delta.n_items == 2
    assert (delta.baseline.missing, delta.baseline.expected) == (1, 6)
    assert (delta.candidate.missing, delta.candidate.expected) == (3, 6)
    assert delta.unscored == ("item-1",) and delta.only_baseline == ()
    assert delta.value == pytest.approx(1 - 0.75)


def test_unscored_response_is_no_zero() -> None:
    """One of ten responses without a score: 1.0 over the nine scored, 0.9 were it wrong, one missing."""
    table = score_rows([".", *["1"] * 9])
    side = paired_delta(table, table).baseline
    assert (side.accuracy, side.if_missing_wrong, side.scored, side.missing) == (1.0, 0.9, 9, 1)


def test_errors_shrink_no_denominator_silently() -> None:
    """100 responses, 10 without a score, 80 of the rest right."""
    table = score_rows(["."] * 10 + ["1"] * 80 + ["0"] * 10)
    side = paired_delta(table, table).baseline
    assert side.accuracy == pytest.approx(0.8889, abs=5e-5)
    assert side.if_missing_wrong == 0.8 and side.missing == 10


def test_pairing_sees_what_unpaired_error_hides() -> None:
    """198 items: 150 right in both, 14 only in one, 4 only in the other, 30 in neither."""
    pairs = ["11"] * 150 + ["10"] * 14 + ["01"] * 4 + ["00"] * 30
    delta = paired_delta(score_rows([p[1] for p in pairs]), score_rows([p[0] for p in pairs]))
    assert delta.value == pytest.approx(0.0505, abs=5e-5)
    assert delta.item_error == pytest.approx(0.0212, abs=5e-5)
    assert delta.test.exact == pytest.approx(0.0309, abs=5e-5)
    assert delta.interval.low > 0


def test_item_sets_are_intersected_and_differences_named() -> None:
    base, cand = score_rows(["11"] * 4), score_rows(["11"] * 5).query("sample_id != 'item-0'")
    delta = paired_delta(base, cand)
    assert (delta.only_baseline, delta.only_candidate) == (("item-0",), ("item-4",))
    assert delta.n_items == 3 and delta.overlap == 0.75


def test_unequal_epochs_are_all_used() -> None:
    base, cand = score_rows(["1111111101"] * 5), score_rows(["11"] * 5)
    delta = paired_delta(base, cand)
    assert (delta.baseline.epochs, delta.candidate.epochs) == (10, 2)
    assert delta.baseline.scored == 50


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        pytest.param(["00"] * 5, None, id="undefined to a baseline of nothing"),
        pytest.param(["11", "10", "11", "11", "11"], 10 / 9, id="a ratio of accuracies"),
    ],
)
def test_recovery(base: list[str], expected: float | None) -> None:
    recovery = paired_delta(score_rows(base), score_rows(["11"] * 5)).recovery
    assert (recovery.value if recovery else None) == (expected and pytest.approx(expected))


def test_fractional_scores_follow_the_same_formulas() -> None:
    rng = np.random.default_rng(1)
    base = score_matrix(np.clip(rng.normal(0.8, 0.1, (50, 4)), 0, 1))
    cand = score_matrix(np.clip(rng.normal(0.7, 0.1, (50, 4)), 0, 1))
    delta = paired_delta(base, cand)
    assert delta.method == "mover-wilson" and delta.interval.high < 0
    assert delta.test.method == "permutation" and delta.p_value < 0.001
    assert delta.regressed == ()
    assert delta.interval.width < 0.2 * 2 * 1.96 * 0.5 / np.sqrt(50)  # far less noise than 0/1 scores
    assert paired_delta(base, cand).p_value == delta.p_value


def test_near_the_ceiling_one_epoch_against_many_claims_little() -> None:
    """All right once says little of a loss of one point, however well the baseline is known."""
    base = score_rows(spread_misses(30, 32, 10))
    cand = score_rows(["1"] * 30)
    assert paired_delta(base, cand).interval.low < -0.05


def test_tables_are_not_changed() -> None:
    base = pd.DataFrame({"sample_id": [1, 2], "epoch": [0, 0], "score": [1, 0]})
    before = base.copy(deep=True)
    paired_delta(base, base)
    pd.testing.assert_frame_equal(base, before)
