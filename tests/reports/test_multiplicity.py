import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.multiplicity import benjamini_hochberg, holm

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
@given(p_values, st.randoms(use_true_random=False))
def test_adjusted_never_smaller_and_blind_to_order(adjust, values, rnd) -> None:  # type: ignore[no-untyped-def]
    adjusted = adjust(values)
    assert all(p <= a <= 1 for p, a in zip(values, adjusted, strict=True))
    order = rnd.sample(range(len(values)), len(values))
    assert adjust([values[i] for i in order]) == pytest.approx([adjusted[i] for i in order])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_nothing_to_adjust(adjust) -> None:  # type: ignore[no-untyped-def]
    assert adjust([]) == []
    assert adjust([0.03]) == [0.03]


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_refuses_what_is_no_p_value(adjust) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"p-value: 1\.2"):
        adjust([0.1, 1.2])
