"""``quantcheck campaign init``: write a commented campaign file."""

from pathlib import Path

import click

from evals.campaigns.template import TEMPLATE
from evals.report_files import write_new_file


def write_campaign_file(out: Path | None) -> None:
    """Do what ``quantcheck campaign init`` is asked; its flags are in :mod:`evals.flags.campaign`."""
    if out is None:
        click.echo(TEMPLATE, nl=False)
        return
    write_new_file(out, TEMPLATE)
    click.echo(f"wrote {out} · next: quantcheck campaign run {out}", err=True)
