"""Write and print vendor reports: a page, markdown and JSON beside the evidence, text or JSON on stdout."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.storage.journal import JournalError
from reports.html.vendor_page import render_vendor_html
from reports.html.vendors_page import page_link, render_vendors_html
from reports.json_report import to_json
from reports.vendor_json import vendor_document, vendors_document
from reports.vendor_junit import render_vendor_junit
from reports.vendor_markdown import render_vendor_markdown, render_vendors_markdown
from reports.vendor_reader import vendor_from_document
from reports.vendor_report import VendorReport
from reports.vendor_table import REPORT_FILE, rank, vendor_row
from reports.vendor_terminal import render_vendor_terminal, render_vendors_terminal

PAGE_FILE, MARKDOWN_FILE, JUNIT_FILE = "report.html", "vendor_report.md", "junit.xml"
RENDERINGS = {"html": PAGE_FILE, "md": MARKDOWN_FILE, "junit": JUNIT_FILE}
TABLE_PAGE, TABLE_MARKDOWN, TABLE_JSON = "vendors.html", "vendors.md", "vendors.json"


@dataclass(frozen=True, kw_only=True)
class Written:
    """A report's document, and the directory in which its files lie."""

    document: Mapping[str, Any]
    directory: Path


def write_report(report: VendorReport, directory: Path) -> None:
    """Write every rendering and vendor_report.json; raise :class:`JournalError` where the disk refuses."""
    for name in RENDERINGS.values():
        _write(directory, name, render_vendor(report, name, directory))
    _write(directory, REPORT_FILE, to_json(vendor_document(report)))


def render_vendor(report: VendorReport, name: str, directory: Path) -> str:
    """Return the text of one of :data:`RENDERINGS`; links of a page are relative to ``directory``."""
    if name == PAGE_FILE:
        return render_vendor_html(report, directory=directory)
    return render_vendor_markdown(report) if name == MARKDOWN_FILE else render_vendor_junit(report)


def show_one(report: VendorReport, directory: Path, *, as_json: bool) -> None:
    """Print one report, and on stderr where it lies."""
    text = to_json(vendor_document(report)) if as_json else render_vendor_terminal(report)
    print(text, end="")
    print(
        f"report: {directory / PAGE_FILE}, {directory / MARKDOWN_FILE}, {directory / REPORT_FILE}",
        file=sys.stderr,
    )


def show_combined(found: Sequence[Written], directory: Path, *, as_json: bool) -> dict[str, Any]:
    """Write and print the table of several reports; return its document."""
    ordered = sorted(found, key=lambda one: rank(vendor_row(one.document)))
    document = vendors_document([one.document for one in ordered])
    rows = [vendor_row(one.document) for one in ordered]
    reports = [vendor_from_document(one.document, source=str(one.directory)) for one in ordered]
    links = [page_link(one.directory / PAGE_FILE, directory) for one in ordered]
    _write(directory, TABLE_PAGE, render_vendors_html(reports, rows, links))
    _write(directory, TABLE_MARKDOWN, render_vendors_markdown(rows))
    _write(directory, TABLE_JSON, to_json(document))
    print(to_json(document) if as_json else render_vendors_terminal(rows), end="")
    print(
        f"table: {directory / TABLE_PAGE}, {directory / TABLE_MARKDOWN}, {directory / TABLE_JSON}",
        file=sys.stderr,
    )
    return document


def _write(directory: Path, name: str, text: str) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise JournalError(
            f"--out {str(directory)!r}: {name} cannot be written ({error.strerror}); name another directory"
        ) from error
