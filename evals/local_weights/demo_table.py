"""Write the end of the demonstration for the terminal: one line a checkpoint, then why, then where to read."""

from collections.abc import Iterator

from evals.local_weights.demo import Checkpoint, Comparison, DemoEnd
from reports import numbers
from reports.dead import DEAD
from reports.intervals import Interval
from reports.report_lines import verdict_line
from reports.terminal import wrapped
from reports.verdict import Verdict

_FORMAT = "{:<18} {:>7}  {:<26} {:<26} {:<13} {:>6}"


def render_demo(end: DemoEnd) -> str:
    """Return the verdict table, the reasons and the pages."""
    lines = [_FORMAT.format("checkpoint", "size", "accuracy", "delta to source, pp", "verdict", "min")]
    lines.append(_FORMAT.format(*_checkpoint(end.source, _source_accuracy(end), "", "baseline")))
    lines += [_row(one) for one in end.comparisons]
    lines.append("")
    for one in end.comparisons:
        words = verdict_line(one.task) if one.task is not None else f"{_verdict(one)}: {one.reason}"
        lines.append(wrapped(f"{one.checkpoint.name}: {words}", ""))
    lines += [f"report {one.page}" for one in end.comparisons if one.page is not None]
    return "\n".join(line.rstrip() for line in lines)


def _source_accuracy(end: DemoEnd) -> str:
    """Return the baseline's accuracy as the first comparison that has one shows it."""
    found = (one.task.delta.baseline for one in end.comparisons if one.task and one.task.delta)
    side = next(found, None)
    return numbers.UNKNOWN if side is None else _accuracy(side.accuracy, side.interval)


def _row(one: Comparison) -> str:
    delta = one.task.delta if one.task is not None else None
    if delta is None:
        instead = DEAD if DEAD in one.reason else "not stated"
        return _FORMAT.format(*_checkpoint(one.checkpoint, instead, "", _verdict(one)))
    accuracy = _accuracy(delta.candidate.accuracy, delta.candidate.interval)
    change = f"{numbers.points(delta.value).removesuffix(' pp')} {numbers.points_interval(delta.interval)}"
    return _FORMAT.format(*_checkpoint(one.checkpoint, accuracy, change, _verdict(one)))


def _checkpoint(checkpoint: Checkpoint, accuracy: str, change: str, verdict: str) -> Iterator[str]:
    yield checkpoint.name
    yield f"{checkpoint.n_bytes / 1e6:,.0f} MB"
    yield accuracy
    yield change
    yield verdict
    yield f"{checkpoint.minutes:.1f}"


def _accuracy(value: float, interval: Interval) -> str:
    return f"{numbers.percent(value)} {numbers.percent_interval(interval)}"


def _verdict(one: Comparison) -> str:
    return (one.task.verdict if one.task is not None else Verdict.INVALID).value.upper()
