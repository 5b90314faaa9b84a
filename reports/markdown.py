"""Render a comparison as markdown that fits a pull-request comment."""

import re
from collections.abc import Iterable

from reports.closing_lines import closing_lines
from reports.report import Report, TaskReport
from reports.report_lines import (
    comparison_lines,
    headline,
    side_lines,
    task_title,
    verdict_line,
)

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$@!])")


def render_markdown(report: Report) -> str:
    """Return the comparison as GitHub-flavoured markdown; text from logs is escaped, never markup."""
    blocks = [f"# {escaped(headline(report))}"]
    blocks += ["\n".join(_task_section(task, report)) for task in report.tasks]
    blocks += [escaped(line) for line in closing_lines(report)]
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Return text that markdown shows as it is: no markup, no HTML, no mention, one line."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.replace("&", "&amp;").split()))


def _task_section(task: TaskReport, report: Report) -> Iterable[str]:
    yield f"## {escaped(task_title(task))}"
    yield ""
    yield f"**{escaped(verdict_line(task))}**"
    yield ""
    yield f"| | {escaped(report.baseline_label)} | {escaped(report.candidate_label)} |"
    yield "|---|---|---|"
    for line in side_lines(task):
        yield f"| {line.name} | {escaped(line.baseline)} | {escaped(line.candidate)} |"
    facts = comparison_lines(task)
    if facts:
        yield ""
        yield "| | |"
        yield "|---|---|"
        for fact in facts:
            yield f"| {fact.name} | {escaped(fact.text)} |"
