"""Criteria and reports of vendors, made by hand."""

from typing import Any

from reports.intervals import Estimate, Interval
from reports.metrics import f1_estimate, share_estimate
from reports.tool_call_json import tool_call_block
from reports.tool_call_metrics import Delivery, ToolCallMetrics
from reports.tool_call_trigger import Trigger
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


def tool_call_details(*, ways: tuple[str, ...] = ("streamed", "plain"), **more: Any) -> ToolCallFigures:
    """The figures of a run of 2,000: 960 responses call, 900 of them where the reference calls, too."""
    shares = {"streamed": (432, 480), "plain": (480, 480)}
    trigger = Trigger(
        reference="official.jsonl",
        n_joined=2000,
        tp=900,
        fp=60,
        fn=100,
        tn=940,
        precision=share_estimate(900, 960),
        recall=share_estimate(900, 1000),
        f1=f1_estimate(900, 60, 100),
    )
    given: dict[str, Any] = {
        "schema": share_estimate(912, 960),
        "schema_lenient": share_estimate(936, 960),
        "trigger": trigger,
        **more,
    }
    metrics = ToolCallMetrics(
        n_responses=2000,
        n_errors=2,
        n_truncated=3,
        n_triggered=960,
        n_judged=960,
        n_leaked=20,
        n_recoverable_calls=12,
        n_data_faults=1,
        finish_agreement=share_estimate(1997, 1997),
        leak_rate=share_estimate(20, 2000),
        reasons={"schema": 40, "args_not_json": 8},
        deliveries={
            way: Delivery(n_responses=1000, n_triggered=480, n_leaked=10, schema=share_estimate(*shares[way]))
            for way in ways
        },
        **given,
    )
    return ToolCallFigures(
        trigger_f1=trigger.f1, schema_accuracy=metrics.schema, details=tool_call_block(metrics)
    )


TOKEN_FIGURE = Figure(estimate=estimate(0.5, 0.1, 0.9), pass_line=1.0, kept=1, judged=2)
