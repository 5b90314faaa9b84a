"""Quantize with llama.cpp's own code, which the ``xllamacpp`` wheel exports from its shared object."""

import ctypes
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from numpy.typing import NDArray

from evals.exit_code import CommandError, ExitCode

# size_t ggml_quantize_chunk(type, const float * src, void * dst, int64 start, int64 nrows, int64 n_per_row,
#                            const float * imatrix)
_ARGUMENTS = (
    ctypes.c_int,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_void_p,
)


def fits(row_length: int, kind: GGMLQuantizationType) -> bool:
    """Return whether rows of this length are whole blocks of the format."""
    block_length: int = GGML_QUANT_SIZES[kind][0]
    return row_length % block_length == 0


def quantize(values: NDArray[np.float32], kind: GGMLQuantizationType) -> NDArray[np.uint8]:
    """Return the rows of ``values`` (n x m) as blocks of the format: n rows of bytes.

    Raises :class:`CommandError` where the library writes another amount than the format has.
    """
    rows = np.ascontiguousarray(values, dtype=np.float32)
    n_rows, n_columns = rows.shape
    block_length, block_bytes = GGML_QUANT_SIZES[kind]
    blocks = np.empty((n_rows, n_columns // block_length * block_bytes), dtype=np.uint8)
    written = _library().ggml_quantize_chunk(
        int(kind), rows.ctypes.data, blocks.ctypes.data, 0, n_rows, n_columns, None
    )
    if written != blocks.nbytes:
        raise CommandError(
            f"xllamacpp: wrote {written:,} bytes of {kind.name}, expected {blocks.nbytes:,}; "
            "install the pinned versions of xllamacpp and gguf together",
            ExitCode.ENDPOINT_OR_DATA,
        )
    return blocks


@cache
def _library() -> ctypes.CDLL:
    spec = find_spec("xllamacpp")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    found = sorted(
        path
        for folder in folders
        for path in Path(folder).glob("xllamacpp*")
        if path.suffix in (".so", ".pyd")
    )
    if not found:
        raise CommandError(
            "xllamacpp: its shared object is not to be found; install the pinned version again",
            ExitCode.ENDPOINT_OR_DATA,
        )
    library = ctypes.CDLL(str(found[0]))
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    library.ggml_quantize_chunk.argtypes = _ARGUMENTS
    return library
