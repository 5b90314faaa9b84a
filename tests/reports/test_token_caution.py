"""When a comparison cautions that one side writes far more tokens than the other."""

import numpy as np
import pandas as pd
import pytest

from reports.diagnosis import diagnose
from reports.token_caution import token_caution


def side(factor, *, n_items=40, seed=0):
    """A side that is always right and writes ``factor`` times a length of its own."""
    rng = np.random.default_rng(seed)
    lengths = rng.lognormal(6.0, 0.3, n_items) * factor
    return pd.DataFrame(
        {
            "sample_id": [f"item-{k}" for k in range(n_items)],
            "epoch": 1,
            "score": 1.0,
            "output_tokens": lengths.round() if factor else np.nan,
        }
    )


@pytest.mark.parametrize(
    ("factor", "cautions"),
    [(1.0, False), (1.3, False), (0.8, False), (1.7, True), (97.0, True), (0.4, True), (0, False)],
)
def test_a_caution_only_where_lengths_are_far_apart(factor, cautions):
    lines = list(token_caution(diagnose(side(1.0), side(factor, seed=1))))
    assert bool(lines) is cautions
    if cautions:
        assert lines[0].startswith("output tokens, candidate / baseline ")
        assert "compare thinking, chat template and sampling" in lines[0]


def test_a_ratio_that_may_be_small_is_none():
    assert not list(token_caution(diagnose(side(1.0, n_items=2), side(2.0, n_items=2, seed=3))))
