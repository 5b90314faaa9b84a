"""The flags of a run that is compared while it runs; what they do is in :mod:`evals.commands.deciding`."""

import click

from evals.commands.run_path import RUN_PATH
from evals.flags.later import body
from evals.flags.run_options import Command, apply


def _looks(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    looks: tuple[int, ...] = body("evals.commands.deciding", "read_looks")(text)
    return looks


def deciding_options(command: Command) -> Command:
    """Add the flags of a run that is compared with a baseline while it runs."""
    return apply(
        command,
        [
            click.option(
                "--until-decided",
                is_flag=True,
                help="Compare with --baseline at looks declared beforehand and stop once it is decided.",
            ),
            click.option(
                "--baseline",
                type=RUN_PATH,
                metavar="DIR",
                help="The finished run to compare with; also tells what the epochs can decide.",
            ),
            click.option(
                "--margin",
                "margins",
                multiple=True,
                metavar="X",
                help="Largest tolerated loss: 0.01 is one point; else the task's default.",
            ),
            click.option(
                "--looks",
                callback=_looks,
                metavar="N,N,...",
                help="Epochs at which to look; else four equal steps up to --epochs.",
            ),
            click.option(
                "--futility",
                is_flag=True,
                help="Stop undecided where a verdict has become unlikely: fewer epochs, a little less power.",
            ),
        ],
    )
