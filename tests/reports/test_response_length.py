from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from reports.response_length import BINS, MIN_RESPONSES, length_bins
from reports.score_table import build_frame


def _frame(tokens: list[float], scores: list[float], n_items: int = 10) -> pd.DataFrame:
    n = len(tokens)
    return build_frame(
        {
            "sample_id": [f"i{at % n_items}" for at in range(n)],
            "epoch": [at // n_items for at in range(n)],
            "score": scores,
            "output_tokens": tokens,
        },
        n,
    )


def test_every_counted_response_is_in_one_bin() -> None:
    rng = np.random.default_rng(3)
    sides = [_frame(list(rng.integers(1, 9_000, n)), list(rng.integers(0, 2, n))) for n in (400, 300)]
    bins = length_bins(*sides)
    assert len(bins) == BINS
    assert sum(part.baseline.n_responses for part in bins if part.baseline) == 400
    assert sum(part.candidate.n_responses for part in bins if part.candidate) == 300
    assert all(one.high <= other.low for one, other in pairwise(bins))
    assert all(part.low <= part.middle <= part.high for part in bins)


def test_accuracy_is_of_the_responses_within() -> None:
    tokens = [float(100 + at) for at in range(80)]
    short_right = [float(at < 40) for at in range(80)]
    bins = length_bins(_frame(tokens, short_right), _frame(tokens, [1.0] * 80))
    found = [part.baseline.accuracy.value for part in bins if part.baseline is not None]
    assert found == [1.0] * 4 + [0.0] * 4
    assert all(part.candidate is not None and part.candidate.accuracy.interval.low < 1 for part in bins)


@pytest.mark.parametrize(
    ("tokens", "scores"),
    [
        pytest.param([], [], id="no responses"),
        pytest.param([float("nan")] * 20, [1.0] * 20, id="tokens not counted"),
        pytest.param([5.0] * 20, [1.0] * 20, id="all of one length"),
        pytest.param([float(at) for at in range(20)], [float("nan")] * 20, id="none scored"),
    ],
)
def test_nothing_to_cut(tokens: list[float], scores: list[float]) -> None:
    assert length_bins(_frame(tokens, scores), _frame(tokens, scores)) == ()


def test_too_few_responses_of_a_side_are_no_point() -> None:
    many = _frame([float(at) for at in range(1, 81)], [1.0] * 80)
    few = _frame([float(at) for at in range(1, MIN_RESPONSES)], [1.0] * (MIN_RESPONSES - 1))
    assert all(part.candidate is None for part in length_bins(many, few))
