"""The flags of ``quantcheck compare``; what it does is in :mod:`evals.commands.compare`."""

from pathlib import Path
from typing import Any

import click

from evals.commands.run_path import RUN_PATH
from evals.flags.later import body
from evals.flags.task_filter import task_filter
from reports.confidence import DEFAULT_CONFIDENCE


@click.command("compare", short_help="compare two checkpoints' runs: paired delta, interval, verdict")
@click.argument("baseline", type=RUN_PATH)
@click.argument("candidate", type=RUN_PATH)
@task_filter
@click.option(
    "--margin",
    "margins",
    multiple=True,
    metavar="X|TASK=X",
    help="Largest tolerated loss: 0.01 is one point.",
)
@click.option("--confidence", type=float, default=DEFAULT_CONFIDENCE, show_default=True, metavar="X")
@click.option(
    "--allow-mismatch", multiple=True, metavar="FIELD", help="Compare although this protocol field differs."
)
@click.option(
    "--a-a",
    "same_checkpoint",
    is_flag=True,
    help="Both are runs of one checkpoint: measure the noise floor, pass where they differ by no more.",
)
@click.option(
    "--divergence",
    "divergence_path",
    type=click.Path(exists=True, path_type=Path),
    metavar="DIR|FILE",
    help="A divergence.json to show beside the deltas.",
)
@click.option("--max-error-rate", type=float, metavar="X", help="Failed responses a valid run may have.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where report.html, report.md, report.json and junit.xml go.",
)
@click.option("--json", "as_json", is_flag=True, help="Print report.json and nothing else.")
def command(**given: Any) -> Any:
    """Compare CANDIDATE with BASELINE (each a run directory, a log or a score file).

    A missing or failed response is never counted as wrong; a failure is never a score.

    \b
    Exit codes: 0 pass, 1 regression, 2 usage, 3 inconclusive, 4 not comparable or invalid.
    """
    return body("evals.commands.compare", "compare_runs")(**given)
