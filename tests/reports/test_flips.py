import numpy as np
import pytest

from reports.flips import count_flips, regressed_items
from reports.pairing import pair_scores
from tests.reports.score_rows import score_matrix, score_rows


def test_one_epoch_counts_answers() -> None:
    pairing = pair_scores(score_rows(list("1111100")), score_rows(list("1110010")))
    flips = count_flips(pairing, 0.95)
    assert (flips.worse, flips.better) == (2, 1)
    assert flips.rate == pytest.approx(3 / 7)
    assert flips.interval is not None and flips.interval.low < 3 / 7 < flips.interval.high
    assert flips.corrected_rate is None and flips.baseline_self_rate is None


def test_equal_checkpoints_disagree_only_as_much_as_with_themselves() -> None:
    rng = np.random.default_rng(4)
    p = rng.uniform(0.2, 1, (600, 1))
    pairing = pair_scores(score_matrix(rng.random((600, 6)) < p), score_matrix(rng.random((600, 6)) < p))
    flips = count_flips(pairing, 0.95)
    assert flips.rate == pytest.approx(flips.baseline_self_rate, abs=0.03)
    assert flips.raw_rate == pytest.approx(0, abs=0.01)


def test_excess_is_the_mean_square_of_true_changes() -> None:
    rng = np.random.default_rng(4)
    p = np.full((2000, 1), 0.5)
    change = np.where(np.arange(2000) % 2, 0.3, -0.3)[:, None]
    base, cand = rng.random((2000, 8)) < p, rng.random((2000, 8)) < p + change
    flips = count_flips(pair_scores(score_matrix(base), score_matrix(cand)), 0.95)
    assert flips.corrected_rate == pytest.approx(0.09, abs=0.01)


def test_excess_is_half_the_disagreement_beyond_self_disagreement() -> None:
    rng = np.random.default_rng(8)
    pairing = pair_scores(score_matrix(rng.random((40, 3)) < 0.7), score_matrix(rng.random((40, 5)) < 0.5))
    flips = count_flips(pairing, 0.95)
    assert flips.baseline_self_rate is not None and flips.candidate_self_rate is not None
    excess = flips.rate - (flips.baseline_self_rate + flips.candidate_self_rate) / 2
    assert flips.raw_rate == pytest.approx(excess, abs=1e-12)


def test_negative_excess_is_cut_and_kept() -> None:
    flips = count_flips(pair_scores(score_rows(["10", "01"]), score_rows(["01", "10"])), 0.95)
    assert flips.corrected_rate == 0 and flips.raw_rate == pytest.approx(-0.5)


def test_names_only_items_that_chance_does_not_explain() -> None:
    base = score_rows(["1" * 32] * 10)
    cand = score_rows(["1" * 8 + "0" * 24, "1" * 31 + "0", *["1" * 32] * 8])
    (item,) = regressed_items(pair_scores(base, cand))
    assert (item.sample_id, item.baseline, item.candidate) == ("item-0", 1, 0.25)
    assert item.p_value < 1e-9 and item.q_value <= 0.1


def test_one_epoch_never_names_an_item() -> None:
    assert regressed_items(pair_scores(score_rows(["1"] * 200), score_rows(["0"] * 200))) == ()
