"""The lines a person reads of a comparison, in order, for the terminal and for markdown alike."""

from dataclasses import dataclass

from reports import numbers
from reports.delta import Delta, SideEstimate
from reports.intervals import Interval
from reports.report import Report, SideReport, TaskReport
from reports.verdict import Verdict

_SHOWN_ITEMS = 5


@dataclass(frozen=True, kw_only=True)
class SideLine:
    """A fact of both sides: its name, the baseline's and the candidate's text."""

    name: str
    baseline: str
    candidate: str


@dataclass(frozen=True, kw_only=True)
class Line:
    """A fact of the comparison."""

    name: str
    text: str


def headline(report: Report) -> str:
    """Return the whole comparison in one sentence."""
    verdicts = [f"{task.task} {task.verdict}" for task in report.tasks]
    listed = f": {', '.join(verdicts)}" if len(verdicts) > 1 else ""
    pair = f"{report.candidate_label} against {report.baseline_label}"
    return f"{report.verdict.upper()} - {pair} ({len(verdicts)} task{'s' * (len(verdicts) != 1)}){listed}"


def task_title(task: TaskReport) -> str:
    """Return task, size and coverage: partial runs say so wherever their numbers stand."""
    base, cand = task.baseline, task.candidate
    epochs = f"{base.epochs}" if base.epochs == cand.epochs else f"{base.epochs} and {cand.epochs}"
    n_items = task.delta.n_items if task.delta else max(base.n_items, cand.n_items)
    plural = "epoch" if epochs == "1" else "epochs"
    partial = [
        f"{name} partial: {numbers.share(side.counts.scored, side.counts.expected)}"
        for name, side in (("baseline", base), ("candidate", cand))
        if side.counts.missing
    ]
    tail = f" - {'; '.join(partial)}" if partial else ""
    return f"{task.task}: {n_items:,} items, {epochs} {plural}{tail}"


def side_lines(task: TaskReport) -> list[SideLine]:
    """Return what each side shows by itself: truncated and errors first, then accuracy."""
    base, cand, delta = task.baseline, task.candidate, task.delta
    lines = [
        SideLine(name="truncated", baseline=_truncated(base), candidate=_truncated(cand)),
        SideLine(name="errors", baseline=_errors(base), candidate=_errors(cand)),
        SideLine(name="scored", baseline=_scored(base), candidate=_scored(cand)),
    ]
    if base.counts.no_answer or cand.counts.no_answer:
        lines.append(SideLine(name="no answer", baseline=_no_answer(base), candidate=_no_answer(cand)))
    if delta is not None:
        lines.append(_accuracy_line("accuracy", delta))
    if task.completed is not None:
        lines.append(_accuracy_line("completed only", task.completed))
    lines.append(
        SideLine(
            name="per epoch",
            baseline=numbers.epochs_grouped(base.per_epoch),
            candidate=numbers.epochs_grouped(cand.per_epoch),
        )
    )
    return lines


def comparison_lines(task: TaskReport) -> list[Line]:
    """Return what the two sides show together: delta, verdict's margin, flips; refusals and notes."""
    lines = [Line(name="allowed mismatch", text=str(found)) for found in task.mismatches if found.allowed]
    if task.delta is not None:
        lines += _delta_lines(task, task.delta)
    lines += [Line(name="note", text=note) for note in (*task.notes, *_delta_notes(task))]
    return lines


def verdict_line(task: TaskReport) -> str:
    """Return the verdict and why, in one sentence and in percentage points."""
    return f"{task.verdict.upper()}: {_sentence(task)}"


def _sentence(task: TaskReport) -> str:
    delta, margin = task.delta, numbers.margin_points(task.margin)
    if delta is None or task.judgement is None or task.reason != task.judgement.reason:
        return task.reason
    shown = numbers.points_interval(delta.interval)
    if task.verdict is Verdict.PASS and task.judgement.is_significantly_lower:
        return f"a loss of {margin} or more is ruled out, yet the candidate is lower: {shown} pp lies below 0"
    if task.verdict is Verdict.PASS:
        return f"a loss of {margin} or more is ruled out: even the worst of {shown} pp is smaller"
    if task.verdict is Verdict.REGRESSION:
        return f"the loss exceeds {margin}: even the best of {shown} pp is beyond it"
    if task.judgement.sensitivity is None or task.reason.startswith("a loss"):
        return f"a loss of {margin} is neither shown nor ruled out: {shown} pp holds it; measure more epochs"
    return task.reason


def _delta_lines(task: TaskReport, delta: Delta) -> list[Line]:
    level = numbers.confidence_level(delta.interval.confidence)
    lines = [
        Line(
            name="delta",
            text=f"{_points(delta.value, delta.interval)} pp at {level} (candidate - baseline, these items)",
        )
    ]
    if delta.population is not None:
        text = f"{numbers.points_interval(delta.population)} pp, taken as a sample of such items"
        lines.append(Line(name="items like these", text=text))
    if task.completed is not None:
        text = f"{_points(task.completed.value, task.completed.interval)} pp without truncated responses"
        lines.append(Line(name="completed only", text=text))
    if task.truncation is not None:
        text = f"{_points(task.truncation.value, task.truncation.interval)} pp truncated (more is worse)"
        lines.append(Line(name="truncation", text=text))
    lines.append(Line(name="margin", text=f"{numbers.margin_points(task.margin)} ({task.margin_source})"))
    if delta.recovery is not None:
        recovery = numbers.percent_interval(delta.recovery.interval)
        lines.append(Line(name="recovery", text=f"{numbers.percent(delta.recovery.value)} {recovery}"))
    lines.append(Line(name="flips", text=_flips(delta)))
    lines.append(Line(name="p, no difference", text=numbers.p_value(delta.p_value)))
    lines += _item_lines(delta)
    return lines


def _points(value: float, interval: Interval) -> str:
    digits = numbers.digits_for(interval)
    return f"{numbers.points(value, digits).removesuffix(' pp')} {numbers.points_interval(interval)}"


def _flips(delta: Delta) -> str:
    flips = delta.flips
    text = f"{flips.worse:,} items worse, {flips.better:,} better"
    if flips.corrected_rate is None:
        rate = numbers.percent(flips.rate)
        return f"{text} ({rate} of answers differ; one epoch cannot tell noise from change)"
    return f"{text}; beyond sampling noise {numbers.percent(flips.corrected_rate)}"


def _item_lines(delta: Delta) -> list[Line]:
    lines = []
    for item in delta.regressed[:_SHOWN_ITEMS]:
        change = f"{numbers.percent(item.baseline, 1)} to {numbers.percent(item.candidate, 1)}"
        lines.append(Line(name="item got worse", text=f"{item.sample_id}: {change} (q = {item.q_value:.3f})"))
    more = len(delta.regressed) - _SHOWN_ITEMS
    if more > 0:
        lines.append(Line(name="", text=f"and {more} more items, all in report.json"))
    for name, items in (("baseline", delta.only_baseline), ("candidate", delta.only_candidate)):
        if items:
            lines.append(Line(name=f"only in {name}", text=_listed(items)))
    return lines


def _listed(items: tuple[str, ...]) -> str:
    more = f" and {len(items) - _SHOWN_ITEMS:,} more" if len(items) > _SHOWN_ITEMS else ""
    return f"{len(items):,} items: {', '.join(items[:_SHOWN_ITEMS])}{more}"


def _delta_notes(task: TaskReport) -> tuple[str, ...]:
    return task.delta.warnings if task.delta is not None else ()


def _accuracy_line(name: str, delta: Delta) -> SideLine:
    return SideLine(name=name, baseline=_accuracy(delta.baseline), candidate=_accuracy(delta.candidate))


def _accuracy(side: SideEstimate) -> str:
    return f"{numbers.percent(side.accuracy)} {numbers.percent_interval(side.interval)}"


def _truncated(side: SideReport) -> str:
    return numbers.share(side.counts.truncated, side.counts.scored)


def _errors(side: SideReport) -> str:
    return numbers.share(side.counts.errors, side.counts.scored + side.counts.errors)


def _no_answer(side: SideReport) -> str:
    return numbers.share(side.counts.no_answer, side.counts.scored)


def _scored(side: SideReport) -> str:
    text = f"{side.counts.scored:,} of {side.counts.expected:,}"
    if not side.counts.missing:
        return text
    return f"{text} ({numbers.percent(side.counts.coverage, 1)}): partial"
