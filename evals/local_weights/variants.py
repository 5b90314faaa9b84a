"""The checkpoints that are made of one model: how each is quantized, and what is wrong with one of them."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

SOURCE = "source"


class Quantization(StrEnum):
    """A block format of llama.cpp, by the name its tensors carry."""

    Q8_0 = "Q8_0"  # 8 bits, blocks of 32
    Q4_0 = "Q4_0"  # 4 bits, blocks of 32
    MXFP4 = "MXFP4"  # 4-bit floats, blocks of 32, scales are powers of two
    NVFP4 = "NVFP4"  # 4-bit floats, blocks of 16, FP8 scales, one float scale a tensor


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One checkpoint to make. ``spoil`` turns each tensor's own scale into the one that is stored.

    ``is_slow`` where llama.cpp has no fast kernel of the format for CPUs: it is asked half as many epochs.
    """

    name: str
    quantization: Quantization
    what: str
    spoil: Callable[[float], float] | None = None
    is_slow: bool = False

    def epochs(self, asked: int) -> int:
        """Return how many epochs it is asked where the others are asked ``asked``."""
        return max(1, asked // 2) if self.is_slow else asked


def _reciprocal(scale: float) -> float:
    return 1 / scale


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant(name="q8_0", quantization=Quantization.Q8_0, what="8 bits: hardly a change"),
        Variant(name="q4_0", quantization=Quantization.Q4_0, what="4-bit integers, blocks of 32"),
        Variant(name="mxfp4", quantization=Quantization.MXFP4, what="4-bit floats, blocks of 32"),
        Variant(
            name="nvfp4",
            quantization=Quantization.NVFP4,
            what="4-bit floats, blocks of 16, two scales",
            is_slow=True,
        ),
        Variant(
            name="nvfp4-wrong-scale",
            quantization=Quantization.NVFP4,
            what="the same with each tensor's scale stored as its reciprocal: it loads and says nothing",
            is_slow=True,
            spoil=_reciprocal,  # two toolchains store the scale one way and the other
        ),
    )
}
DEFAULT_VARIANTS = ("q8_0", "q4_0", "nvfp4", "nvfp4-wrong-scale")
