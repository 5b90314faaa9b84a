"""The flag that reads only some of the tasks of finished runs."""

import click

from evals.flags.completion import TASK

task_filter = click.option(
    "--task", "tasks", multiple=True, metavar="T", help="Only this task (may be repeated).", **TASK
)
