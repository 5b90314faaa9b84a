"""Read vendor_report.json back, so that its page and its text can be made again without the endpoint."""

from collections.abc import Mapping
from typing import Any

from reports.json_report import SCHEMA_VERSION
from reports.read_values import known_estimate, read_estimate
from reports.vendor_figures import figure_lines, reason_lines
from reports.vendor_report import Figure, Standing, ToolCallFigures, VendorCriterion, VendorReport
from reports.vendor_table import VendorReportError, vendor_row

Fields = Mapping[str, Any]
CONFIDENCE = 0.95  # where a figure does not say it


def vendor_from_document(document: Fields, *, source: str = "vendor report") -> VendorReport:
    """Return the report of a parsed document; raises :class:`VendorReportError` that names ``source``."""
    try:
        vendor_row(document)
    except VendorReportError as error:
        raise VendorReportError(f"{source}: {error}") from None
    if document.get("schema") != SCHEMA_VERSION:
        raise VendorReportError(
            f"{source}: is of schema {document.get('schema')!r}, this quantcheck reads {SCHEMA_VERSION};"
            " use the version that wrote it, or verify again"
        )
    try:
        report = _report(document)
        figure_lines(report), reason_lines(report)  # what every rendering reads of the details
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise VendorReportError(
            f"{source}: is not as quantcheck wrote it ({type(problem).__name__}: {problem}); verify again"
        ) from None
    return report


def _report(document: Fields) -> VendorReport:
    figures = document["tool_calls"]
    noise = figures.get("reference_noise") or ()
    return VendorReport(
        label=_text(document["label"]),
        base_url=_text(document["base_url"]),
        model=_text(document["model"]),
        profile=_text(document["profile"]),
        criteria=tuple(_criterion(found) for found in document["criteria"]),
        facts=dict(document["endpoint"]),
        tool_calls=ToolCallFigures(
            trigger_f1=read_estimate(figures["trigger_f1"], CONFIDENCE),
            schema_accuracy=read_estimate(figures["schema_accuracy"], CONFIDENCE),
            reference_noise=tuple(known_estimate(found, CONFIDENCE) for found in noise),
            details=dict(figures.get("details") or {}),
        ),
        started=_text(document["started"]),
        duration_s=float(document["duration_s"]),
        n_requests=int(document["requests_sent"]),
        notes=tuple(map(_text, document["notes"])),
    )


def _criterion(found: Fields) -> VendorCriterion:
    return VendorCriterion(
        name=_text(found["name"]),
        part=_text(found["part"]),
        group=_text(found["group"]),
        expectation=_text(found["expectation"]),
        standing=Standing(found["verdict"]),
        evidence=_text(found["evidence"]),
        advice=_text(found["advice"] or ""),
        is_advisory=bool(found["is_advisory"]),
        follows_from=_text(found["follows_from"] or ""),
        figure=_figure(found["figure"]),
        by_delivery={
            _text(delivery): (Standing(one["verdict"]), _text(one["evidence"]))
            for delivery, one in found["by_delivery"].items()
        },
    )


def _figure(found: Fields | None) -> Figure | None:
    if found is None:
        return None
    return Figure(
        estimate=known_estimate(found, CONFIDENCE),
        pass_line=found["pass_line"],
        limit=_text(found.get("limit") or ""),
        kept=found["kept"],
        judged=found["judged"],
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.80} where a text belongs")
    return value
