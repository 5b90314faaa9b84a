"""One seed for every response, derived so that no two items of an epoch share a draw."""

import hashlib

SEED_BITS = 31  # vLLM, SGLang and llama.cpp all take a non-negative 32-bit signed integer


def response_seed(run_seed: int, sample_id: str, epoch: int) -> int:
    """Return the seed of one response in [0, 2**31).

    With one seed for a whole epoch every item would share one random draw: a lucky seed is then lucky
    thirty times. Deriving it from the sample as well keeps responses independent and runs repeatable.

    >>> response_seed(0, "aime25-0", 1) == response_seed(0, "aime25-0", 2)
    False
    """
    text = f"{run_seed}\n{sample_id}\n{epoch}".encode()
    return int.from_bytes(hashlib.sha256(text).digest()[:8]) >> (64 - SEED_BITS)
