"""Render a comparison, alone or under a gate's policy, as one self-contained HTML page."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from reports import numbers
from reports.closing_lines import closing_lines
from reports.criteria import Criterion, Status
from reports.gate import GateReport
from reports.gate_outputs import gate_headline
from reports.html.cards import Card, side_labels, task_card
from reports.html.divergence_section import divergence_section
from reports.html.drawing import NARROW, WIDE
from reports.html.forest import ForestRow, forest_plot
from reports.html.item_table import shown
from reports.html.page import embedded_json, render_page
from reports.html.provenance import FactTable, fact_tables
from reports.html.sentences import verdict_sentence
from reports.intervals import Estimate
from reports.report import Report
from reports.report_lines import allowed_fields, estimate_points

TEMPLATE = "report.html.jinja"
_OF_STATUS = {
    Status.MET: "pass",
    Status.WARNED: "inconclusive",
    Status.UNDECIDED: "inconclusive",
    Status.INVALID: "invalid",
    Status.FAILED: "regression",
}


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One requirement of a gate as the page shows it; ``role`` colours its mark."""

    task: str
    name: str
    mark: str
    role: str
    text: str


def render_html(report: Report, *, directory: Path = Path()) -> str:
    """Return the page of a comparison; ``directory`` is where it will lie, for its links to the logs."""
    title = _pair(report)
    return _render(
        report,
        directory=directory,
        title=title,
        verdict=report.verdict.value,
        sentence=verdict_sentence(report),
        requirements=[],
    )


def render_gate_html(gate: GateReport, *, directory: Path = Path()) -> str:
    """Return the page of a gate: its requirements, then the comparison they rest on."""
    report = gate.report
    pair = _pair(report) if report is not None else "nothing was compared"
    return _render(
        report,
        directory=directory,
        title=f"Gate {gate.policy.path.name}: {pair}",
        verdict=gate.verdict.value,
        sentence=f"{gate_headline(gate).partition(' - ')[2]}."
        + (f" {verdict_sentence(report)}" if report else ""),
        requirements=[_requirement(found) for found in (*gate.unmet, *_met(gate))],
    )


def _pair(report: Report) -> str:
    base, cand = side_labels(report)
    return f"{cand} against {base}"


def _render(
    report: Report | None,
    *,
    directory: Path,
    title: str,
    verdict: str,
    sentence: str,
    requirements: Sequence[Requirement],
) -> str:
    tasks = report.tasks if report is not None else ()
    cards: list[Card] = []
    tables: list[FactTable] = []
    if report is not None:
        cards = [task_card(task, report, place, directory) for place, task in enumerate(tasks, start=1)]
        tables = fact_tables(tasks)
    return render_page(
        TEMPLATE,
        title=title,
        verdict=verdict,
        sentence=sentence,
        requirements=requirements,
        report=report,
        labels=side_labels(report) if report is not None else ("baseline", "candidate"),
        cards=cards,
        forest=_forests(report) if report is not None else [],
        notes=closing_lines(report) if report is not None else [],
        allowed=allowed_fields(report) if report is not None else (),
        fact_tables=tables,
        divergence=divergence_section(report.divergence) if report is not None else None,
        level=numbers.confidence_level(report.confidence) if report is not None else "",
        payload=lambda card: embedded_json(card.items.payload()),
        shown=shown,
    )


def _met(gate: GateReport) -> list[Criterion]:
    return [criterion for criterion in gate.criteria if criterion.status is Status.MET]


def _requirement(found: Criterion) -> Requirement:
    return Requirement(
        task=found.task,
        name=found.name,
        mark=found.status.value,
        role=_OF_STATUS[found.status],
        text=found.text,
    )


def _forests(report: Report) -> list[Markup]:
    """Return the forest plot for a page and for a phone; nothing where nothing was compared."""
    rows = _forest_rows(report)
    if not rows:
        return []
    told = "; ".join(f"{row.label} {row.text}" for row in rows)
    label = f"Delta of each task with its interval, percentage points: {told}"
    return [forest_plot(rows, f"forest-{width}", width=width, label=label) for width in (WIDE, NARROW)]


def _forest_rows(report: Report) -> list[ForestRow]:
    rows = []
    for task in report.tasks:
        if task.analysis is None:
            continue
        interval, margin = task.analysis.interval, task.analysis.judgement.margin
        found = Estimate(value=task.analysis.delta.value, interval=interval)
        role = task.verdict.value
        rows.append(_forest_row(task.task, found, margin if math.isfinite(margin) else None, role))
    if report.pooled is not None:
        rows.append(_forest_row("mean of the tasks", report.pooled, None, "ink"))
    return rows


def _forest_row(label: str, found: Estimate, margin: float | None, role: str) -> ForestRow:
    return ForestRow(
        label=label,
        value=found.value,
        low=found.interval.low,
        high=found.interval.high,
        edge=-margin if margin is not None else None,
        text=estimate_points(found).removesuffix(" pp"),
        role=role,
    )
