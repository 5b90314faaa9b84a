"""The flags of ``quantcheck policy init``; what it does is in :mod:`evals.commands.policy`."""

from pathlib import Path
from typing import Any

import click

from evals.commands.run_path import RUN_PATH
from evals.flags.later import body


@click.group("policy", short_help="write a release policy for quantcheck gate")
def command() -> None:
    """Release policies for `quantcheck gate`."""


@command.command("init")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output.")
@click.option(
    "--baseline",
    type=RUN_PATH,
    metavar="DIR",
    help="Take tasks and noise from this baseline instead of the published ones.",
)
def init(**given: Any) -> Any:
    """Write a commented policy; margins are those that equal checkpoints pass four times in five."""
    return body("evals.commands.policy", "write_policy")(**given)
