"""The flags of ``quantcheck demo``; what it does is in :mod:`evals.commands.demo`."""

from pathlib import Path
from typing import Any

import click

from evals.flags.later import body


@click.command()
@click.option("--runs-dir", type=click.Path(path_type=Path), default=Path("demo-runs"), show_default=True)
@click.option(
    "--epochs", type=click.IntRange(min=1), help="Passes over the 30 problems; else the preset's 32."
)
@click.option("--dataset-path", type=click.Path(path_type=Path), help="Local copy of AIME 2025.")
def command(**given: Any) -> Any:
    """Evaluate two simulated checkpoints on AIME 2025 and compare them; needs no endpoint and no GPU."""
    return body("evals.commands.demo", "show_demo")(**given)
