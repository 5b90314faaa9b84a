"""``quantcheck policy init``: a first release policy with margins that the budgets can decide."""

from pathlib import Path

import click

from evals.commands.run_path import RUN_PATH
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


@click.group("policy", short_help="write a release policy for quantcheck gate")
def command() -> None:
    """Release policies for `quantcheck gate`."""


@command.command("init")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output.")
@click.option(
    "--baseline",
    type=RUN_PATH,
    metavar="DIR",
    help="Take tasks and noise from this baseline instead of the published ones.",
)
def init(out: Path | None, baseline: Path | None) -> None:
    """Write a commented policy; margins are those that equal checkpoints pass four times in five."""
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
