"""Quantized variants of a small GGUF file: what is rounded how far, what stays, what is wrong on purpose."""

import numpy as np
import pytest

gguf = pytest.importorskip("gguf", reason="the extra `local` is not installed")
pytest.importorskip("xllamacpp", reason="the extra `local` is not installed")

from gguf.quants import dequantize  # noqa: E402

from evals.exit_code import CommandError  # noqa: E402
from evals.local_weights.gguf_variant import tensor_scale, write_variant  # noqa: E402
from evals.local_weights.variants import VARIANTS  # noqa: E402

MATRIX, ODD, NORM, EMBEDDING = (
    "blk.0.ffn_up.weight",
    "blk.0.odd.weight",
    "blk.0.attn_norm.weight",
    "token_embd.weight",
)
VALUES = (np.random.default_rng(1).standard_normal((8, 128)) * 0.05).astype(np.float32)


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_uint32("llama.block_count", 1)
    writer.add_array("tokenizer.ggml.tokens", ["a", "b\u00e4", "<|end|>"])
    writer.add_string("tokenizer.chat_template", "{{ messages }}")
    writer.add_uint32("general.file_type", 3)
    for name, values in (
        (MATRIX, VALUES),
        (ODD, VALUES[:, :24].copy()),
        (NORM, VALUES[0].copy()),
        (EMBEDDING, VALUES * 2),
    ):
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def read(path):
    reader = gguf.GGUFReader(path)
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    return reader.fields, tensors


def values_of(tensors, name):
    tensor = tensors[name]
    scale = tensors.get(name.removesuffix("weight") + "scale")
    return dequantize(tensor.data, tensor.tensor_type) * (scale.data[0] if scale is not None else 1.0)


@pytest.mark.parametrize(
    ("name", "error"),
    [
        pytest.param("q8_0", 0.01, id="8 bits"),
        pytest.param("q4_0", 0.12, id="4-bit integers"),
        pytest.param("mxfp4", 0.16, id="4-bit floats"),
        pytest.param("nvfp4", 0.12, id="4-bit floats with two scales"),
    ],
)
def test_matrices_of_layers_are_rounded_and_nothing_else(source, tmp_path, name, error):
    target = tmp_path / "out.gguf"
    assert write_variant(source, target, VARIANTS[name]) == 1
    fields, tensors = read(target)
    assert tensors[MATRIX].tensor_type.name == VARIANTS[name].quantization
    found = float(np.linalg.norm(values_of(tensors, MATRIX) - VALUES) / np.linalg.norm(VALUES))
    assert error / 10 < found < error
    for kept, values in ((ODD, VALUES[:, :24]), (NORM, VALUES[0]), (EMBEDDING, VALUES * 2)):
        assert np.array_equal(tensors[kept].data, values)
    assert fields["tokenizer.ggml.tokens"].contents() == ["a", "b\u00e4", "<|end|>"]
    assert fields["tokenizer.chat_template"].contents() == "{{ messages }}"
    assert fields["general.file_type"].contents() != 3


def test_the_wrong_scale_is_the_reciprocal_of_the_right_one(source, tmp_path):
    scales = []
    for name in ("nvfp4", "nvfp4-wrong-scale"):
        write_variant(source, tmp_path / name, VARIANTS[name])
        scales.append(float(read(tmp_path / name)[1]["blk.0.ffn_up.scale"].data[0]))
    assert scales[0] == pytest.approx(tensor_scale(VALUES))
    assert scales[0] * scales[1] == pytest.approx(1.0)


def test_a_variant_is_made_of_a_variant(source, tmp_path):
    write_variant(source, tmp_path / "a", VARIANTS["q8_0"])
    assert write_variant(tmp_path / "a", tmp_path / "b", VARIANTS["q4_0"]) == 1


def test_a_matrix_of_zeros_has_a_scale(tmp_path):
    assert tensor_scale(np.zeros((2, 64), dtype=np.float32)) == 1.0


def test_a_file_without_matrices_of_layers_is_refused(tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "empty.gguf", "llama")
    writer.add_tensor(NORM, VALUES[0].copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(CommandError, match="no matrix of layers that Q4_0 can hold"):
        write_variant(tmp_path / "empty.gguf", tmp_path / "out.gguf", VARIANTS["q4_0"])
