"""The flags of ``quantcheck trend``; what it does is in :mod:`evals.commands.trend`."""

from typing import Any

import click

from evals.commands.run_path import RUNS_DIRECTORY
from evals.flags.later import body
from evals.flags.task_filter import task_filter


@click.command("trend", short_help="show accuracy over many runs: drift, slope, server versions")
@click.argument("directory", type=RUNS_DIRECTORY, metavar="DIR")
@task_filter
@click.option("--across-labels", is_flag=True, help="Labels name dates, not checkpoints: one series for all.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def command(**given: Any) -> Any:
    """Follow the runs under DIR over time, one series a task, label and protocol.

    A run is flagged where it leaves the earlier ones by more than sampling explains: "watch" beyond the
    95 % interval of the difference, "drift" beyond the 99.73 % one. The exit code is 0 all the same: it is
    the gate that fails.
    """
    return body("evals.commands.trend", "follow_runs")(**given)
