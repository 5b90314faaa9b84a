"""``quantcheck compare``: two runs or score files to a verdict and its reports."""

from dataclasses import replace
from pathlib import Path

import click

from evals.commands.report import render_comparison_junit
from evals.exit_code import CommandError, ExitCode
from evals.report_files import write_files
from reports.comparability import NotComparableError, UnknownFieldError
from reports.comparison import ComparisonSettings, UnknownTaskError, compare
from reports.divergence.read_block import read_divergence
from reports.html.report_page import render_html
from reports.json_report import SCHEMA_VERSION, render_json, to_json
from reports.log_members import LogError
from reports.markdown import render_markdown
from reports.report import Report
from reports.score_columns import ScoreFileError
from reports.terminal import render_terminal
from reports.tolerance import Tolerance
from reports.verdict import Verdict, check_margin

EXIT_CODES = {
    Verdict.PASS: ExitCode.DONE,
    Verdict.REGRESSION: ExitCode.REGRESSION,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    Verdict.INVALID: ExitCode.INVALID,
}


def compare_runs(
    baseline: Path,
    candidate: Path,
    tasks: tuple[str, ...],
    margins: tuple[str, ...],
    confidence: float,
    allow_mismatch: tuple[str, ...],
    same_checkpoint: bool,
    divergence_path: Path | None,
    max_error_rate: float | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Do what ``quantcheck compare`` is asked; its flags are in :mod:`evals.flags.compare`."""
    overall, by_task = parse_margins(margins)
    settings = ComparisonSettings(
        tasks=tasks,
        tolerance=overall,
        tolerances=by_task,
        confidence=_checked_confidence(confidence),
        allow_mismatch=allow_mismatch,
        max_error_rate=_checked_rate(max_error_rate),
        same_checkpoint=same_checkpoint,
    )
    try:
        report = compare(baseline, candidate, settings)
        if divergence_path is not None:
            report = replace(report, divergence=read_divergence(divergence_path))
    except (UnknownTaskError, UnknownFieldError) as error:
        raise click.UsageError(str(error)) from None
    except (NotComparableError, LogError, ScoreFileError) as error:
        if as_json:
            click.echo(refusal_document(str(error)), nl=False)
        raise CommandError(str(error), ExitCode.INVALID) from None
    directory = write_report(report, out or default_directory(report))
    click.echo(render_json(report) if as_json else render_terminal(report), nl=False)
    click.echo(
        f"report: {directory / 'report.html'}, {directory / 'report.md'}, report.json, junit.xml", err=True
    )
    click.get_current_context().exit(EXIT_CODES[report.verdict])


def refusal_document(reason: str) -> str:
    """Return the JSON document of a comparison that could not even start."""
    return to_json(
        {"schema": SCHEMA_VERSION, "verdict": Verdict.INVALID.value, "reason": reason, "tasks": []}
    )


def write_report(report: Report, directory: Path) -> Path:
    """Write report.html, report.md, report.json and junit.xml into ``directory`` and return it."""
    return write_files(
        directory,
        {
            "report.html": render_html(report, directory=directory),
            "report.md": render_markdown(report),
            "report.json": render_json(report),
            "junit.xml": render_comparison_junit(report),
        },
    )


def default_directory(report: Report) -> Path:
    """Return ``compare/<baseline>-vs-<candidate>``, labels made safe for a file name."""
    return Path("compare") / f"{_safe(report.baseline_label)}-vs-{_safe(report.candidate_label)}"


def _safe(label: str) -> str:
    kept = "".join(char if char.isalnum() or char in "._-" else "_" for char in label)
    return kept.strip(".")[:80] or "run"


def parse_margins(texts: tuple[str, ...]) -> tuple[Tolerance | None, dict[str, Tolerance]]:
    """Return the margin for all tasks and those by task from ``X`` and ``TASK=X``."""
    overall: Tolerance | None = None
    by_task: dict[str, Tolerance] = {}
    for text in texts:
        task, separator, value = text.rpartition("=")
        margin = _margin(text, value)
        if separator:
            if task in by_task:
                raise click.UsageError(f"--margin {text}: {task} has a margin already; give one a task")
            by_task[task] = Tolerance(margin=margin, source=f"--margin {task}=")
        elif overall is not None:
            raise click.UsageError(f"--margin {text}: there is a margin already; give one, or TASK=X")
        else:
            overall = Tolerance(margin=margin, source="--margin")
    return overall, by_task


def _margin(text: str, value: str) -> float:
    try:
        margin = float(value)
        check_margin(margin)
    except ValueError:
        raise click.UsageError(
            f"--margin {text}: is no fraction from 0 to below 1; one percentage point is 0.01"
        ) from None
    return margin


def _checked_confidence(confidence: float) -> float:
    if not 0.5 <= confidence < 1:
        raise click.UsageError(f"--confidence {confidence:g}: must lie from 0.5 to below 1, such as 0.95")
    return confidence


def _checked_rate(rate: float | None) -> float | None:
    if rate is not None and not 0 <= rate <= 1:
        raise click.UsageError(f"--max-error-rate {rate:g}: must lie in [0, 1], such as 0.01")
    return rate
