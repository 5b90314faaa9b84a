"""One task's card: the figures a reader looks for first, its pictures, and every line the terminal has."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from reports import numbers
from reports.diagnosis_lines import way_to_decide
from reports.diagnosis_table import DiagnosisRow, diagnosis_rows
from reports.html.item_table import ItemTable, item_table
from reports.html.plots import epoch_plot, length_plot
from reports.html.provenance import log_link
from reports.html.tiles import Tile, accuracy_tiles, overview_tiles, task_tiles
from reports.items import cut
from reports.report import Report, TaskReport
from reports.report_lines import (
    Line,
    SideLine,
    comparison_lines,
    side_lines,
    task_title,
    verdict_line,
)

_LABEL_LENGTH = 40  # the table of the configuration holds all of a longer one


@dataclass(frozen=True, kw_only=True)
class LengthRow:
    """One line of the numbers behind the picture of accuracy against output length."""

    tokens: str
    baseline: str
    candidate: str


@dataclass(frozen=True, kw_only=True)
class Card:
    """Everything the page shows of one task. ``anchor`` is unique on the page and safe in a URL."""

    anchor: str
    task: str
    title: str
    verdict: str
    sentence: str
    accuracy: tuple[Tile, Tile]
    tiles: tuple[Tile, ...]
    overview: tuple[Tile, ...]
    epochs: Markup | None
    lengths: Markup | None
    length_rows: tuple[LengthRow, ...]
    side_lines: tuple[SideLine, ...]
    lines: tuple[Line, ...]
    diagnosis: tuple[DiagnosisRow, ...]
    items: ItemTable
    sources: tuple[str, str]


def side_labels(report: Report) -> tuple[str, str]:
    """Return the names of baseline and candidate for headings, told apart where both are called the same."""
    base, cand = cut(report.baseline_label, _LABEL_LENGTH), cut(report.candidate_label, _LABEL_LENGTH)
    return (base, cand) if base != cand else (f"{base} (baseline)", f"{cand} (candidate)")


def task_card(task: TaskReport, report: Report, place: int, directory: Path) -> Card:
    """Return the card of the ``place``-th task; links to logs are relative to ``directory``."""
    labels = side_labels(report)
    anchor = f"task-{place}"
    base, cand = task.baseline, task.candidate
    sources = (base.facts.source, cand.facts.source)
    return Card(
        anchor=anchor,
        task=task.task,
        title=task_title(task),
        verdict=task.verdict.value,
        sentence=_sentence(task),
        accuracy=accuracy_tiles(task, labels),
        tiles=tuple(task_tiles(task)),
        overview=overview_tiles(task),
        epochs=_epochs(task, anchor, labels),
        lengths=_lengths(task, anchor, labels),
        length_rows=tuple(_length_rows(task)),
        side_lines=tuple(side_lines(task)),
        lines=tuple(comparison_lines(task)),
        diagnosis=diagnosis_rows(task.analysis.diagnosis) if task.analysis is not None else (),
        items=item_table(task.items, (log_link(sources[0], directory), log_link(sources[1], directory))),
        sources=sources,
    )


def _sentence(task: TaskReport) -> str:
    said = [verdict_line(task).partition(": ")[2]]
    if (way := way_to_decide(task)) is not None:
        said.append(way)
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in said)


def _epochs(task: TaskReport, anchor: str, labels: tuple[str, str]) -> Markup | None:
    base, cand = task.baseline.per_epoch, task.candidate.per_epoch
    if max(len(base), len(cand)) < 2:
        return None
    told = "; ".join(
        f"{label}: {numbers.epochs_grouped(epochs)}"
        for label, epochs in zip(labels, (base, cand), strict=True)
    )
    return epoch_plot(base, cand, f"{anchor}-epochs", label=f"Accuracy of each epoch. {told}")


def _lengths(task: TaskReport, anchor: str, labels: tuple[str, str]) -> Markup | None:
    bins = task.by_response_length
    if len(bins) < 2:
        return None
    label = f"Accuracy of {labels[0]} and {labels[1]} against output tokens, numbers in the table below"
    return length_plot(bins, f"{anchor}-lengths", label=label)


def _length_rows(task: TaskReport) -> Sequence[LengthRow]:
    rows = []
    for part in task.by_response_length:
        texts = [
            numbers.UNKNOWN
            if point is None
            else f"{numbers.percent(point.accuracy.value, 1)} {numbers.percent_interval(point.accuracy.interval)}"
            f" of {point.n_responses:,}"
            for point in (part.baseline, part.candidate)
        ]
        tokens = f"{part.low:,.0f} to {part.high:,.0f}"
        rows.append(LengthRow(tokens=tokens, baseline=texts[0], candidate=texts[1]))
    return rows
