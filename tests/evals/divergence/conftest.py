"""Simulated endpoints whose token probabilities are known, and texts drawn from them."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evals.simulator.config import SimulatorConfig
from evals.simulator.faults import parse_faults
from evals.simulator.server import Running, serve_in_thread
from evals.simulator.token_model import TokenModel

FIRST_CLASS = 3


@pytest.fixture
def play() -> Iterator[Callable[..., Running]]:
    """Return a function that serves a token model: faults as texts, its settings by name."""
    with ExitStack() as running:

        def start(
            *faults: str, record_bodies: bool = False, max_model_len: int = 262_144, **model: Any
        ) -> Running:
            config = SimulatorConfig(
                tokens=TokenModel(**model),
                faults=parse_faults(faults),
                model="m",
                retry_after_s=0,
                record_bodies=record_bodies,
                max_model_len=max_model_len,
            )
            return running.enter_context(serve_in_thread(config))

        yield start


@pytest.fixture
def drawn(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes texts of token ids drawn from the baseline, at temperature 1."""

    def write(n_texts: int = 12, n_tokens: int = 80, seed: int = 5) -> Path:
        rng, model = np.random.default_rng(seed), TokenModel()
        rows = [
            {
                "id": number,
                "token_ids": model.draw(FIRST_CLASS, n_tokens, rng),
                "n_prompt": 1,
                "temperature": 1.0,
                "top_p": 1.0,
                "task": "drawn",
            }
            for number in range(n_texts)
        ]
        path = tmp_path / "drawn.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write
