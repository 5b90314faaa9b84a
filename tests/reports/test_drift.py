import numpy as np
import pytest

from reports.delta import paired_delta
from reports.drift import check_drift, compare_blocks
from reports.pairing import pair_scores
from tests.reports.score_rows import score_matrix, score_rows, spread_misses


def runs(rng: np.random.Generator, shock: float, n_epochs: int = 8) -> np.ndarray:
    p = np.linspace(0.3, 0.9, 200)[:, None] + shock * np.where(np.arange(n_epochs) % 2, 1, -1)
    return rng.random((200, n_epochs)) < p


def check(shock: float, n_epochs: int = 8, seed: int = 1):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(seed)
    tables = [score_matrix(runs(rng, shock, n_epochs)) for _ in range(2)]
    return check_drift(pair_scores(*tables), paired_delta(*tables).interval)


def test_a_shared_shock_is_seen_and_widens() -> None:
    found = check(0.1)
    assert found is not None and found.has_drift and found.ratio > 2
    assert found.interval.method == "mover-wilson+epochs"
    assert found.epoch_interval is not None
    assert found.interval.low <= found.epoch_interval.low and found.interval.high >= found.epoch_interval.high


def test_alarms_without_drift_are_one_in_twenty() -> None:
    found = [check(0.0, 4, seed) for seed in range(80)]
    alarms = sum(one.has_drift for one in found if one is not None)
    assert 1 <= alarms <= 11
    assert np.mean([one.ratio for one in found if one is not None]) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("n_epochs", [1, 3])
def test_too_few_epochs_say_nothing(n_epochs: int) -> None:
    assert check(0.0, n_epochs) is None


def test_epochs_that_lack_many_items_do_not_count() -> None:
    rng = np.random.default_rng(0)
    scores = runs(rng, 0.0, 4).astype(float)
    scores[:50, 3] = np.nan
    tables = score_matrix(scores), score_matrix(runs(rng, 0.0, 4))
    assert check_drift(pair_scores(*tables), paired_delta(*tables).interval) is None


def test_all_right_does_not_drift() -> None:
    table = score_rows(["1" * 8] * 10)
    found = check_drift(pair_scores(table, table), paired_delta(table, table).interval)
    assert found is not None and not found.has_drift
    assert (found.ratio, found.p_value, found.epoch_interval) == (1, 1, None)


@pytest.mark.parametrize("misses", [0, 10, 33, 60])
def test_misses_spread_over_epochs_are_no_drift_and_in_one_epoch_are(misses: int) -> None:
    base, spread = score_rows(spread_misses(30, 32, 10)), score_rows(spread_misses(30, 32, misses))
    bad_epoch = score_rows(["0" + "1" * 31] * 10 + ["1" * 32] * 20)
    for cand, drifts in ((spread, False), (bad_epoch, True)):
        found = check_drift(pair_scores(base, cand), paired_delta(base, cand).interval)
        assert found is not None and found.has_drift is drifts


def test_one_bad_server_of_three_is_seen() -> None:
    rng = np.random.default_rng(2)
    p = np.repeat([0.8, 0.8, 0.6], 4)[None, :]
    table = score_matrix(rng.random((150, 12)) < p)
    replicas = [f"server-{epoch // 4}" for epoch in table["epoch"]]
    found = compare_blocks(table.assign(replica=replicas), "replica")
    assert found is not None and found.p_value < 1e-6
    assert found.names == ("server-0", "server-1", "server-2")
    assert found.effects[2] < -0.1 and found.df == 2


def test_servers_that_answered_other_items_are_not_compared_by_difficulty() -> None:
    """Server a took the easy items, b the hard ones; only the shared items speak, and they agree."""
    table = score_rows(["11", "11", "00", "00", "10", "01"])
    replicas = ["a", "a", "a", "a", "b", "b", "b", "b", "a", "b", "a", "b"]
    found = compare_blocks(table.assign(replica=replicas), "replica")
    assert found is not None
    assert (found.p_value, found.effects) == (1, (0, 0))


@pytest.mark.parametrize("replicas", [["a"] * 4, [None] * 4])
def test_one_server_has_nothing_to_compare(replicas: list[str | None]) -> None:
    assert compare_blocks(score_rows(["11", "10"]).assign(replica=replicas), "replica") is None


def test_two_blocks_of_one_item_are_the_exact_variance() -> None:
    """Six responses, three a block, one block all right, the other all wrong: chi2 = 5 by hand."""
    table = score_rows(["111000"]).assign(half=["a"] * 3 + ["b"] * 3)
    found = compare_blocks(table, "half")
    assert found is not None and found.statistic == pytest.approx(5)


def test_hundreds_of_epochs_are_tested_in_groups() -> None:
    rng = np.random.default_rng(4)
    p = np.linspace(0.3, 0.9, 20)[:, None] + np.where(np.arange(600) < 300, 0.05, -0.05)
    shifted = score_matrix(rng.random((20, 600)) < p)
    calm = score_matrix(rng.random((20, 600)) < np.linspace(0.3, 0.9, 20)[:, None])
    for cand, drifts in ((shifted, True), (calm, False)):
        found = check_drift(pair_scores(calm, cand), paired_delta(calm, cand).interval)
        assert found is not None and found.has_drift is drifts
