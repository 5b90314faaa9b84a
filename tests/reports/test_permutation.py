import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.arm import arm_from_scores
from reports.pairing import pair_scores
from reports.permutation import exact_test, exact_test_of, normal_test, shuffle_test
from tests.reports.score_rows import score_rows

items = st.lists(
    st.tuples(st.text("01", min_size=1, max_size=3), st.text("01", min_size=1, max_size=3)),
    min_size=1,
    max_size=5,
)


def enumerated(pairs: list[tuple[str, str]]) -> dict[str, float]:
    """Return the test's p-values by listing every way to hand out the responses within each item."""
    sums = [
        [sum(chosen) for chosen in itertools.combinations([int(mark) for mark in base + cand], len(cand))]
        for base, cand in pairs
    ]
    values = np.array([sum(way) for way in itertools.product(*sums)])
    observed = sum(int(mark) for _, cand in pairs for mark in cand)
    chance = {value: float(np.mean(values == value)) for value in set(values.tolist())}
    here = chance[observed]
    two = sum(p for p in chance.values() if p <= here * (1 + 1e-9))
    ties = sum(p for p in chance.values() if abs(p - here) <= 1e-9 * here)
    worse = float(np.mean(values <= observed))
    return {"exact": two, "mid_p": two - ties / 2, "worse": worse, "worse_mid_p": worse - here / 2}


@settings(max_examples=40, deadline=None)
@given(items)
def test_equals_listing_every_shuffle(pairs: list[tuple[str, str]]) -> None:
    pairing = pair_scores(score_rows([b for b, _ in pairs]), score_rows([c for _, c in pairs]))
    test = exact_test_of(pairing.baseline_arm, pairing.candidate_arm)
    if all(len(set(b + c)) == 1 for b, c in pairs):
        assert (test.exact, test.mid_p, test.worse) == (1, 1, 1)  # nothing to shuffle is no evidence
        return
    for name, p in enumerated(pairs).items():
        assert getattr(test, name) == pytest.approx(p, abs=1e-12)


def test_no_p_value_is_zero() -> None:
    n = np.full(2000, 32)
    test = exact_test(np.zeros(2000, int), n, n, 2 * n)
    assert 0 < test.exact < 1e-20 and 0 < test.worse < 1e-20


def test_many_unlike_strata_agree_with_the_normal_tail() -> None:
    rng = np.random.default_rng(5)
    epochs = rng.integers(1, 40, (2, 3000))
    scores = [rng.random(int(e.sum())) < 0.7 for e in epochs]
    base, cand = (
        arm_from_scores(np.repeat(np.arange(3000), e), s.astype(float), 3000)
        for e, s in zip(epochs, scores, strict=True)
    )
    assert exact_test_of(base, cand).mid_p == pytest.approx(normal_test(base, cand).exact, rel=0.02)


def fractions(seed: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(40), 4)
    return codes, np.clip(rng.normal(0.6 + shift, 0.15, 160), 0, 1)


def test_shuffling_agrees_with_the_exact_test_on_whole_scores() -> None:
    rng = np.random.default_rng(2)
    codes = np.repeat(np.arange(20), 4)
    base, cand = (rng.random(80) < 0.8).astype(float), (rng.random(80) < 0.6).astype(float)
    arms = [arm_from_scores(codes, scores, 20) for scores in (base, cand)]
    exact = exact_test_of(arms[0], arms[1])
    shuffled = shuffle_test(cand, codes, base, codes, np.random.default_rng(0))
    assert shuffled.worse_mid_p == pytest.approx(exact.worse_mid_p, abs=0.005)
    assert shuffled.mid_p == pytest.approx(exact.mid_p, abs=0.01)


def test_shuffling_is_seeded_and_blind_to_the_order_of_rows() -> None:
    (codes, base), (_, cand) = fractions(1, 0.0), fractions(2, -0.03)
    order = np.random.default_rng(9).permutation(160)
    one = shuffle_test(cand, codes, base, codes, np.random.default_rng(7))
    other = shuffle_test(cand[order], codes[order], base, codes, np.random.default_rng(7))
    assert one == other


def test_shuffling_finds_a_loss_and_is_never_zero() -> None:
    (codes, base), (_, cand) = fractions(1, 0.0), fractions(2, -0.2)
    test = shuffle_test(cand, codes, base, codes, np.random.default_rng(0))
    assert test.exact == test.worse == 1 / 10_000


def test_large_fractional_tables_use_the_permutation_variance() -> None:
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(2000), 8)
    base, cand = rng.random(16_000), rng.random(16_000)
    test = shuffle_test(cand, codes, base, codes, rng)
    arms = [arm_from_scores(codes, scores, 2000) for scores in (base, cand)]
    assert test.method == "permutation-normal"
    assert test.exact == pytest.approx(normal_test(arms[0], arms[1]).exact, rel=1e-9)


def test_equal_fractions_are_no_evidence() -> None:
    codes = np.arange(5)
    test = shuffle_test(np.full(5, 0.5), codes, np.full(5, 0.5), codes, np.random.default_rng(0))
    assert (test.exact, test.mid_p) == (1, 1)
