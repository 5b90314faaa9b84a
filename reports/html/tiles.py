"""The figures a reader looks for first, of one task."""

from dataclasses import dataclass

from reports import numbers
from reports.html.plots import short_tokens
from reports.intervals import Estimate
from reports.metrics import TokenRatio
from reports.report import Analysis, TaskReport
from reports.report_lines import estimate_points


@dataclass(frozen=True, kw_only=True)
class Tile:
    """A figure: its name, the value, and what stands below it in small."""

    name: str
    value: str
    note: str = ""


def accuracy_tiles(task: TaskReport, labels: tuple[str, str]) -> tuple[Tile, Tile]:
    """Return the accuracy of both sides, where nothing was compared what each got right."""
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


def task_tiles(task: TaskReport) -> list[Tile]:
    """Return a task's other figures: delta, margin, recovery, flips, truncated, errors, tokens."""
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
    return [*tiles, *_speed_tiles(task)]


def _speed_tiles(task: TaskReport) -> list[Tile]:
    """Return how many tokens each side was served a second, and whether the client set that pace."""
    sides = (task.baseline.speed, task.candidate.speed)
    paces = [
        side.output_throughput for side in sides if side is not None and side.output_throughput is not None
    ]
    if len(paces) < 2:
        return []
    is_bound = any(side is not None and side.client_bound for side in sides)
    note = "the client set the pace, not the server" if is_bound else "output tokens of all requests together"
    return [Tile(name="tokens per second", value=f"{paces[0]:,.0f} → {paces[1]:,.0f}", note=note)]


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
    rates = f"{numbers.percent(base.truncated_rate, 1)} → {numbers.percent(cand.truncated_rate, 1)}"
    return Tile(name="truncated", value=rates, note=f"{base.truncated:,} → {cand.truncated:,} responses")


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
