"""The demonstration with real weights: the one module that brings ``gguf`` and llama.cpp into it."""

import sys
from pathlib import Path

from evals.local_weights.checkpoint_run import Workshop
from evals.local_weights.demo import run_demo
from evals.local_weights.demo_table import render_demo
from evals.local_weights.gguf_variant import write_variant
from evals.local_weights.llama_server import served
from evals.local_weights.settings import DemoSettings
from evals.local_weights.source import find_weights
from evals.local_weights.variants import SOURCE


def show_demo(gguf: Path | None, settings: DemoSettings) -> None:
    """Run the demonstration on a GGUF file (``None``: the small model) and print its verdicts."""
    weights = find_weights(gguf)
    print(f"{SOURCE}: {weights.name}, baseline of all comparisons", file=sys.stderr)
    end = run_demo(weights, settings, Workshop(write=write_variant, serve=served))
    print(f"\n{render_demo(end)}")
    print("next: quantcheck run smoke --base-url YOUR-ENDPOINT --label int4")
