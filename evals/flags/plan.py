"""The flags of ``quantcheck plan``; what it does is in :mod:`evals.commands.plan`."""

from typing import Any

import click

from evals.commands.number import Number
from evals.commands.run_path import RUN_PATH
from evals.flags.completion import PRESET, TASK
from evals.flags.later import body


@click.command()
@click.argument("tasks", nargs=-1, required=True, **TASK)
@click.option("--preset", help="Published protocol by name.", **PRESET)
@click.option("--epochs", type=click.IntRange(min=1), help="Passes over all samples.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N samples.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Output budget of a response.")
@click.option("--mean-tokens", type=click.IntRange(min=1), help="Expected output tokens of a response.")
@click.option(
    "--tokens-per-second",
    type=Number(min=0, min_open=True),
    default=3000.0,
    show_default=True,
    help="Output speed of the endpoint over all streams together.",
)
@click.option(
    "--margin",
    "margins",
    multiple=True,
    metavar="X|TASK=X",
    help="Largest tolerated loss: 0.01 is one point; else the task's default.",
)
@click.option(
    "--baseline",
    type=RUN_PATH,
    metavar="DIR",
    help="Take noise, epochs and tokens from this run instead of published ones.",
)
@click.option(
    "--baseline-epochs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Epochs of the baseline; else those it has, or as many as the candidate's.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(**given: Any) -> Any:
    """Show what TASK... will cost at a given speed, and what the epochs can decide at a margin."""
    return body("evals.commands.plan", "plan_tasks")(**given)
