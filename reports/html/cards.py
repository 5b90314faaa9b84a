"""One task's card: the figures a reader looks for first, its pictures, and every line the terminal has."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from reports import numbers
from reports.html.item_table import ItemTable, item_table
from reports.html.plots import epoch_plot, length_plot, short_tokens
from reports.html.provenance import log_link
from reports.intervals import Estimate
from reports.metrics import TokenRatio
from reports.report import Analysis, Report, TaskReport
from reports.report_lines import (
    Line,
    SideLine,
    comparison_lines,
    estimate_points,
    side_lines,
    task_title,
    verdict_line,
)


@dataclass(frozen=True, kw_only=True)
class Tile:
    """A figure: its name, the value, and what stands below it in small."""

    name: str
    value: str
    note: str = ""


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
    items: ItemTable
    sources: tuple[str, str]


def side_labels(report: Report) -> tuple[str, str]:
    """Return the names of baseline and candidate, told apart where both are called the same."""
    base, cand = report.baseline_label, report.candidate_label
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
        accuracy=_accuracy_tiles(task, labels),
        tiles=tuple(_tiles(task)),
        overview=overview_tiles(task),
        epochs=_epochs(task, anchor, labels),
        lengths=_lengths(task, anchor, labels),
        length_rows=tuple(_length_rows(task)),
        side_lines=tuple(side_lines(task)),
        lines=tuple(comparison_lines(task)),
        items=item_table(task.items, (log_link(sources[0], directory), log_link(sources[1], directory))),
        sources=sources,
    )


def _sentence(task: TaskReport) -> str:
    reason = verdict_line(task).partition(": ")[2]
    return f"{reason[:1].upper()}{reason[1:]}."


def _accuracy_tiles(task: TaskReport, labels: tuple[str, str]) -> tuple[Tile, Tile]:
    if task.analysis is None:
        sides = (task.baseline, task.candidate)
        texts = [numbers.share(side.counts.correct, side.counts.scored) for side in sides]
        one, other = (
            Tile(name=label, value=text, note="correct") for label, text in zip(labels, texts, strict=True)
        )
        return one, other
    delta = task.analysis.delta
    one, other = (
        Tile(
            name=f"accuracy {label}",
            value=numbers.percent(side.accuracy),
            note=numbers.percent_interval(side.interval),
        )
        for label, side in zip(labels, (delta.baseline, delta.candidate), strict=True)
    )
    return one, other


def _tiles(task: TaskReport) -> list[Tile]:
    tiles = _compared_tiles(task, task.analysis) if task.analysis is not None else []
    base, cand = task.baseline.counts, task.candidate.counts
    tiles.append(_truncated_tile(task))
    if base.errors or cand.errors:
        failed = f"{base.errors:,} → {cand.errors:,}"
        tiles.append(Tile(name="errors", value=failed, note="failed responses, missing not wrong"))
    means = [mean_tokens(task, side) for side in ("baseline", "candidate")]
    if means[0] is not None and means[1] is not None:
        ratio = task.analysis.diagnosis.output_tokens if task.analysis is not None else None
        value = f"{short_tokens(means[0])} → {short_tokens(means[1])}"
        tiles.append(Tile(name="output tokens", value=value, note=_ratio(ratio)))
    return tiles


def _compared_tiles(task: TaskReport, analysis: Analysis) -> list[Tile]:
    tiles = [_delta_tile(analysis), _margin_tile(task, analysis), _recovery_tile(analysis)]
    flips = analysis.delta.flips
    beyond = "one epoch: noise and change look alike"
    if flips.corrected_rate is not None:
        beyond = f"beyond sampling noise {numbers.percent(flips.corrected_rate)}"
    tiles.append(Tile(name="flips", value=f"{flips.worse:,} worse, {flips.better:,} better", note=beyond))
    return tiles


def _delta_tile(analysis: Analysis) -> Tile:
    shown = estimate_points(Estimate(value=analysis.delta.value, interval=analysis.interval))
    value, _, interval = shown.partition(" ")
    return Tile(name="delta", value=f"{value} pp", note=interval)


def _margin_tile(task: TaskReport, analysis: Analysis) -> Tile:
    return Tile(
        name="margin", value=numbers.margin_points(analysis.judgement.margin), note=task.margin_source
    )


def _recovery_tile(analysis: Analysis) -> Tile:
    found = analysis.delta.recovery
    if found is None:
        return Tile(name="recovery", value=numbers.UNKNOWN, note="undefined: the baseline's accuracy is 0")
    return Tile(
        name="recovery", value=numbers.percent(found.value), note=numbers.percent_interval(found.interval)
    )


def _truncated_tile(task: TaskReport) -> Tile:
    base, cand = task.baseline.counts, task.candidate.counts
    cut = f"{numbers.percent(base.truncated_rate, 1)} → {numbers.percent(cand.truncated_rate, 1)}"
    return Tile(name="truncated", value=cut, note=f"{base.truncated:,} → {cand.truncated:,} responses")


def overview_tiles(task: TaskReport) -> tuple[Tile, ...]:
    """Return the figures of the overview: delta, margin, recovery, truncated; the same for every task."""
    unknown = tuple(Tile(name=name, value=numbers.UNKNOWN) for name in ("delta", "margin", "recovery"))
    analysis = task.analysis
    if analysis is not None:
        unknown = (_delta_tile(analysis), _margin_tile(task, analysis), _recovery_tile(analysis))
    return (*unknown, _truncated_tile(task))


def mean_tokens(task: TaskReport, side: str) -> float | None:
    """Return the mean output tokens of a side: of its items, each the mean of its responses."""
    found = [getattr(item, side) for item in task.items]
    counted = [part.output_tokens for part in found if part is not None and part.output_tokens is not None]
    return sum(counted) / len(counted) if counted else None


def _ratio(found: TokenRatio | None) -> str:
    return "" if found is None else f"ratio {numbers.ratio(found.value, found.interval)}"


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
