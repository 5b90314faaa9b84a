"""``quantcheck policy init``: a first release policy with margins that the budgets can decide."""

from pathlib import Path

import click

from evals.exit_code import CommandError, ExitCode
from evals.report_files import write_new_file
from reports.comparability import NotComparableError
from reports.comparison import find_side
from reports.log_members import LogError
from reports.policy_template import (
    TaskSuggestion,
    default_suggestions,
    measured_suggestions,
    render_policy,
)
from reports.score_columns import ScoreFileError


def write_policy(out: Path | None, baseline: Path | None) -> None:
    """Do what ``quantcheck policy init`` is asked; its flags are in :mod:`evals.flags.policy`."""
    text = render_policy(_suggested(baseline))
    if out is None:
        click.echo(text, nl=False)
        return
    write_new_file(out, text)
    click.echo(f"wrote {out} · next: quantcheck gate --policy {out} --baseline DIR --candidate DIR", err=True)


def _suggested(baseline: Path | None) -> list[TaskSuggestion]:
    if baseline is None:
        return default_suggestions()
    try:
        return measured_suggestions(find_side(baseline))
    except (NotComparableError, LogError, ScoreFileError) as error:
        raise CommandError(str(error), ExitCode.INVALID) from None
