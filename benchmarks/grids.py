"""Round weights to the grids of quantized checkpoints: INT8, INT4 and NVFP4, as fake-quantized floats.

Each function takes a matrix (out, in) and returns the nearest matrix that the format can hold.
"""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float32]
Round = Callable[[Weights], Weights]

INT4_GROUP = 32  # as Kimi's INT4 checkpoints group their experts
NVFP4_GROUP = 16
_E2M1 = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0], dtype=np.float32)
_E4M3_MOST = 448.0


def int8(weights: Weights) -> Weights:
    """Symmetric, one scale a row."""
    return _symmetric(weights, weights.shape[1], 127)


def int4(weights: Weights) -> Weights:
    """Symmetric, one scale for each ``INT4_GROUP`` weights of a row."""
    return _symmetric(weights, INT4_GROUP, 7)


def nvfp4(weights: Weights) -> Weights:
    """E2M1 values, an E4M3 scale for each ``NVFP4_GROUP`` of them, one float scale for the matrix."""
    groups = _groups(weights, NVFP4_GROUP)
    peaks = np.abs(groups).max(axis=-1, keepdims=True)
    whole = max(float(peaks.max()) / (_E2M1[-1] * _E4M3_MOST), np.finfo(np.float32).tiny)
    scales = _e4m3(peaks / _E2M1[-1] / whole) * whole
    safe = np.where(scales > 0, scales, 1.0)
    size = np.abs(groups) / safe
    middles = (_E2M1[1:] + _E2M1[:-1]) / 2
    rounded = _E2M1[np.searchsorted(middles, size)] * np.sign(groups) * np.where(scales > 0, scales, 0.0)
    return rounded.reshape(weights.shape).astype(np.float32)


GRIDS: Mapping[str, Round] = {"int8": int8, "int4": int4, "nvfp4": nvfp4}


def _symmetric(weights: Weights, group: int, most: int) -> Weights:
    groups = _groups(weights, group)
    scales = np.abs(groups).max(axis=-1, keepdims=True) / most
    safe = np.where(scales > 0, scales, 1.0)
    return (np.round(groups / safe) * safe).reshape(weights.shape).astype(np.float32)


def _groups(weights: Weights, group: int) -> Weights:
    if weights.ndim != 2 or weights.shape[1] % group:
        raise ValueError(f"weights of shape {weights.shape}: rows do not divide into groups of {group}")
    return weights.reshape(weights.shape[0], -1, group)


def _e4m3(values: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Round non-negative values to E4M3: three bits of mantissa, the smallest normal number 2^-6."""
    clipped = np.minimum(values, _E4M3_MOST)
    exponents = np.maximum(np.floor(np.log2(np.maximum(clipped, 2.0**-9))), -6.0)
    step = 2.0 ** (exponents - 3)
    return np.round(clipped / step) * step
