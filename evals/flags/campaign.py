"""The flags of ``quantcheck campaign``; what it does is in :mod:`evals.commands.campaign`."""

from pathlib import Path
from typing import Any

import click

from evals.flags.later import body


@click.group("campaign", short_help="run checkpoints x tasks from one file and compare them")
def command() -> None:
    """Campaigns: checkpoints x tasks x presets from one file."""


@command.command("init")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output.")
def init(**given: Any) -> Any:
    """Write a commented campaign file."""
    return body("evals.commands.campaign_new_file", "write_campaign_file")(**given)


@command.command("run")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    metavar="N",
    help="Runs at a time, each on an endpoint of its own; else as the file says, or one per endpoint.",
)
@click.option("--json", "as_json", is_flag=True, help="Print campaign.json and nothing else.")
def run(**given: Any) -> Any:
    """Run what is missing of a campaign, then compare each candidate with the baseline.

    The same command again resumes: complete runs are not asked for, others send what is missing. A run that
    fails is stated and the others go on. Runs on different endpoints are made at the same time.

    \b
    Exit codes: that of the worst part, in the order 130 interrupted, 1 a regression, 5 endpoint or data,
    4 invalid or not comparable, 2 usage, 3 inconclusive, 0 all pass.
    """
    return body("evals.commands.campaign", "run_campaign")(**given)
