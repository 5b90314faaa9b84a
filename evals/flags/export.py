"""The flags of ``quantcheck export``; what it does is in :mod:`evals.commands.export`."""

from pathlib import Path
from typing import Any

import click

from evals.commands.run_path import RUN_PATH
from evals.flags.later import body
from reports.output_formats import SCORE_FORMATS


@click.command("export", short_help="write a run's score table: one row a response")
@click.argument("run", type=RUN_PATH)
@click.option(
    "--format", "file_format", type=click.Choice(SCORE_FORMATS), help="Default: by --out's suffix, else csv."
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output.")
def command(**given: Any) -> Any:
    """Write the score table of RUN (a run directory, a log or a score file).

    `quantcheck compare` reads the file back to the same result.
    """
    return body("evals.commands.export", "write_scores")(**given)
