"""Render a vendor qualification as one page of markdown, and several vendors as one table."""

from collections.abc import Iterator, Sequence

from reports.markdown import escaped
from reports.vendor_figures import FigureLine, figure_lines, reason_lines
from reports.vendor_lines import (
    Finding,
    about,
    figure_rows,
    findings,
    headline,
    idle_lines,
    kept_lines,
    verdict_sentence,
)
from reports.vendor_report import Standing, VendorReport
from reports.vendor_table import VendorRow, cells, columns


def render_vendor_markdown(report: VendorReport) -> str:
    """Return the page, verdict on top; text of the endpoint's is escaped, never markup."""
    blocks = [
        f"# {escaped(headline(report))}",
        f"**{escaped(verdict_sentence(report))}**",
        escaped(about(report)),
        "\n".join(_figures(report)),
    ]
    for title, found in (
        ("Broken", findings(report, Standing.FAIL)),
        ("Not judged", findings(report, Standing.ERROR)),
        ("For advice only", findings(report, Standing.FAIL, Standing.ERROR, is_advisory=True)),
    ):
        if found:
            blocks.append(f"## {title}")
            blocks.append("\n".join(_findings(found)))
    if lines := figure_lines(report):
        blocks += ["## Tool calls", "\n".join(_tool_calls(lines))]
    if reasons := reason_lines(report):
        blocks.append("\n".join(_reasons(reasons)))
    blocks += ["## Kept", "\n".join(_kept(report))]
    blocks += [escaped(note) for note in report.notes]
    return "\n\n".join(block for block in blocks if block) + "\n"


def render_vendors_markdown(rows: Sequence[VendorRow]) -> str:
    """Return the table of several vendors, in the order given."""
    heads = columns(rows)
    lines = [f"| {' | '.join(map(escaped, heads))} |", "|" + "---|" * len(heads)]
    lines += [f"| {' | '.join(map(escaped, cells(row, rows)))} |" for row in rows]
    return "# Vendors\n\n" + "\n".join(lines) + "\n"


def _figures(report: VendorReport) -> Iterator[str]:
    yield "| criterion | figure | interval | pass line | verdict |"
    yield "|---|---|---|---|---|"
    for row in figure_rows(report):
        found = (row.name, row.figure, row.interval, row.pass_line, row.verdict)
        yield f"| {' | '.join(escaped(cell) for cell in found)} |"


def _tool_calls(lines: Sequence[FigureLine]) -> Iterator[str]:
    yield "| figure | value and interval | of |"
    yield "|---|---|---|"
    for line in lines:
        yield f"| {' | '.join(map(escaped, (line.name, line.figure, line.of)))} |"


def _reasons(reasons: Sequence[tuple[str, int]]) -> Iterator[str]:
    yield "| faulty calls by reason | calls |"
    yield "|---|---|"
    for reason, n_calls in reasons:
        yield f"| {escaped(reason)} | {n_calls:,} |"


def _findings(found: Sequence[Finding]) -> Iterator[str]:
    yield "| criterion | expected | found | look at |"
    yield "|---|---|---|---|"
    for finding in found:
        look = finding.advice + (f" (follows: {finding.followers})" if finding.followers else "")
        shown = (finding.name, finding.expectation, finding.evidence, look)
        yield f"| {' | '.join(escaped(cell) for cell in shown)} |"


def _kept(report: VendorReport) -> Iterator[str]:
    for group, names in kept_lines(report):
        yield f"- {escaped(group)}: {escaped(names)}"
    for name, why in idle_lines(report):
        yield f"- {escaped(name)}: {escaped(why)}"
