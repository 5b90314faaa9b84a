"""The JSON documents of vendor qualifications that pipelines read."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from reports.json_report import SCHEMA_VERSION
from reports.json_values import estimate
from reports.vendor_report import Figure, Standing, VendorCriterion, VendorReport, reason
from reports.vendor_table import VERDICTS, rank, vendor_row


def vendor_document(report: VendorReport) -> dict[str, Any]:
    """Return the document of one endpoint (vendor_report.json)."""
    counts = Counter(criterion.standing.value for criterion in report.criteria if not criterion.is_advisory)
    return {
        "schema": SCHEMA_VERSION,
        "kind": "vendor",
        "verdict": report.verdict.value,
        "reason": reason(report),
        "label": report.label,
        "base_url": report.base_url,
        "model": report.model,
        "profile": report.profile,
        "endpoint": dict(report.facts),
        "started": report.started,
        "duration_s": report.duration_s,
        "requests_sent": report.n_requests,
        "counts": {standing.value: counts[standing.value] for standing in Standing},
        "tool_calls": {
            "trigger_f1": estimate(report.tool_calls.trigger_f1),
            "schema_accuracy": estimate(report.tool_calls.schema_accuracy),
            "reference_noise": [estimate(found) for found in report.tool_calls.reference_noise],
            "details": dict(report.tool_calls.details) or None,
        },
        "criteria": [_criterion(criterion) for criterion in report.criteria],
        "notes": list(report.notes),
    }


def vendors_document(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the document of several endpoints: the worst verdict, and each in the table's order."""
    ordered = sorted(documents, key=lambda document: rank(vendor_row(document)))
    verdicts = {document["verdict"] for document in documents}
    return {
        "schema": SCHEMA_VERSION,
        "kind": "vendors",
        "verdict": next((verdict for verdict in VERDICTS if verdict in verdicts), "incomplete"),
        "vendors": ordered,
    }


def _criterion(criterion: VendorCriterion) -> dict[str, Any]:
    return {
        "name": criterion.name,
        "part": criterion.part,
        "group": criterion.group,
        "verdict": criterion.standing.value,
        "is_advisory": criterion.is_advisory,
        "expectation": criterion.expectation,
        "evidence": criterion.evidence,
        "advice": criterion.advice or None,
        "follows_from": criterion.follows_from or None,
        "figure": _figure(criterion.figure),
        "by_delivery": {
            delivery: {"verdict": standing.value, "evidence": evidence}
            for delivery, (standing, evidence) in criterion.by_delivery.items()
        },
    }


def _figure(figure: Figure | None) -> dict[str, Any] | None:
    if figure is None:
        return None
    found = estimate(figure.estimate) or {}
    counts = {"kept": figure.kept, "judged": figure.judged}
    return {**found, "pass_line": figure.pass_line, "limit": figure.limit or None, **counts}
