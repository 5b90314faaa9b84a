"""The flags of ``quantcheck speed``; what it does is in :mod:`evals.commands.speed`."""

from typing import Any

import click

from evals.commands.run_path import RUN_PATH
from evals.flags.later import body
from evals.flags.task_filter import task_filter


@click.command("speed", short_help="show speed and cost beside accuracy")
@click.argument("runs", nargs=-1, required=True, type=RUN_PATH, metavar="RUN...")
@task_filter
@click.option("--gpu-hour-price", type=float, metavar="X", help="Price of one GPU for an hour; with --gpus.")
@click.option("--gpus", type=int, metavar="N", help="GPUs that served the run, of all servers together.")
@click.option("--price-per-million", type=float, metavar="X", help="Price of a million output tokens.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def command(**given: Any) -> Any:
    """Show how fast each RUN was served, in the terms of serving benchmarks, beside its accuracy.

    One run is shown in full; several give one table a task, the cheapest first where a price is given.
    """
    return body("evals.commands.speed", "show_speed")(**given)
