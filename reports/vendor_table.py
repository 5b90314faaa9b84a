"""Several vendors in one table, sorted as published ones are: by trigger F1, then by schema accuracy."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reports import numbers
from reports.vendor_report import BENCHMARKS

REPORT_FILE = "vendor_report.json"
_FIRST, _LAST = ("vendor", "verdict", "trigger F1", "schema accuracy"), ("criteria met", "profile", "engine")
VERDICTS = ("not_qualified", "incomplete", "qualified")  # worst first


class VendorReportError(ValueError):
    """A vendor report that is not there or cannot be read."""


@dataclass(frozen=True, kw_only=True)
class VendorRow:
    """What the table shows of one vendor; figures in [0, 1], ``None`` where not measured."""

    label: str
    verdict: str
    trigger_f1: float | None
    schema_accuracy: float | None
    n_met: int
    n_judged: int
    profile: str
    engine: str
    benchmarks: Mapping[str, float] = field(default_factory=dict)


def vendor_row(document: Mapping[str, Any]) -> VendorRow:
    """Return the row of one report; raise :class:`VendorReportError` where it is no such report."""
    if document.get("kind") != "vendor" or document.get("verdict") not in VERDICTS:
        raise VendorReportError("vendor report: not one of quantcheck verify; give its --out directory")
    figures = _object(document, "tool_calls")
    counts = _object(document, "counts")
    facts = _object(document, "endpoint")
    return VendorRow(
        label=str(document.get("label")),
        verdict=str(document["verdict"]),
        trigger_f1=_value(figures.get("trigger_f1")),
        schema_accuracy=_value(figures.get("schema_accuracy")),
        n_met=_count(counts.get("pass")),
        n_judged=sum(_count(counts.get(name)) for name in ("pass", "fail", "error")),
        profile=str(document.get("profile")),
        engine=" ".join(str(facts[name]) for name in ("engine", "version") if facts.get(name)),
        benchmarks=dict(_benchmarks(document)),
    )


def columns(rows: Iterable[VendorRow]) -> tuple[str, ...]:
    """Return the headings: one column a benchmark that any vendor has, behind the tool calls."""
    return (*_FIRST, *_benchmark_names(rows), *_LAST)


def cells(row: VendorRow, rows: Iterable[VendorRow]) -> tuple[str, ...]:
    """Return the text of each of the :func:`columns` of ``rows``."""
    return (
        row.label,
        row.verdict.replace("_", " "),
        numbers.percent(row.trigger_f1),
        numbers.percent(row.schema_accuracy),
        *(numbers.percent(row.benchmarks.get(name)) for name in _benchmark_names(rows)),
        f"{row.n_met} of {row.n_judged}",
        row.profile,
        row.engine or numbers.UNKNOWN,
    )


def _benchmark_names(rows: Iterable[VendorRow]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row.benchmarks))


def _benchmarks(document: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    found = document.get("criteria")
    for criterion in found if isinstance(found, list) else ():
        is_one = isinstance(criterion, Mapping) and criterion.get("part") == BENCHMARKS
        value = _value(criterion.get("figure")) if is_one else None
        if value is not None:
            yield str(criterion.get("name")), value


def report_files(paths: Sequence[Path]) -> list[Path]:
    """Return the report files at ``paths``: files, their directories, or directories of such.

    Raises :class:`VendorReportError` that names the path.
    """
    return [file for path in paths for file in _files(path)]


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if (path / REPORT_FILE).is_file():
        return [path / REPORT_FILE]
    found = sorted(path.glob(f"*/{REPORT_FILE}"))
    if not found:
        raise VendorReportError(
            f"vendor report {str(path)!r}: no {REPORT_FILE} in it; give the --out directory of a verify"
        )
    return found


def read_document(path: Path) -> dict[str, Any]:
    """Return the document in a report file; raises :class:`VendorReportError` that names the path."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise VendorReportError(f"vendor report {str(path)!r}: cannot be read ({error})") from error
    if not isinstance(document, dict):
        raise VendorReportError(f"vendor report {str(path)!r}: a JSON {type(document).__name__}, no report")
    try:
        vendor_row(document)
    except VendorReportError as error:
        raise VendorReportError(f"{str(path)!r}: {error}") from error
    return document


def rank(row: VendorRow) -> tuple[float, float, float, int, str]:
    """Return the key by which vendors are sorted, best first."""
    measured = [-math.inf if value is None else value for value in (row.trigger_f1, row.schema_accuracy)]
    share = row.n_met / row.n_judged if row.n_judged else 0.0
    return (-measured[0], -measured[1], -share, -VERDICTS.index(row.verdict), row.label)


def _object(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name)
    return value if isinstance(value, Mapping) else {}


def _value(estimate: object) -> float | None:
    value = estimate.get("value") if isinstance(estimate, Mapping) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _count(value: object) -> int:
    return value if type(value) is int else 0
