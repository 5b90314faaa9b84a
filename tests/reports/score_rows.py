"""Score tables for tests, written as one text per item."""

from collections.abc import Sequence

import numpy as np
import pandas as pd


def score_rows(rows: Sequence[str]) -> pd.DataFrame:
    """Return a score table from one text per item: a digit per epoch, a dot for a missing response."""
    return pd.DataFrame(
        [
            (f"item-{i}", epoch, float("nan") if mark == "." else float(mark))
            for i, marks in enumerate(rows)
            for epoch, mark in enumerate(marks)
        ],
        columns=["sample_id", "epoch", "score"],
    )


def score_matrix(scores: np.ndarray) -> pd.DataFrame:
    """Return a score table from an items x epochs array."""
    n_items, n_epochs = scores.shape
    return pd.DataFrame(
        {
            "sample_id": np.repeat([f"item-{i}" for i in range(n_items)], n_epochs),
            "epoch": np.tile(np.arange(n_epochs), n_items),
            "score": scores.astype(float).ravel(),
        }
    )


def spread_misses(n_items: int, n_epochs: int, misses: int) -> list[str]:
    """Return all-right rows but for ``misses`` wrong responses dealt out over items and epochs alike."""
    marks = [["1"] * n_epochs for _ in range(n_items)]
    for miss in range(misses):
        marks[miss % n_items][(miss + miss // n_items) % n_epochs] = "0"
    return ["".join(row) for row in marks]
