"""The flags of ``quantcheck run``; what it does is in :mod:`evals.commands.run`."""

from typing import Any

import click

from evals.flags.completion import TASK
from evals.flags.deciding_options import deciding_options
from evals.flags.later import body
from evals.flags.replica_options import replica_options
from evals.flags.run_options import endpoint_options, protocol_options
from evals.flags.running_options import running_options


def _known(_context: click.Context, _parameter: click.Parameter, task: str) -> str:
    """Refuse a mistyped task before everything that a run needs is loaded."""
    body("tasks.catalog", "find_benchmark")(task)
    return task


@click.command()
@click.argument("task", callback=_known, **TASK)
@replica_options
@endpoint_options
@protocol_options
@running_options
@deciding_options
@click.option("--json", "as_json", is_flag=True, help="Print the run summary as one JSON document.")
def command(**given: Any) -> Any:
    """Run TASK against an endpoint. The same command again resumes: only missing responses are asked."""
    return body("evals.commands.run", "run_task")(**given)
