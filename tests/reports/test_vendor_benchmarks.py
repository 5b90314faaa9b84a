"""Benchmarks against a reference as criteria: an inconclusive comparison passes nobody."""

from dataclasses import replace

import pytest

from benchmarks.simulated_report import SHAPES, simulated_report
from reports.report import Report
from reports.vendor_benchmarks import benchmark_criteria
from reports.vendor_report import BENCHMARKS, Standing
from reports.verdict import Verdict


@pytest.fixture(scope="module")
def compared() -> Report:
    return simulated_report(shapes=(SHAPES[1],), scale=0.05)


@pytest.mark.parametrize(
    ("verdict", "standing"),
    [
        (Verdict.PASS, Standing.PASS),
        (Verdict.REGRESSION, Standing.FAIL),
        (Verdict.INCONCLUSIVE, Standing.ERROR),
        (Verdict.INVALID, Standing.ERROR),
    ],
)
def test_each_task_is_a_criterion(compared: Report, verdict: Verdict, standing: Standing) -> None:
    task = replace(compared.tasks[0], verdict=verdict)
    (found,) = benchmark_criteria(replace(compared, tasks=(task,)))
    assert (found.name, found.part, found.standing) == (task.task, BENCHMARKS, standing)
    assert task.analysis is not None and found.figure is not None
    assert found.figure.estimate.value == task.analysis.delta.candidate.accuracy
    assert found.figure.pass_line is None and found.figure.limit.startswith("loss below ")
    assert found.evidence.startswith("delta ") and compared.baseline_label in found.expectation


def test_sides_that_must_not_be_compared_have_no_figure(compared: Report) -> None:
    task = replace(compared.tasks[0], analysis=None, verdict=Verdict.INVALID, reason="another prompt")
    (found,) = benchmark_criteria(replace(compared, tasks=(task,)))
    assert (found.standing, found.figure) == (Standing.ERROR, None)
    assert "another prompt" in found.evidence
