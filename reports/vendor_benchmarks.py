"""Benchmarks against a reference as criteria of a vendor report: one a task of a comparison made before."""

from reports import numbers
from reports.intervals import Estimate
from reports.report import Report, TaskReport
from reports.report_lines import estimate_points, verdict_line
from reports.vendor_report import BENCHMARKS, Figure, Standing, VendorCriterion
from reports.verdict import Verdict

_STANDINGS = {
    Verdict.PASS: Standing.PASS,
    Verdict.REGRESSION: Standing.FAIL,
    Verdict.INCONCLUSIVE: Standing.ERROR,
    Verdict.INVALID: Standing.ERROR,
}
ADVICE = "open the comparison's own page: items that flipped, truncation, accuracy against output length"


def benchmark_criteria(report: Report) -> tuple[VendorCriterion, ...]:
    """Return one criterion a task: the vendor is the candidate, the reference the baseline.

    An inconclusive or invalid comparison shows nothing, and so passes nobody.
    """
    return tuple(_criterion(task, report.baseline_label) for task in report.tasks)


def _criterion(task: TaskReport, reference: str) -> VendorCriterion:
    return VendorCriterion(
        name=task.task,
        part=BENCHMARKS,
        group=BENCHMARKS,
        expectation=f"No more is lost against {reference} than the margin tolerates.",
        standing=_STANDINGS[task.verdict],
        evidence=_evidence(task, reference),
        advice=ADVICE,
        figure=_figure(task),
    )


def _figure(task: TaskReport) -> Figure | None:
    """Return the vendor's own accuracy; what passes is judged on the delta, which stands in the evidence."""
    if task.analysis is None:
        return None
    side = task.analysis.delta.candidate
    margin = numbers.margin_points(task.analysis.judgement.margin)
    return Figure(
        estimate=Estimate(value=side.accuracy, interval=side.interval), limit=f"loss below {margin}"
    )


def _evidence(task: TaskReport, reference: str) -> str:
    if task.analysis is None:
        return verdict_line(task)
    delta = task.analysis.delta
    shown = estimate_points(Estimate(value=delta.value, interval=task.analysis.interval))
    margin = numbers.margin_points(task.analysis.judgement.margin)
    baseline = numbers.percent(delta.baseline.accuracy)
    return f"delta {shown}, margin {margin}; {reference} {baseline}; {verdict_line(task)}"
