"""Render a vendor qualification, or a table of several, for a terminal."""

from collections.abc import Iterator, Sequence

from reports.terminal import printable, wrapped
from reports.vendor_lines import FigureRow, about, figure_rows, findings, headline, verdict_sentence
from reports.vendor_report import Standing, VendorReport
from reports.vendor_table import VendorRow, cells, columns

_HEADS = ("", "figure", "interval", "pass line", "verdict")


def render_vendor_terminal(report: VendorReport) -> str:
    """Return the qualification as text, verdict first and last."""
    blocks = [
        wrapped(headline(report), ""),
        wrapped(about(report), ""),
        _aligned([_HEADS, *(_cells(row) for row in figure_rows(report))]),
        *_finding_blocks(report),
        wrapped(f"{headline(report)}: {verdict_sentence(report)}", ""),
    ]
    return printable("\n\n".join(blocks) + "\n")


def render_vendors_terminal(rows: Sequence[VendorRow]) -> str:
    """Return the table of several vendors as text, in the order given."""
    return printable(_aligned([columns(rows), *(cells(row, rows) for row in rows)]) + "\n")


def _finding_blocks(report: VendorReport) -> Iterator[str]:
    for word, standings, is_advisory in (
        ("FAIL", (Standing.FAIL,), False),
        ("not judged", (Standing.ERROR,), False),
        ("advice", (Standing.FAIL, Standing.ERROR), True),
    ):
        for finding in findings(report, *standings, is_advisory=is_advisory):
            lines = [wrapped(f"{word} {finding.name}: {finding.expectation}", "  ")]
            lines.append(wrapped(finding.evidence, "    found: "))
            if finding.advice:
                lines.append(wrapped(finding.advice, "    look at: "))
            if finding.followers:
                lines.append(wrapped(finding.followers, "    follows: "))
            yield "\n".join(lines)


def _cells(row: FigureRow) -> tuple[str, ...]:
    return (row.name, row.figure, row.interval, row.pass_line, row.verdict)


def _aligned(rows: Sequence[tuple[str, ...]]) -> str:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(f"  {line}".rstrip() for line in lines)
