"""Render a comparison as markdown that fits a pull-request comment."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from reports.closing_lines import closing_lines
from reports.divergence import lines as divergence
from reports.intervals import Estimate
from reports.items import cut
from reports.report import SEVERITY, Report, TaskReport
from reports.report_lines import (
    comparison_lines,
    estimate_points,
    headline,
    side_lines,
    task_title,
    verdict_line,
)

COMMENT = 60_000  # characters: providers cut comments at 65,536
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~$@!])")
_MANY = 12  # tasks from which on a table of all comes first
_MAX_HEADLINE, _MAX_NAME = 2_000, 80
_LEFT_OUT = "\n*{:,} more are in report.html and report.json: this text fits a comment.*"


def render_markdown(report: Report, *, limit: int = COMMENT) -> str:
    """Return the comparison as GitHub-flavoured markdown; text from logs is escaped, never markup."""
    return fitting(lambda sections: _rendered(report, sections), [*_sections(report)], limit)


def fitting(render: Callable[[Sequence[str]], str], parts: Sequence[str], limit: int = COMMENT) -> str:
    """Return the text with as many of its parts, from the first on, as ``limit`` characters hold."""
    whole = render(parts)
    if len(whole) <= limit:
        return whole
    kept, room = 0, limit - len(render([])) - len(_LEFT_OUT) - 40
    for part in parts:
        room -= len(part) + 2
        if room < 0:
            break
        kept += 1
    return render([*parts[:kept], _LEFT_OUT.format(len(parts) - kept)])


def _rendered(report: Report, sections: Sequence[str]) -> str:
    """Return the comparison, what it says in the end moved to the top where its tasks are many."""
    closing = [escaped(line) for line in closing_lines(report)]
    blocks = [f"# {escaped(cut(headline(report), _MAX_HEADLINE))}"]
    blocks += [*closing, *sections] if len(report.tasks) > _MANY else [*sections, *closing]
    if report.divergence is not None:
        blocks.append("\n".join(_divergence_section(report.divergence)))
    return "\n\n".join(blocks) + "\n"


def _sections(report: Report) -> Iterator[str]:
    """Yield a section a task, where there are many the worst first and before them a line for each."""
    tasks = sorted(report.tasks, key=lambda task: SEVERITY.index(task.verdict))
    if len(tasks) <= _MANY:
        tasks = list(report.tasks)
    else:
        yield "\n".join(_overview(tasks))
    for task in tasks:
        yield "\n".join(_task_section(task, report))


def _overview(tasks: Sequence[TaskReport]) -> Iterator[str]:
    yield "| task | verdict | delta |"
    yield "|---|---|---|"
    for task in tasks:
        analysis = task.analysis
        delta = None if analysis is None else Estimate(value=analysis.delta.value, interval=analysis.interval)
        shown = "not compared" if delta is None else estimate_points(delta)
        yield f"| {escaped(cut(task.task, _MAX_NAME))} | {task.verdict} | {escaped(shown)} |"


def _divergence_section(block: Mapping[str, Any]) -> Iterable[str]:
    yield f"## {escaped(divergence.headline(block))}"
    yield ""
    yield "| | |"
    yield "|---|---|"
    for fact in divergence.summary(block):
        yield f"| {escaped(fact.name)} | {escaped(fact.text)} |"


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
