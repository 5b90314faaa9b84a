"""``quantcheck export``: the score table of a run as CSV, JSON lines or parquet."""

import sys
from pathlib import Path

import click

from evals.exit_code import CommandError, ExitCode
from reports.log_members import LogError
from reports.output_formats import SCORE_FORMATS
from reports.run_files import AmbiguousRunError, find_runs, only_run, runs_by_task
from reports.score_columns import ScoreFileError
from reports.score_export import export_rows, render_scores


def write_scores(run: Path, file_format: str | None, out: Path | None) -> None:
    """Do what ``quantcheck export`` is asked; its flags are in :mod:`evals.flags.export`."""
    chosen = file_format or _by_suffix(out)
    if out is None and chosen == "parquet":
        raise click.UsageError("--format parquet: is binary; name a file with --out FILE")
    try:
        runs = [only_run(found) for found in runs_by_task(find_runs(run)).values()]
    except (AmbiguousRunError, LogError, ScoreFileError) as error:
        raise CommandError(str(error), ExitCode.INVALID) from None
    data = render_scores(export_rows(runs), chosen)
    if out is None:
        sys.stdout.buffer.write(data)
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(data)
    except OSError as error:
        raise click.UsageError(
            f"--out {out}: cannot be written ({error.strerror or error}); name another file"
        ) from None
    click.echo(f"wrote {out}", err=True)


def _by_suffix(out: Path | None) -> str:
    suffix = out.suffix.removeprefix(".") if out is not None else ""
    return suffix if suffix in SCORE_FORMATS else "csv"
