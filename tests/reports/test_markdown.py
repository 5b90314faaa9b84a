from dataclasses import replace

import pytest

from benchmarks.simulated_report import SHAPES, simulated_report
from reports.markdown import COMMENT, fitting, render_markdown
from reports.report import Report
from reports.verdict import Verdict


@pytest.fixture(scope="module")
def many() -> Report:
    """A comparison of 90 tasks, as of a harness with subtasks, the last of them a regression."""
    report = simulated_report(shapes=(SHAPES[0],), scale=0.1)
    (task,) = report.tasks
    tasks = [
        replace(task, task=f"mmlu_subject_number_{place:02d}", verdict=Verdict.PASS) for place in range(90)
    ]
    tasks[-1] = replace(tasks[-1], verdict=Verdict.REGRESSION)
    return replace(report, verdict=Verdict.REGRESSION, tasks=tuple(tasks))


def test_many_tasks_fit_a_comment_the_worst_first(many: Report) -> None:
    text = render_markdown(many)
    assert len(text) <= COMMENT
    lines = text.splitlines()
    assert lines[0].startswith("# REGRESSION")
    table = [line for line in lines if line.startswith("| mmlu")]
    assert len(table) == 90 and "| mmlu\\_subject\\_number\\_89 | regression |" in table[0]
    assert next(line for line in lines if line.startswith("## ")).startswith(
        "## mmlu\\_subject\\_number\\_89"
    )
    assert any("more are in report.html" in line for line in lines)


def test_a_few_tasks_stand_in_their_order_and_whole(many: Report) -> None:
    few = replace(many, tasks=many.tasks[-3:])
    text = render_markdown(few)
    sections = [line for line in text.splitlines() if line.startswith("## ")]
    assert [section[-40:-22] for section in sections] == sorted(section[-40:-22] for section in sections)
    assert len(sections) == 3 and "more are in report.html" not in text


@pytest.mark.parametrize("limit", [200, 500, 10_000])
def test_parts_are_left_out_from_the_last(limit: int) -> None:
    text = fitting(lambda kept: "\n\n".join(["head", *kept]), ["x" * 90] * 50, limit)
    assert len(text) <= limit or limit == 200
    assert text.startswith("head")
    assert ("more are in" in text) == (limit < 10_000)
