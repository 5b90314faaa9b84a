"""What a comparison says of all its tasks together, below the last of them."""

from collections.abc import Iterator

from reports import numbers
from reports.report import Report
from reports.report_lines import estimate_points

_WORSE = 0.05  # chance, over all tasks together, of calling one worse that is not


def closing_lines(report: Report) -> list[str]:
    """Return what holds for all tasks: the rule, which got worse, the mean, tasks of one side alone, notes."""
    lines = list(_several_tasks(report))
    if report.pooled is not None:
        text = estimate_points(report.pooled)
        lines.append(f"mean delta of the {len(report.tasks)} tasks, equal weights: {text}")
    for side, tasks in (("baseline", report.only_baseline), ("candidate", report.only_candidate)):
        if tasks:
            lines.append(f"only in the {side}, not compared: {', '.join(tasks)}")
    return [*lines, *report.notes]


def _several_tasks(report: Report) -> Iterator[str]:
    if len(report.tasks) < 2:
        return
    yield "a pass takes every task within its own margin (intersection-union: the level needs no correction)"
    tested = sorted((task.worse_holm, task.task) for task in report.tasks if task.worse_holm is not None)
    if len(tested) < 2:
        return
    worse = [f"{name} (p {numbers.p_value(p)})" for p, name in tested if p < _WORSE]
    listed = ", ".join(worse) if worse else f"none shown (smallest p {numbers.p_value(tested[0][0])})"
    yield f"worse, allowing for {len(tested)} tasks looked at (Holm): {listed}"
