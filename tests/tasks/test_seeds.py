"""Seeds of responses: repeatable, different everywhere, in the range that every engine takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.seeds import response_seed


@pytest.mark.parametrize(
    ("run_seed", "sample_id", "epoch", "seed"),
    [
        (0, "aime25-0", 1, 1252465629),
        (0, "aime25-0", 2, 1702222395),
        (1, "aime25-0", 1, 154590238),
        (0, "é", 32, 1243868817),
    ],
)
def test_the_derivation_never_changes(run_seed, sample_id, epoch, seed):
    """The values are sha256sum's: its first 8 hex digits of the three parts on a line each, without the last bit."""
    assert response_seed(run_seed, sample_id, epoch) == seed


@given(st.integers(-(2**63), 2**63), st.text(max_size=20), st.integers(1, 1000))
def test_seeds_fit_every_engine(run_seed, sample_id, epoch):
    assert 0 <= response_seed(run_seed, sample_id, epoch) < 2**31


def test_no_two_responses_of_a_run_share_a_draw():
    seeds = {response_seed(0, f"aime25-{item}", epoch) for item in range(198) for epoch in range(1, 33)}
    assert len(seeds) >= 198 * 32 - 20, "a rare chance meeting is allowed"


@pytest.mark.parametrize(
    ("one", "other"),
    [((1, "2", 3), (12, "", 3)), ((0, "a\n1", 1), (0, "a", 11)), ((1, "1", 11), (11, "1", 1))],
)
def test_parts_do_not_run_into_each_other(one, other):
    assert response_seed(*one) != response_seed(*other)
