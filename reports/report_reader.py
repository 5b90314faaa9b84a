"""Read report.json back, so that every other output can be made again years later, offline."""

import json
from dataclasses import dataclass
from pathlib import Path

import jsonschema

from reports.criteria import Criterion, Status
from reports.gate import GateReport
from reports.json_report import SCHEMA_VERSION
from reports.json_text import parse_json
from reports.policy import Policy, WhenUndecided
from reports.read_tasks import read_task
from reports.read_values import Fields, read_estimate
from reports.report import Report
from reports.report_schema import REPORT_SCHEMA
from reports.schema_fault import schema_fault
from reports.verdict import Verdict

NAME = "report.json"
_SCHEMA = jsonschema.Draft202012Validator(REPORT_SCHEMA)


class ReportFileError(ValueError):
    """A report that cannot be read: not there, not JSON, of another version, not a report."""


@dataclass(frozen=True, kw_only=True)
class ReadReport:
    """What a report.json holds: a comparison, a gate with its comparison, or a gate that had none."""

    report: Report | None
    gate: GateReport | None


def read_report(path: Path) -> ReadReport:
    """Return the report in a file, or in the report.json of a directory; raises :class:`ReportFileError`."""
    file = path / NAME if path.is_dir() else path
    return report_from_document(_document(file), source=str(file))


def report_from_document(document: Fields, *, source: str = NAME) -> ReadReport:
    """Return the report of a parsed document; raises :class:`ReportFileError`."""
    version = document.get("schema")
    if version != SCHEMA_VERSION:
        raise ReportFileError(
            f"{source}: is of schema {version!r}, this quantcheck reads {SCHEMA_VERSION};"
            " use the version that wrote it, or compare the runs again"
        )
    if fault := schema_fault(_SCHEMA, document):
        raise ReportFileError(f"{source}: {fault}; expected a report.json as quantcheck writes it")
    try:
        report = _report(document) if document["tasks"] else None
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise ReportFileError(
            f"{source}: is not as quantcheck wrote it ({type(problem).__name__}: {problem});"
            " compare the runs again"
        ) from None
    gate = _gate(document, report) if "gate" in document else None
    if report is None and gate is None:
        reason = document.get("reason") or "no task"
        raise ReportFileError(f"{source}: compares nothing ({reason}); compare the runs again")
    return ReadReport(report=report, gate=gate)


def _document(path: Path) -> Fields:
    try:
        document = parse_json(path.read_bytes())
    except OSError as error:
        raise ReportFileError(
            f"{path}: cannot be read ({error.strerror or error}); give a report.json or its directory"
        ) from None
    except (ValueError, json.JSONDecodeError) as error:
        raise ReportFileError(f"{path}: is no JSON ({error}); give a report.json") from None
    if not isinstance(document, dict):
        raise ReportFileError(f"{path}: is no JSON object; give a report.json")
    return document


def _report(document: Fields) -> Report:
    provenance, confidence = document["provenance"], document["confidence"]
    verdict = document.get("comparison_verdict") or document["verdict"]
    return Report(
        verdict=Verdict(verdict),
        confidence=confidence,
        baseline_label=provenance["baseline"]["label"],
        candidate_label=provenance["candidate"]["label"],
        tasks=tuple(read_task(task, provenance, confidence) for task in document["tasks"]),
        pooled=read_estimate(document["pooled"], confidence),
        only_baseline=tuple(document["only_baseline"]),
        only_candidate=tuple(document["only_candidate"]),
        notes=tuple(document["notes"]),
        divergence=document.get("divergence"),
    )


def _gate(document: Fields, report: Report | None) -> GateReport:
    found = document["gate"]
    policy = Policy(path=Path(found["policy"]), tasks={}, inconclusive=WhenUndecided(found["inconclusive"]))
    criteria = tuple(
        Criterion(task=c["task"], name=c["name"], status=Status(c["status"]), text=c["text"])
        for c in found["criteria"]
    )
    return GateReport(policy=policy, verdict=Verdict(document["verdict"]), criteria=criteria, report=report)
