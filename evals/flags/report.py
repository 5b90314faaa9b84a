"""The flags of ``quantcheck report``; what it does is in :mod:`evals.commands.report`."""

from pathlib import Path
from typing import Any

import click

from evals.flags.later import body
from reports.output_formats import REPORT_NAMES


@click.command("report", short_help="render a report.json as HTML, markdown or JUnit")
@click.argument("source", metavar="DIR|FILE.json", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "file_format",
    type=click.Choice(list(REPORT_NAMES)),
    help="Default: by --out's suffix, else html.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Default: the file of that format beside the report; - is standard output.",
)
def command(**given: Any) -> Any:
    """Render the report.json of compare or gate, or the vendor_report.json of verify, without the logs."""
    return body("evals.commands.report", "render_again")(**given)
