"""Make checkpoints a known distance apart, for ``quantcheck divergence`` on a real server.

From one GGUF file: the weights as they are (``same``), rounded to the grids of INT8, INT4 and NVFP4, a copy whose
positions are off (``rope``), and one with the tokenizer as the conversion leaves it (``digits``: digits are not
split off, so that blank lines before a number become other tokens). Needs torch, transformers and gguf: run it
with the Python of the engine that will serve them.

    ENGINE_PYTHON -m benchmarks.divergence_checkpoints MODEL.gguf DIRECTORY
"""

import json
import shutil
import sys
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from benchmarks.grids import GRIDS

SPLIT_DIGITS = {"type": "Digits", "individual_digits": True}


def convert(gguf: Path, directory: Path) -> None:
    """Write the weights of ``gguf`` as a plain float32 checkpoint with its tokenizer."""
    found = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, torch_dtype=torch.float32)
    config = found.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    plain = type(found)(config)
    plain.load_state_dict(found.state_dict())
    plain.save_pretrained(directory)
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(directory)


def split_digits(directory: Path) -> None:
    """Let the tokenizer split every digit, which the conversion of a GGUF forgets."""
    path = directory / "tokenizer.json"
    tokenizer = json.loads(path.read_text(encoding="utf-8"))
    own = tokenizer["pre_tokenizer"]
    steps = own["pretokenizers"] if own["type"] == "Sequence" else [own]
    tokenizer["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [SPLIT_DIGITS, *(step for step in steps if step["type"] != "Digits")],
    }
    path.write_text(json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8")


def rounded_copy(source: Path, directory: Path, grid: str) -> None:
    """Write the checkpoint with every matrix of its layers rounded; embeddings and norms stay."""
    shutil.copytree(source, directory)
    model = AutoModelForCausalLM.from_pretrained(source, torch_dtype=torch.float32)
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if weights.ndim == 2 and ".layers." in name:
                weights.copy_(torch.from_numpy(GRIDS[grid](weights.numpy())))
    model.save_pretrained(directory)


def shifted_copy(source: Path, directory: Path) -> None:
    """Write the checkpoint with a rotary base 3 % off: a fault that grows with position."""
    shutil.copytree(source, directory)
    path = directory / "config.json"
    config = json.loads(path.read_text(encoding="utf-8"))
    config["rope_parameters"]["rope_theta"] *= 0.97
    path.write_text(json.dumps(config, indent=2), encoding="utf-8")


def main(gguf: Path, directory: Path) -> None:
    """Write all checkpoints below ``directory``."""
    same, digits = directory / "same", directory / "digits"
    convert(gguf, digits)
    shutil.copytree(digits, same)
    split_digits(same)
    for grid in GRIDS:
        rounded_copy(same, directory / grid, grid)
    shifted_copy(same, directory / "rope")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
