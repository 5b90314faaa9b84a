"""The flags of ``quantcheck data``; what it does is in :mod:`evals.commands.data`."""

from pathlib import Path
from typing import Any

import click

from evals.flags.completion import TASK, VARIANT
from evals.flags.later import body


@click.command()
@click.argument("tasks", nargs=-1, **TASK)
@click.option("--variant", help="Only this variant; by default all of a task's.", **VARIANT)
@click.option(
    "--verify", is_flag=True, help="Load the data, decode every image, compare with what is pinned."
)
@click.option("--dataset-path", type=click.Path(path_type=Path), help="Local copy, for one task and variant.")
@click.option(
    "--image-root", type=click.Path(path_type=Path, file_okay=False), help="Folder of its image files."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(**given: Any) -> Any:
    """Show the source, revision and pins of the data of TASK... (all by default); no network without --verify.

    With --verify the exit code is 5 where any data cannot be had or is not what is pinned.
    """
    return body("evals.commands.data", "show_data")(**given)
