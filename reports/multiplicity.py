"""p-values adjusted for looking at several tasks or slices at once."""

from collections.abc import Sequence

import numpy as np

from reports.intervals import FloatArray


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values: claims of any task being worse hold together at the level."""
    p, order = _sorted(p_values)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _restored(stepped, order)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return Benjamini and Hochberg's q-values: the share of false claims among those at or below."""
    p, order = _sorted(p_values)
    ratios = p[order] * (len(p) / np.arange(1, len(p) + 1))
    return _restored(np.minimum.accumulate(ratios[::-1])[::-1], order)


def _sorted(p_values: Sequence[float]) -> tuple[FloatArray, np.typing.NDArray[np.int64]]:
    p = np.asarray(p_values, dtype=np.float64)
    wrong = p[~((p >= 0) & (p <= 1))]
    if len(wrong):
        raise ValueError(f"p-value: {wrong[0]}; expected 0 to 1")
    return p, np.argsort(p, kind="stable")


def _restored(adjusted: FloatArray, order: np.typing.NDArray[np.int64]) -> list[float]:
    result = np.empty(len(order))
    result[order] = np.minimum(adjusted, 1)
    return [float(value) for value in result]
