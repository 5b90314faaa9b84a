"""``quantcheck gate``: apply a release policy to two runs; what it cannot judge never passes."""

import os
from pathlib import Path

import click

from evals.commands.compare import EXIT_CODES, refusal_document
from evals.exit_code import CommandError, ExitCode
from evals.report_files import write_files
from reports.comparability import NotComparableError
from reports.divergence.read_block import read_divergence
from reports.gate import GateReport, run_gate
from reports.gate_outputs import (
    render_annotations,
    render_gate_json,
    render_gate_markdown,
    render_gate_terminal,
)
from reports.html.report_page import render_gate_html
from reports.junit import render_junit
from reports.log_members import LogError
from reports.policy_file import PolicyError, read_policy
from reports.score_columns import ScoreFileError


def judge_candidate(
    policy_file: Path,
    baseline: Path,
    candidate: Path,
    divergence_path: Path | None,
    out: Path,
    as_json: bool,
) -> None:
    """Do what ``quantcheck gate`` is asked; its flags are in :mod:`evals.flags.gate`."""
    try:
        policy = read_policy(policy_file)
        divergence = read_divergence(divergence_path) if divergence_path is not None else None
        gate = run_gate(policy, baseline, candidate, divergence)
    except PolicyError as error:
        raise CommandError(str(error), ExitCode.USAGE) from None
    except (NotComparableError, LogError, ScoreFileError) as error:
        if as_json:
            click.echo(refusal_document(str(error)), nl=False)
        raise CommandError(str(error), ExitCode.INVALID) from None
    write_gate(gate, out)
    click.echo(render_gate_json(gate) if as_json else render_gate_terminal(gate), nl=False)
    tell_ci(gate)
    click.echo(f"report: {out / 'report.html'}, {out / 'report.md'}, report.json, junit.xml", err=True)
    click.get_current_context().exit(EXIT_CODES[gate.verdict])


def write_gate(gate: GateReport, directory: Path) -> None:
    """Write report.html, report.md, report.json and junit.xml into ``directory``."""
    files = {
        "report.html": render_gate_html(gate, directory=directory),
        "report.md": render_gate_markdown(gate),
        "report.json": render_gate_json(gate),
        "junit.xml": render_junit(gate.criteria, name=f"quantcheck gate {gate.policy.path.name}"),
    }
    write_files(directory, files)


def tell_ci(gate: GateReport) -> None:
    """Leave a step summary and annotations where GitHub Actions offers them (GitLab reads junit.xml)."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    click.echo(render_annotations(gate), nl=False, err=True)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if not summary:
        return
    try:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(render_gate_markdown(gate))
    except OSError as error:
        click.echo(f"step summary {summary}: cannot be written ({error.strerror or error})", err=True)
