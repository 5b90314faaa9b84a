"""Write and print vendor reports: markdown and JSON beside the evidence, text or JSON on stdout."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evals.journal import JournalError
from reports.json_report import to_json
from reports.vendor_json import vendor_document, vendors_document
from reports.vendor_markdown import render_vendor_markdown, render_vendors_markdown
from reports.vendor_report import VendorReport
from reports.vendor_table import REPORT_FILE, sorted_rows, vendor_row
from reports.vendor_terminal import render_vendor_terminal, render_vendors_terminal

MARKDOWN_FILE = "vendor_report.md"
TABLE_FILES = ("vendors.md", "vendors.json")


def write_report(report: VendorReport, directory: Path) -> None:
    """Write vendor_report.md and vendor_report.json; raise :class:`JournalError` where the disk refuses."""
    _write(directory, MARKDOWN_FILE, render_vendor_markdown(report))
    _write(directory, REPORT_FILE, to_json(vendor_document(report)))


def show_one(report: VendorReport, directory: Path, *, as_json: bool) -> None:
    """Print one report, and on stderr where it lies."""
    text = to_json(vendor_document(report)) if as_json else render_vendor_terminal(report)
    print(text, end="")
    print(f"report: {directory / MARKDOWN_FILE}, {directory / REPORT_FILE}", file=sys.stderr)


def show_combined(
    documents: Sequence[Mapping[str, Any]], directory: Path, *, as_json: bool
) -> dict[str, Any]:
    """Write and print the table of several reports; return its document."""
    document = vendors_document(documents)
    rows = sorted_rows(vendor_row(one) for one in documents)
    markdown, json_file = TABLE_FILES
    _write(directory, markdown, render_vendors_markdown(rows))
    _write(directory, json_file, to_json(document))
    print(to_json(document) if as_json else render_vendors_terminal(rows), end="")
    print(f"table: {directory / markdown}, {directory / json_file}", file=sys.stderr)
    return document


def _write(directory: Path, name: str, text: str) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise JournalError(
            f"--out {str(directory)!r}: {name} cannot be written ({error.strerror}); name another directory"
        ) from error
