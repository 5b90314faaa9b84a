import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.arm import arm_from_scores
from reports.item_totals import ItemTotals, item_totals, paired_arms

scores = st.sampled_from([0.0, 1.0, 0.25, 1 / 3])
runs = st.lists(
    st.lists(st.tuples(st.integers(0, 3), scores), min_size=1, max_size=20), min_size=1, max_size=4
)


def _totals(run: list[tuple[int, float]], n_items: int = 4) -> ItemTotals:
    codes, values = zip(*run, strict=True)
    return item_totals(np.array(codes, dtype=np.int64), np.array(values), n_items)


@settings(max_examples=50)
@given(runs)
def test_adding_totals_is_pooling_responses(found: list[list[tuple[int, float]]]) -> None:
    whole = sum((_totals(run) for run in found[1:]), start=_totals(found[0]))
    codes, values = zip(*(row for run in found for row in run), strict=True)
    used, positions = np.unique(codes, return_inverse=True)
    expected = arm_from_scores(positions.astype(np.int64), np.array(values), len(used))
    arm = whole.arm(whole.items)
    assert whole.items.tolist() == used.tolist()
    np.testing.assert_array_equal(arm.epochs, expected.epochs)
    np.testing.assert_allclose(arm.means, expected.means, atol=1e-12)
    np.testing.assert_allclose(arm.variances, expected.variances, atol=1e-9)


def test_responses_all_alike_have_no_variance_however_their_sum_rounds() -> None:
    assert _totals([(0, 1 / 3)] * 7).arm(np.array([0])).variances.tolist() == [0.0]


def test_pairing_keeps_the_items_of_both_and_nothing_where_there_is_none() -> None:
    pair = paired_arms(_totals([(0, 1.0), (1, 0.0)]), _totals([(1, 1.0), (2, 1.0)]))
    assert pair is not None
    assert [arm.means.tolist() for arm in pair] == [[0.0], [1.0]]
    assert paired_arms(_totals([(0, 1.0)]), _totals([(2, 1.0)])) is None
