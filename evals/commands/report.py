"""``quantcheck report``: make a page, markdown or JUnit again from a report of compare, gate or verify, offline."""

from pathlib import Path

import click

from evals.exit_code import CommandError, ExitCode
from evals.report_files import write_files
from evals.vendor.files import RENDERINGS, render_vendor
from reports.gate_outputs import render_gate_markdown
from reports.html.report_page import render_gate_html, render_html
from reports.junit import render_junit
from reports.markdown import render_markdown
from reports.output_formats import REPORT_NAMES
from reports.report import Report
from reports.report_reader import NAME, ReadReport, ReportFileError, read_report
from reports.task_criteria import loss_criterion
from reports.vendor_reader import vendor_from_document
from reports.vendor_table import REPORT_FILE, VendorReportError, read_document

_FORMAT_OF_SUFFIX = {".html": "html", ".htm": "html", ".md": "md", ".xml": "junit"}


def render_again(source: Path, file_format: str | None, out: Path | None) -> None:
    """Do what ``quantcheck report`` is asked; its flags are in :mod:`evals.flags.report`."""
    chosen = file_format or _FORMAT_OF_SUFFIX.get(out.suffix.lower() if out is not None else "", "html")
    vendor = _vendor_file(source)
    names = RENDERINGS if vendor is not None else REPORT_NAMES
    beside = source if source.is_dir() else source.parent
    target = out if out is not None else beside / names[chosen]
    directory = Path() if str(target) == "-" else target.parent
    try:
        if vendor is not None:
            report = vendor_from_document(read_document(vendor), source=str(vendor))
            text = render_vendor(report, names[chosen], directory)
        else:
            text = render(read_report(source), chosen, directory)
    except (ReportFileError, VendorReportError) as error:
        raise CommandError(str(error), ExitCode.INVALID) from None
    if str(target) == "-":
        click.echo(text, nl=False)
        return
    write_files(target.parent, {target.name: text})
    click.echo(f"wrote {target}", err=True)


def _vendor_file(source: Path) -> Path | None:
    """Return the report of a vendor at ``source``, ``None`` where a comparison's is to be read."""
    if source.name == REPORT_FILE:
        return source
    is_vendors = source.is_dir() and not (source / NAME).exists() and (source / REPORT_FILE).exists()
    return source / REPORT_FILE if is_vendors else None


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
