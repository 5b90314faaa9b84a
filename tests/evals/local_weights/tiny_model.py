"""A llama of two layers that was never trained, as a GGUF file: it says nothing sensible, and llama.cpp serves it."""

from pathlib import Path

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, INNER = 64, 2, 4, 128
CONTEXT_TOKENS = 1_024
CHAT_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "
_KIND = gguf.TokenType
# SentencePiece's form of a vocabulary: what is no letter of its own is spelt in bytes
TOKENS = {
    "<unk>": _KIND.UNKNOWN,
    "<s>": _KIND.CONTROL,
    "</s>": _KIND.CONTROL,
    **{f"<0x{byte:02X}>": _KIND.BYTE for byte in range(256)},
    **dict.fromkeys(["\u2581", *map(chr, range(33, 127))], _KIND.NORMAL),
}


def write_tiny_model(path: Path) -> None:
    """Write the model, the same bytes each time; its file takes half a megabyte."""
    writer = gguf.GGUFWriter(path, "llama")
    _add_sizes(writer)
    _add_vocabulary(writer)
    _add_weights(writer, np.random.default_rng(0))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_sizes(writer: gguf.GGUFWriter) -> None:
    writer.add_context_length(CONTEXT_TOKENS)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)


def _add_vocabulary(writer: gguf.GGUFWriter) -> None:
    names = list(TOKENS)
    writer.add_vocab_size(len(names))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(names)
    writer.add_token_scores([0.0] * len(names))
    writer.add_token_types(list(TOKENS.values()))
    writer.add_unk_token_id(names.index("<unk>"))
    writer.add_bos_token_id(names.index("<s>"))
    writer.add_eos_token_id(names.index("</s>"))
    writer.add_chat_template(CHAT_TEMPLATE)


def _add_weights(writer: gguf.GGUFWriter, rng: np.random.Generator) -> None:
    square, up, down = (WIDTH, WIDTH), (INNER, WIDTH), (WIDTH, INNER)
    shapes = {"token_embd": (len(TOKENS), WIDTH), "output": (len(TOKENS), WIDTH)}
    norms = ["output_norm"]
    for layer in range(LAYERS):
        parts = {"attn_q": square, "attn_k": square, "attn_v": square, "attn_output": square}
        parts |= {"ffn_gate": up, "ffn_up": up, "ffn_down": down}
        shapes |= {f"blk.{layer}.{part}": shape for part, shape in parts.items()}
        norms += [f"blk.{layer}.attn_norm", f"blk.{layer}.ffn_norm"]
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", (rng.standard_normal(shape) * 0.3).astype(np.float32))
    for name in norms:
        writer.add_tensor(f"{name}.weight", np.ones(WIDTH, dtype=np.float32))
