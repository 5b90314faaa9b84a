"""The flags that name the servers of one checkpoint; :mod:`evals.commands.replicas` asks those."""

from pathlib import Path

import click

from evals.flags.run_options import Command


def replica_options(command: Command) -> Command:
    """Add the flags that name one server or several replicas."""
    for option in (
        click.option(
            "--endpoints-file",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Replicas of one checkpoint, one URL a line; instead of --base-url.",
        ),
        click.option(
            "--base-url",
            "base_urls",
            multiple=True,
            metavar="URL",
            help="Endpoint, with or without /v1; repeat for replicas of one checkpoint. Else $OPENAI_BASE_URL.",
        ),
    ):
        command = option(command)
    return command
