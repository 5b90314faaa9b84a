"""The tool-call figures of a vendor report as lines for every rendering: shares, counts, reasons, deliveries."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from reports import numbers
from reports.read_values import read_interval
from reports.tool_call_metrics import CONFIDENCE
from reports.vendor_report import VendorReport


@dataclass(frozen=True, kw_only=True)
class FigureLine:
    """One figure: what it is called, how large it is, and of what."""

    name: str
    figure: str
    of: str


def figure_lines(report: VendorReport) -> list[FigureLine]:
    """Return every figure of the samples; none where no samples were sent."""
    found = report.tool_calls.details
    return list(_lines(found)) if found else []


def reason_lines(report: VendorReport) -> list[tuple[str, int]]:
    """Return how many calls are faulty for each reason, the usual first."""
    return [(str(reason), int(n)) for reason, n in (report.tool_calls.details.get("reasons") or {}).items()]


def _lines(found: Mapping[str, Any]) -> Iterator[FigureLine]:
    trigger = found.get("trigger")
    if trigger is not None:
        counts = {name: f"{trigger[name]:,}" for name in ("tp", "fp", "fn")}
        for name, of in (
            (
                "precision",
                f"calls where the reference calls: {counts['tp']} of {counts['tp']} + {counts['fp']}",
            ),
            ("recall", f"of the reference's calls: {counts['tp']} of {counts['tp']} + {counts['fn']}"),
            ("f1", f"{trigger['joined']:,} responses joined with {trigger['reference']}"),
        ):
            yield FigureLine(name=f"trigger {name}", figure=_share(trigger[name]), of=of)
    calls = f"{found['judged']:,} responses that call and can be judged"
    answered = f"{found['responses']:,} responses"
    yield FigureLine(name="schema accuracy", figure=_share(found["schema_accuracy"]), of=calls)
    yield FigureLine(name="schema accuracy, lenient", figure=_share(found["lenient"]), of=calls)
    agreement = "responses that the budget did not end"
    yield FigureLine(
        name="finish reason agrees", figure=_share(found["finish_reason_agreement"]), of=agreement
    )
    lost = f"{answered}; {found['recoverable_calls']:,} calls could be made of what leaked"
    yield FigureLine(name="leak rate", figure=_share(found["leak_rate"]), of=lost)
    for way, part in found["by_delivery"].items():
        if len(found["by_delivery"]) > 1:
            of = f"{part['responses']:,} responses, {part['triggered']:,} call, {part['leaked']:,} leak"
            yield FigureLine(name=f"schema accuracy, {way}", figure=_share(part["schema_accuracy"]), of=of)
    for name, of in (
        ("triggered", answered),
        ("truncated", answered),
        ("errors", "requests without an answer"),
    ):
        yield FigureLine(name=name, figure=f"{found[name]:,}", of=of)
    if found["data_faults"]:
        yield FigureLine(
            name="data faults",
            figure=f"{found['data_faults']:,}",
            of="requests whose own tools cannot be read",
        )


def _share(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "not measured"
    interval = read_interval(figure, CONFIDENCE)
    return f"{numbers.percent(figure['value'])} {numbers.percent_interval(interval)}"
