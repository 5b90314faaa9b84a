"""The flags of ``quantcheck list``; what it does is in :mod:`evals.commands.list_tasks`."""

from typing import Any

import click

from evals.flags.later import body


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(**given: Any) -> Any:
    """Show the tasks and the protocols they ship; the first preset is the default."""
    return body("evals.commands.list_tasks", "show_tasks")(**given)
