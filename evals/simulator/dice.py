"""Reproducible draws: every number is a pure function of the words that name it."""

import hashlib

import numpy as np

Word = str | int | float | bool | None


def _digest(words: tuple[Word, ...]) -> bytes:
    return hashlib.sha256("\x1f".join(map(repr, words)).encode()).digest()


def unit(*words: Word) -> float:
    """Return a number in [0, 1) fixed by ``words``, uniform over different words."""
    return int.from_bytes(_digest(words)[:7], "big") / 2**56


def generator(*words: Word) -> np.random.Generator:
    """Return a random generator whose whole stream is fixed by ``words``."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(_digest(words)[:16], "big")))
