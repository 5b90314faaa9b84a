"""Write a quantized variant of a GGUF file: its matrices in another block format, all else as it stands."""

from pathlib import Path

import numpy as np
from gguf import (
    GGMLQuantizationType,
    GGUFReader,
    GGUFValueType,
    GGUFWriter,
    LlamaFileType,
    ReaderField,
    ReaderTensor,
)
from gguf.quants import dequantize
from numpy.typing import NDArray

from evals.exit_code import CommandError, ExitCode
from evals.local_weights.quantizer import fits, quantize
from evals.local_weights.variants import Quantization, Variant

_FILE_TYPE = "general.file_type"
_WRITTEN_BY_ITSELF = ("general.architecture", _FILE_TYPE)  # and GGUF.*, the header
_FILE_TYPES = {
    Quantization.Q8_0: LlamaFileType.MOSTLY_Q8_0,
    Quantization.Q4_0: LlamaFileType.MOSTLY_Q4_0,
    Quantization.MXFP4: LlamaFileType.MOSTLY_MXFP4_MOE,
    Quantization.NVFP4: LlamaFileType.MOSTLY_NVFP4,
}
_LARGEST_NVFP4 = 6 * 448  # the largest element times the largest block scale


def write_variant(source: Path, target: Path, variant: Variant) -> int:
    """Write ``source`` quantized as ``variant`` says to ``target``; return how many matrices were quantized.

    Only the matrices of the layers are, as quantizers have it: embeddings and norms stay what they are. A
    source that is itself quantized is rounded a second time. Raises :class:`CommandError` where nothing fits.
    """
    reader = GGUFReader(source)
    writer = GGUFWriter(target, str(reader.fields["general.architecture"].contents()))
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in _WRITTEN_BY_ITSELF:
            _copy_field(writer, name, field)
    writer.add_uint32(_FILE_TYPE, int(_FILE_TYPES[variant.quantization]))
    n_quantized = sum(_add_tensor(writer, tensor, variant) for tensor in reader.tensors)
    if not n_quantized:
        raise CommandError(
            f"{source.name}: has no matrix of layers that {variant.quantization} can hold; give another model",
            ExitCode.USAGE,
        )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return n_quantized


def _copy_field(writer: GGUFWriter, name: str, field: ReaderField) -> None:
    kind = field.types[0]
    inner = field.types[-1] if kind is GGUFValueType.ARRAY else None
    writer.add_key_value(name, field.contents(), kind, sub_type=inner)


def _add_tensor(writer: GGUFWriter, tensor: ReaderTensor, variant: Variant) -> bool:
    """Add one tensor; return whether it was quantized."""
    kind = GGMLQuantizationType[variant.quantization]
    is_matrix = tensor.name.startswith("blk.") and tensor.name.endswith(".weight") and len(tensor.shape) == 2
    if not is_matrix or not fits(int(tensor.shape[0]), kind):
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
        return False
    values = dequantize(tensor.data, tensor.tensor_type)
    if variant.quantization is Quantization.NVFP4:
        scale = tensor_scale(values)
        stored = scale if variant.spoil is None else variant.spoil(scale)
        writer.add_tensor(tensor.name.removesuffix("weight") + "scale", np.array([stored], dtype=np.float32))
        values = values / np.float32(scale)
    writer.add_tensor(tensor.name, quantize(values, kind), raw_dtype=kind)
    return True


def tensor_scale(values: NDArray[np.float32]) -> float:
    """Return NVFP4's scale of a whole tensor: with it the block scales, 8-bit floats, use their whole range."""
    largest = float(np.abs(values).max())
    return largest / _LARGEST_NVFP4 if largest > 0 else 1.0
