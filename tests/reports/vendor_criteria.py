"""Criteria and reports of vendors, made by hand."""

from typing import Any

from reports.intervals import Estimate, Interval
from reports.vendor_report import CONTRACT, Figure, Standing, ToolCallFigures, VendorCriterion, VendorReport

PASS, FAIL, IDLE, ERROR = Standing.PASS, Standing.FAIL, Standing.NOT_APPLICABLE, Standing.ERROR


def estimate(value: float, low: float, high: float) -> Estimate:
    interval = Interval(low=low, high=high, confidence=0.95, method="wilson")
    return Estimate(value=value, interval=interval)


def criterion(name: str, standing: Standing = PASS, **more: Any) -> VendorCriterion:
    given = {
        "part": CONTRACT,
        "group": "basics",
        "expectation": f"{name} is kept.",
        "evidence": f"{name} was seen",
        **more,
    }
    return VendorCriterion(name=name, standing=standing, **given)


def report(*criteria: VendorCriterion, **more: Any) -> VendorReport:
    given = {
        "label": "vendor",
        "base_url": "http://127.0.0.1:8000/v1",
        "model": "m",
        "profile": "generic",
        "started": "2026-01-02T03:04:05+00:00",
        "duration_s": 61.4,
        "n_requests": 1234,
        "facts": {"engine": "vllm", "version": "0.32.0", "context_tokens": 2048, "quantization": None},
        **more,
    }
    return VendorReport(criteria=criteria, **given)


def measured(f1: float | None, schema: float | None) -> ToolCallFigures:
    def figure(value: float | None) -> Estimate | None:
        return None if value is None else estimate(value, value - 0.05, value + 0.05)

    return ToolCallFigures(trigger_f1=figure(f1), schema_accuracy=figure(schema))


TOKEN_FIGURE = Figure(estimate=estimate(0.5, 0.1, 0.9), pass_line=1.0, kept=1, judged=2)
