"""``quantcheck report``: make a page, markdown or JUnit again from a report.json, offline."""

from pathlib import Path

import click

from evals.exit_code import CommandError, ExitCode
from evals.report_files import write_files
from reports.gate_outputs import render_gate_markdown
from reports.html.report_page import render_gate_html, render_html
from reports.junit import render_junit
from reports.markdown import render_markdown
from reports.report import Report
from reports.report_reader import ReadReport, ReportFileError, read_report
from reports.task_criteria import loss_criterion

NAMES = {"html": "report.html", "md": "report.md", "junit": "junit.xml"}
_FORMAT_OF_SUFFIX = {".html": "html", ".htm": "html", ".md": "md", ".xml": "junit"}


@click.command("report", short_help="render a report.json as HTML, markdown or JUnit")
@click.argument("source", metavar="DIR|report.json", type=click.Path(path_type=Path))
@click.option(
    "--format", "file_format", type=click.Choice(list(NAMES)), help="Default: by --out's suffix, else html."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Default: report.html, report.md or junit.xml beside report.json; - is standard output.",
)
def command(source: Path, file_format: str | None, out: Path | None) -> None:
    """Render the report.json that compare or gate wrote (or the one in DIR), without the logs."""
    chosen = file_format or _FORMAT_OF_SUFFIX.get(out.suffix.lower() if out is not None else "", "html")
    try:
        found = read_report(source)
    except ReportFileError as error:
        raise CommandError(str(error), ExitCode.INVALID) from None
    beside = source if source.is_dir() else source.parent
    target = out if out is not None else beside / NAMES[chosen]
    if str(target) == "-":
        click.echo(render(found, chosen, Path()), nl=False)
        return
    text = render(found, chosen, target.parent)
    write_files(target.parent, {target.name: text})
    click.echo(f"wrote {target}", err=True)


def render(found: ReadReport, file_format: str, directory: Path) -> str:
    """Return the output of a format; links of a page are relative to ``directory``."""
    gate, report = found.gate, found.report
    if gate is not None:
        name = f"quantcheck gate {gate.policy.path.name}"
        return {
            "html": lambda: render_gate_html(gate, directory=directory),
            "md": lambda: render_gate_markdown(gate),
            "junit": lambda: render_junit(gate.criteria, name=name),
        }[file_format]()
    if report is None:
        raise ReportFileError("report.json: compares nothing; compare the runs again")
    return {
        "html": lambda: render_html(report, directory=directory),
        "md": lambda: render_markdown(report),
        "junit": lambda: render_comparison_junit(report),
    }[file_format]()


def render_comparison_junit(report: Report) -> str:
    """Return the JUnit document of a comparison without a policy: one case a task."""
    pair = f"{report.candidate_label} against {report.baseline_label}"
    return render_junit([loss_criterion(task) for task in report.tasks], name=f"quantcheck compare: {pair}")
