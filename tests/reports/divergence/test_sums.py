"""What is summed of single tokens: differences, agreement, ranks, tokens without any chance."""

import math

import numpy as np
import pytest

from reports.divergence.records import TokenChunk
from reports.divergence.sums import Sum, bin_edges, token_columns


def chunk(logprobs, ranks=None, tops=None):
    n = len(logprobs)
    return TokenChunk(
        start=0,
        ids=np.arange(n),
        logprobs=np.array(logprobs, dtype=float),
        ranks=np.array(ranks or [1] * n),
        tops=np.array(tops or range(n)),
        texts=["w"] * n,
    )


def sums_of(ours, theirs, top_k=10):
    return dict(zip(Sum, token_columns(ours, theirs, top_k).sum(axis=0), strict=True))


def test_the_log_ratio_and_its_companion_of_mean_zero():
    found = sums_of(chunk([math.nan, -1.0, -2.0]), chunk([math.nan, -1.5, -1.8]))
    ratios = [math.expm1(-0.5), math.expm1(0.2)]
    assert found[Sum.TOKENS] == 2
    assert found[Sum.LOG_RATIO] == pytest.approx(0.3)
    assert found[Sum.ABSOLUTE] == pytest.approx(0.7)
    assert found[Sum.RATIO] == pytest.approx(sum(ratios))
    assert found[Sum.CONTROLLED] == pytest.approx(0.3 + sum(ratios))


@pytest.mark.parametrize(
    ("ours", "theirs", "counts"),
    [
        pytest.param([-1.0], [-9999.0], (0, 0, 1), id="the candidate rules it out"),
        pytest.param([-9999.0], [-1.0], (0, 1, 0), id="the baseline does"),
        pytest.param([math.nan], [-1.0], (0, 0, 0), id="unknown"),
        pytest.param([-1.0], [-1.0], (1, 0, 0), id="known"),
    ],
)
def test_tokens_of_probability_zero_are_in_no_mean(ours, theirs, counts):
    found = sums_of(chunk(ours), chunk(theirs))
    assert (found[Sum.TOKENS], found[Sum.RULED_OUT_BASELINE], found[Sum.RULED_OUT_CANDIDATE]) == counts
    assert np.isfinite(found[Sum.LOG_RATIO]) and found[Sum.LOG_RATIO] == 0


def test_agreement_counts_known_tops_only_and_ranks_those_that_left():
    ours = chunk([-1.0] * 4, ranks=[1, 3, 11, 0], tops=[5, 6, 7, -1])
    theirs = chunk([-1.0] * 4, ranks=[2, 4, 1, 9], tops=[5, 9, 7, 8])
    found = sums_of(ours, theirs, top_k=3)
    assert (found[Sum.TOPS], found[Sum.SAME_TOP]) == (3, 2)
    assert (found[Sum.IN_TOP_K], found[Sum.LEFT_TOP_K]) == (2, 1)


def test_bins_double():
    assert [bin_edges(k) for k in range(4)] == [(0, 64), (64, 128), (128, 256), (256, 512)]
