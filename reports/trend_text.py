"""How trends are written: the JSON document and the text of ``quantcheck trend``."""

from collections.abc import Sequence
from typing import Any

from reports import numbers
from reports.history import HistoryRun, Skipped
from reports.json_values import estimate, finite
from reports.report_lines import estimate_points
from reports.speed_table import aligned
from reports.terminal import printable, wrapped
from reports.trend import Flag, Shift, Trend, VersionChange

SCHEMA = 1
_HEADER = ("started (UTC)", "server", "quantcheck", "accuracy %", "truncated", "against earlier, pp", "")


def trend_document(
    trends: Sequence[Trend], skipped: Sequence[Skipped], notes: Sequence[str]
) -> dict[str, Any]:
    """Return the JSON document: one entry a series, ``None`` where unknown or not judged."""
    return {
        "schema": SCHEMA,
        "series": [_series(trend) for trend in trends],
        "skipped": [{"source": entry.source, "reason": entry.reason} for entry in skipped],
        "notes": list(notes),
    }


def _series(trend: Trend) -> dict[str, Any]:
    series, slope = trend.series, trend.slope
    return {
        "task": series.task,
        "label": ", ".join(series.labels),
        "fingerprint": series.fingerprint,
        "n_items": series.n_items,
        "flag": _worst(trend),
        "runs": [
            _run(point.run)
            | {"accuracy": estimate(point.accuracy), "against_earlier": _shift(point.against_earlier)}
            for point in trend.points
        ],
        "pooled": estimate(trend.pooled),
        "between_runs": None
        if trend.between is None
        else {"ratio": finite(trend.between.ratio), "p_value": trend.between.p_value},
        "slope_per_day": None
        if slope is None
        else {
            "value": slope.per_day,
            "low": slope.interval.low,
            "high": slope.interval.high,
            "p_value": slope.p_value,
            "spread": slope.spread,
            "flag": trend.slope_flag,
        },
        "changes": [_change(change) for change in trend.changes],
    }


def _run(run: HistoryRun) -> dict[str, Any]:
    return {
        "source": run.facts.source,
        "label": run.facts.label,
        "started": run.at.isoformat(),
        "server": run.server,
        "quantcheck": run.quantcheck,
        "scored": len(run.scores),
        "expected": run.expected,
        "coverage": run.coverage,
        "is_judged": run.is_judged,
        "truncated": run.truncated / len(run.scores) if len(run.scores) else None,
    }


def _shift(shift: Shift | None) -> dict[str, Any] | None:
    if shift is None:
        return None
    return (estimate(shift.delta) or {}) | {"n_items": shift.n_items, "flag": shift.flag}


def _change(change: VersionChange) -> dict[str, Any]:
    return {
        "started": change.first.at.isoformat(),
        "before": dict(zip(("server", "quantcheck"), change.before, strict=True)),
        "after": dict(zip(("server", "quantcheck"), change.after, strict=True)),
        "n_runs": {"before": change.n_before, "after": change.n_after},
        "delta": _shift(change.shift),
    }


def _worst(trend: Trend) -> Flag | None:
    return next((flag for flag in (Flag.DRIFT, Flag.WATCH) if flag in trend.flags), None)


def render_trend(trends: Sequence[Trend], skipped: Sequence[Skipped], notes: Sequence[str]) -> str:
    """Return one table a series with what was found below it; skipped runs and notes last."""
    blocks = ["\n".join(_block(trend)) for trend in trends]
    last = [*(f"skipped: {entry.reason}" for entry in skipped), *(f"note: {note}" for note in notes)]
    if last:
        blocks.append("\n".join(wrapped(line, "") for line in last))
    return printable("\n\n".join(blocks) + "\n")


def _block(trend: Trend) -> list[str]:
    series, n_runs = trend.series, len(trend.points)
    title = (
        f"{series.task} - {', '.join(series.labels)} - fingerprint {series.fingerprint}:"
        f" {series.n_items:,} item{'s' * (series.n_items != 1)}, {n_runs} run{'s' * (n_runs != 1)}"
    )
    lines = [wrapped(title, ""), _table(trend)]
    if n_runs > 1:
        lines += [wrapped(text, f"  {name:<16}") for name, text in _facts(trend)]
    return lines


def _table(trend: Trend) -> str:
    show_label = len(trend.series.labels) > 1
    rows = [("label", *_HEADER) if show_label else _HEADER]
    for point in trend.points:
        run = point.run
        cells = (
            f"{run.at:%Y-%m-%d %H:%M}",
            run.server or numbers.UNKNOWN,
            run.quantcheck or numbers.UNKNOWN,
            f"{numbers.percent(point.accuracy.value).removesuffix(' %')}"
            f" {numbers.percent_interval(point.accuracy.interval)}",
            f"{run.truncated:,}",
            _points(point.against_earlier),
            _mark(point.against_earlier) if run.is_judged else f"partial: {numbers.percent(run.coverage, 1)}",
        )
        rows.append((run.facts.label, *cells) if show_label else cells)
    return aligned(rows)


def _points(shift: Shift | None) -> str:
    return numbers.UNKNOWN if shift is None else estimate_points(shift.delta).removesuffix(" pp")


def _mark(shift: Shift | None) -> str:
    if shift is None or shift.flag is None:
        return ""
    direction = "lower" if shift.delta.value < 0 else "higher"
    return f"DRIFT {direction}" if shift.flag is Flag.DRIFT else f"watch: {direction}"


def _facts(trend: Trend) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    if trend.pooled is not None:
        interval = numbers.percent_interval(trend.pooled.interval)
        facts.append(("all runs", f"{numbers.percent(trend.pooled.value)} {interval}"))
    if trend.between is not None:
        text = f"{trend.between.ratio:.2f} times what sampling explains (p {numbers.p_value(trend.between.p_value)})"
        facts.append(("between runs", text))
    facts.append(("slow trend", _slope_text(trend)))
    facts += [("version change", _change_text(change)) for change in trend.changes]
    return [*facts, ("found", _verdict(trend))]


def _slope_text(trend: Trend) -> str:
    if trend.slope is None:
        return "not fitted: it takes 4 whole runs of 3 dates or more"
    judged = [point.run.at for point in trend.points if point.run.is_judged]
    days = (judged[-1] - judged[0]).total_seconds() / 86400
    low, high = trend.slope.interval.low * days, trend.slope.interval.high * days
    flag = f", {trend.slope_flag}" if trend.slope_flag is not None else ""
    value = numbers.points(trend.slope.per_day * days).removesuffix(" pp")
    low_text, high_text = (numbers.points(limit).removesuffix(" pp") for limit in (low, high))
    return f"{value} [{low_text}, {high_text}] pp over {days:.4g} days{flag}"


def _change_text(change: VersionChange) -> str:
    names = [
        f"{server} with quantcheck {ours or 'unknown'}" for server, ours in (change.before, change.after)
    ]
    if change.before[1] == change.after[1]:
        names = [change.before[0], change.after[0]]
    mark = _mark(change.shift)
    counts = f"{change.n_after} run{'s' * (change.n_after != 1)} against {change.n_before}"
    return (
        f"{change.first.at:%Y-%m-%d} {names[0]} to {names[1]}: {estimate_points(change.shift.delta)}, {counts}"
        f"{f' - {mark}' if mark else ''}"
    )


def _verdict(trend: Trend) -> str:
    worst = _worst(trend)
    if worst is Flag.DRIFT:
        return f"DRIFT, more than sampling explains: {_found(trend)}"
    if worst is Flag.WATCH:
        return f"watch: {_found(trend)}; one in 20 goes that far by chance, so look again at the next run"
    return "no drift beyond what sampling explains"


def _found(trend: Trend) -> str:
    """Name what is flagged: the runs by their dates, the version changes, the slow trend."""
    marked = [p.run.at for p in trend.points if p.against_earlier is not None and p.against_earlier.flag]
    changed = [change.first.at for change in trend.changes if change.shift.flag]
    parts = []
    if marked:
        since = "of" if len(marked) == 1 else "from"
        parts.append(f"{len(marked)} run{'s' * (len(marked) != 1)} {since} {marked[0]:%Y-%m-%d}")
    parts += [f"version change of {at:%Y-%m-%d}" for at in changed]
    parts += ["slow trend"] * (trend.slope_flag is not None)
    return ", ".join(parts)
