"""Replicas of one run side by side, and how often equal ones are taken for a mixed fleet."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, fisher_exact

from reports.replica_comparison import LEVEL, are_unlike, compare_replicas
from reports.replica_failures import failing
from reports.replica_mark import at_replica, replica_of_error
from reports.replica_text import replica_caution, replica_lines, replicas_section
from reports.replicas import named_together, replicas_of
from reports.score_table import build_frame
from tests.reports.score_rows import score_matrix, score_rows

A, B, C = "http://a/v1", "http://b/v1", "http://c/v1"


def fleet(rng: np.random.Generator, rates: list[float], n_items: int = 60, n_epochs: int = 8) -> pd.DataFrame:
    """Rows whose replica chance decides; ``rates`` is by how much each replica raises an item's chance."""
    p = np.linspace(0.5, 1.0, n_items)[:, None]
    names = rng.integers(len(rates), size=(n_items, n_epochs))
    table = score_matrix(rng.random((n_items, n_epochs)) < np.clip(p + np.array(rates)[names], 0, 1))
    return table.assign(replica=np.array([A, B, C])[names].ravel())


@pytest.mark.parametrize("rates", [[0.0, 0.0], [0.0, 0.0, 0.0]], ids=["two", "three"])
def test_equal_replicas_are_flagged_at_the_stated_level(rates: list[float]) -> None:
    n = 150
    flagged = sum(
        are_unlike(compare_replicas(fleet(np.random.default_rng(s), rates, 12, 4))) for s in range(n)
    )
    assert binomtest(flagged, n, LEVEL, alternative="greater").pvalue > 0.01, flagged


@pytest.mark.parametrize("rates", [[0.0, -0.2], [0.0, 0.0, -0.2]], ids=["two", "three"])
def test_an_unlike_replica_is_flagged(rates: list[float]) -> None:
    test = compare_replicas(fleet(np.random.default_rng(0), rates))
    assert test is not None and test.p_value < 0.001 and are_unlike(test)
    assert test.effects[-1] == min(test.effects) < -0.05


def test_one_item_two_replicas_is_fishers_exact_test() -> None:
    table = score_rows(["1110100000"]).assign(replica=[A] * 5 + [B] * 5)
    found = compare_replicas(table)
    exact = fisher_exact([[4, 1], [0, 5]])
    observed = 5 * 1 / 210 + 0  # P(4 of the 4 right answers are a's) = C(5,4) C(5,0) / C(10,4)
    assert found is not None
    assert found.p_value == pytest.approx(exact.pvalue - observed, rel=1e-9), (
        "mid-p: half of both equal tails"
    )


def test_shuffles_agree_with_the_exact_test() -> None:
    table = fleet(np.random.default_rng(10), [0.0, -0.08], 30, 6)
    exact = compare_replicas(table)
    halves = table.assign(score=table["score"] * 0.9)  # no longer right or wrong: names are shuffled
    shuffled = compare_replicas(halves)
    assert exact is not None and shuffled is not None
    assert exact.p_value == pytest.approx(0.0985, abs=0.001)
    assert shuffled.p_value == pytest.approx(exact.p_value, abs=0.02)


def test_the_order_of_rows_does_not_matter() -> None:
    table = fleet(np.random.default_rng(5), [0.0, -0.05, 0.05], 20, 4)
    mixed = table.sample(frac=1, random_state=1).reset_index(drop=True)
    one, other = compare_replicas(table), compare_replicas(mixed)
    assert one is not None and other is not None
    assert one.p_value == other.p_value and one.effects == pytest.approx(other.effects)


def test_where_nothing_speaks_nothing_differs() -> None:
    found = compare_replicas(score_rows(["1111", "1111"]).assign(replica=[A, B] * 4))
    assert found is not None and found.p_value == 1 and found.within == "the same items"


def test_one_replica_alone_is_not_compared() -> None:
    assert compare_replicas(score_rows(["10", "01"]).assign(replica=A)) is None
    early = score_rows(["1"] * 40).assign(replica=[A] * 20 + [B] * 20)
    assert compare_replicas(early) is None, "the second came when the first had gone: nothing to compare"


@pytest.mark.parametrize(("loss", "share_flagged"), [(0.0, (0.0, 0.1)), (-0.9, (1.0, 1.0))])
def test_one_epoch_is_compared_among_neighbours(loss: float, share_flagged: tuple[float, float]) -> None:
    tables = [fleet(np.random.default_rng(s), [0.0, loss], 100, 1) for s in range(100)]
    found = [compare_replicas(table) for table in tables]
    assert {one.within for one in found if one is not None} == {"items asked one after the other"}
    low, high = share_flagged
    assert low <= sum(map(are_unlike, found)) / len(found) <= high


def test_a_single_second_answer_does_not_speak_for_all_others() -> None:
    table = fleet(np.random.default_rng(0), [0.0, -0.9], 100, 1)
    second = table.iloc[:1].assign(epoch=1, replica=B if table["replica"].iloc[0] == A else A)
    found = compare_replicas(pd.concat([table, second], ignore_index=True))
    assert found is not None and are_unlike(found) and found.within == "items asked one after the other"


def test_a_replica_that_came_late_to_hard_items_is_not_blamed() -> None:
    """One epoch, easy items first; the second replica answers only near the end."""
    rng = np.random.default_rng(3)
    chance = np.linspace(1.0, 0.0, 200)[:, None]
    table = score_matrix(rng.random((200, 1)) < chance)
    late = np.where((np.arange(200) >= 120) & (rng.random(200) < 0.5), B, A)
    table = table.assign(replica=late, finished_at=np.arange(200.0) + 5, duration_s=5.0)
    shuffled = table.sample(frac=1, random_state=0)
    one, other = compare_replicas(table), compare_replicas(shuffled)
    assert one is not None and other is not None
    assert one.p_value > 0.05 and one.p_value == pytest.approx(other.p_value)
    naive = [table.loc[table["replica"] == name, "score"].mean() for name in (A, B)]
    assert naive[0] - naive[1] > 0.3


@pytest.mark.parametrize(
    ("n_failed", "n_answered", "named"),
    [
        pytest.param({A: 0, B: 9}, {A: 80, B: 0}, {B}, id="never answers"),
        pytest.param({A: 0, B: 0}, {A: 40, B: 40}, set(), id="none fails"),
        pytest.param({A: 2, B: 3}, {A: 40, B: 40}, set(), id="a fault now and then"),
        pytest.param({A: 30, B: 30}, {A: 40, B: 40}, set(), id="both fail alike"),
        pytest.param({A: 0, B: 1, C: 40}, {A: 90, B: 90, C: 60}, {C}, id="one of three"),
        pytest.param({A: 0, B: 2}, {A: 1, B: 0}, set(), id="too few to say"),
    ],
)
def test_who_fails_more(n_failed: dict[str, int], n_answered: dict[str, int], named: set[str]) -> None:
    assert failing(n_failed, n_answered) == named


def test_many_responses_are_tested_without_shuffling() -> None:
    table = fleet(np.random.default_rng(1), [0.0, 0.0, -0.1], 400, 60)
    found = compare_replicas(table)
    assert found is not None and found.p_value < 1e-6


def rows_of(*rows: tuple[str, int, str, str | None, list[str], str | None]) -> pd.DataFrame:
    """Rows of item, epoch, outcome, replica, replicas that failed before, error."""
    items, epochs, outcomes, replicas, failed, errors = (list(column) for column in zip(*rows, strict=True))
    columns = {
        "task": ["t"] * len(rows),
        "sample_id": items,
        "epoch": epochs,
        "outcome": outcomes,
        "score": [np.nan if outcome == "error" else float(outcome == "correct") for outcome in outcomes],
        "replica": replicas,
        "failed_replicas": [";".join(names) or None for names in failed],
        "error": errors,
        "output_tokens": [10.0] * len(rows),
        "duration_s": [2.0] * len(rows),
        "finished_at": [2.0 * n for n in range(1, len(rows) + 1)],
    }
    return build_frame(columns, len(rows))


MIXED = rows_of(
    ("1", 1, "correct", A, [], None),
    ("1", 2, "truncated", B, [A, A], None),
    ("2", 1, "incorrect", A, [B], None),
    ("2", 2, "error", None, [], "server: HTTP 500: boom (given up after 8 attempts in 3 s)" + at_replica(C)),
)


def test_each_replica_has_its_figures() -> None:
    found = replicas_of(MIXED, {}, 0.95)
    assert found is not None
    figures = {
        one.name: (one.n_responses, one.truncated, one.errors, one.failed_attempts) for one in found.figures
    }
    assert figures == {A: (2, 0, 0, 2), B: (1, 1, 0, 1), C: (0, 0, 1, 1)}
    assert found.figures[0].accuracy is not None and found.figures[0].accuracy.value == 0.5
    assert found.figures[2].accuracy is None


def test_a_run_of_one_server_has_no_block() -> None:
    one = MIXED[MIXED["replica"] == A].assign(failed_replicas=None)
    assert replicas_section(one, {"base_url": A}, 0.95) == {}


def test_the_block_and_its_lines() -> None:
    endpoint = {
        "replicas": [{"base_url": A, "problem": None}, {"base_url": "http://d/v1", "problem": "refused"}]
    }
    block = replicas_section(MIXED, endpoint, 0.95)["replicas"]
    assert json.loads(json.dumps(block, allow_nan=False)) == block
    assert (block["differ"], block["caution"], block["level"]) == (False, None, 0.05)
    assert block["dead"] == [{"base_url": "http://d/v1", "problem": "refused"}]
    lines = list(replica_lines(block))
    assert lines[0].startswith("replicas: 3 named, alike (p ")
    assert lines[1].startswith(f"  {A}  2 responses   accuracy 50.00% [")
    assert "failed attempts 2" in lines[1] and "errors 1" in lines[3]
    assert lines[-1] == "replica left out from the start: http://d/v1: refused"


def test_a_mixed_fleet_is_said_in_so_many_words() -> None:
    table = fleet(np.random.default_rng(0), [0.0, -0.2])
    rows = build_frame({name: table[name].to_list() for name in table}, len(table))
    block = replicas_section(rows, {}, 0.95)["replicas"]
    assert block["differ"] is True and block["caution"] == "replicas differ: mixed fleet?"
    assert "replicas differ: mixed fleet?" in next(replica_lines(block))
    (caution,) = replica_caution("candidate", compare_replicas(table))
    assert (
        caution.startswith("candidate: replicas differ: mixed fleet?")
        and B in caution
        and "level 0.05" in caution
    )
    assert list(replica_caution("candidate", None)) == []


@pytest.mark.parametrize("words", ["", "server: HTTP 500: boom", "client: no space [at noon"])
def test_an_error_of_no_replica(words: str) -> None:
    assert replica_of_error(words) is None
    assert replica_of_error(words + at_replica(A)) == A


def listed(*urls: str) -> list[dict[str, object]]:
    return [{"base_url": url, "problem": None} for url in urls]


@pytest.mark.parametrize(
    ("endpoint", "compared"),
    [
        pytest.param({"base_url": B, "named_together": []}, None, id="one server that moved"),
        pytest.param({"base_url": B}, None, id="one server, a run of before"),
        pytest.param({"base_url": A, "named_together": [A, B, C]}, (A, B, C), id="two starts of two each"),
        pytest.param({"base_url": C, "named_together": [A, B]}, (A, B), id="two, then one by itself"),
        pytest.param({"base_url": A, "replicas": listed(A, B)}, (A, B), id="two, a run of before"),
        pytest.param({}, (A, B, C), id="a score file"),
    ],
)
def test_servers_are_replicas_only_where_a_start_named_several(
    endpoint: dict[str, object], compared: tuple[str, ...] | None
) -> None:
    table = fleet(np.random.default_rng(3), [0.0, 0.0, 0.0], 12, 4)
    table["replica"] = pd.Categorical(table["replica"])
    test = compare_replicas(named_together(table, endpoint))
    assert (None if test is None else tuple(map(str, test.names))) == compared
