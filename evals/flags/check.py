"""The flags of ``quantcheck check``; what it does is in :mod:`evals.commands.check`."""

from typing import Any

import click

from evals.flags.later import body
from evals.flags.run_options import endpoint_options, protocol_options


@click.command()
@click.option("--task", help="The task to come: checks its budget and what it relies on, estimates the run.")
@click.option("--base-url", metavar="URL", help="Endpoint, with or without /v1; else $OPENAI_BASE_URL.")
@endpoint_options
@protocol_options
@click.option("--max-connections", type=click.IntRange(1, 4096), help="Requests in flight, for the estimate.")
@click.option("--images", is_flag=True, help="Probe images also without a task that shows them.")
@click.option(
    "--probe-timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Longest wait for one reply.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(**given: Any) -> Any:
    """Probe an endpoint as a run would use it: one line a probe, and what to change.

    Takes the flags of a run and a minute or two on a slow server. Ends with 0 where all is ok or worth a
    warning, with 5 where a run would be worthless or the endpoint does not answer.
    """
    return body("evals.commands.check", "probe_before_run")(**given)
