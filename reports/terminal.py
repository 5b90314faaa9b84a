"""Render a comparison for a terminal: plain text that reads in 80 columns and loses nothing in 100."""

import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from reports.closing_lines import closing_lines
from reports.divergence import lines as divergence
from reports.report import Report, TaskReport
from reports.report_lines import (
    comparison_lines,
    headline,
    side_lines,
    task_title,
    verdict_line,
)

WIDTH = 96
_NAME_WIDTH = 18
_MAX_SIDE_WIDTH = 38
_DIVERGENCE_WIDTH = 26


def render_terminal(report: Report) -> str:
    """Return the comparison as text, verdict first and last."""
    blocks = [wrapped(headline(report), "")]
    blocks += ["\n".join(_task_block(task, report)) for task in report.tasks]
    blocks += [wrapped(line, "") for line in closing_lines(report)]
    if report.divergence is not None:
        blocks.append("\n".join(_divergence_block(report.divergence)))
    return printable("\n\n".join(blocks) + "\n")


def printable(text: str) -> str:
    """Return text without characters that could steer a terminal or reorder a line: names come from files."""
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )


def _task_block(task: TaskReport, report: Report) -> Iterable[str]:
    yield wrapped(task_title(task), "")
    lines = side_lines(task)
    width = max(len(text) for line in lines for text in (line.baseline, report.baseline_label))
    width = min(width, _MAX_SIDE_WIDTH)
    yield _columns("", report.baseline_label, report.candidate_label, width)
    for line in lines:
        yield _columns(line.name, line.baseline, line.candidate, width)
    for fact in comparison_lines(task):
        yield wrapped(fact.text, f"  {fact.name:<{_NAME_WIDTH}}")
    yield wrapped(verdict_line(task), "  ")


def _divergence_block(block: Mapping[str, Any]) -> Iterable[str]:
    yield wrapped(divergence.headline(block), "")
    for fact in divergence.summary(block):
        yield wrapped(fact.text, f"  {fact.name:<{_DIVERGENCE_WIDTH}}")


def _columns(name: str, baseline: str, candidate: str, width: int) -> str:
    """Return one row of two columns, each wrapped to its width."""
    left = textwrap.wrap(baseline, width) or [""]
    right = textwrap.wrap(candidate, _MAX_SIDE_WIDTH) or [""]
    left += [""] * (len(right) - len(left))
    right += [""] * (len(left) - len(right))
    names = [name] + [""] * (len(left) - 1)
    rows = zip(names, left, right, strict=True)
    return "\n".join(
        f"  {label:<{_NAME_WIDTH}}{one:<{width}}  {other}".rstrip() for label, one, other in rows
    )


def wrapped(text: str, indent: str) -> str:
    """Return the text in lines of the terminal's width, the first after ``indent``, the others below it."""
    return textwrap.fill(
        text, WIDTH, initial_indent=indent, subsequent_indent=" " * len(indent), break_on_hyphens=False
    )
