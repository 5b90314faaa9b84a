"""The lines a person reads of a comparison, in order, for the terminal and for markdown alike."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from reports import numbers
from reports.delta import Delta
from reports.diagnosis_lines import diagnosis_facts
from reports.intervals import Estimate
from reports.metrics import SideBySide
from reports.report import Analysis, Report, SideReport, TaskReport
from reports.secondary_lines import shown_secondary
from reports.speed_text import CLIENT_NOTE, UNKNOWN, side_by_side_texts
from reports.verdict import Verdict

_SHOWN_ITEMS = 5
# Reasons that say more than an interval against a margin does.
_OWN_WORDS = ("items:", "missing:", "recovery:", "looks:", "noise floor:")


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
    """Return the whole comparison in one sentence, partial runs and allowed mismatches named as such."""
    verdicts = [f"{task.task} {task.verdict}" for task in report.tasks]
    listed = f": {', '.join(verdicts)}" if len(verdicts) > 1 else ""
    pair = f"{report.candidate_label} against {report.baseline_label}"
    is_partial = any(side.counts.missing for task in report.tasks for side in (task.baseline, task.candidate))
    partial = ", partial coverage" if is_partial else ""
    plural = "task" if len(verdicts) == 1 else "tasks"
    fields = allowed_fields(report)
    unlike = f", although they differ: {', '.join(fields)}" if fields else ""
    return f"{report.verdict.upper()} - {pair} ({len(verdicts)} {plural}{partial}{unlike}){listed}"


def allowed_fields(report: Report) -> tuple[str, ...]:
    """Return the protocol fields in which the sides differ and that were allowed to, each once."""
    found = (mismatch for task in report.tasks for mismatch in task.mismatches if mismatch.allowed)
    return tuple(dict.fromkeys(mismatch.field for mismatch in found))


def task_title(task: TaskReport) -> str:
    """Return task, size and coverage: partial runs say so wherever their numbers stand."""
    base, cand = task.baseline, task.candidate
    epochs = f"{base.epochs}" if base.epochs == cand.epochs else f"{base.epochs} and {cand.epochs}"
    n_items = task.analysis.delta.n_items if task.analysis else max(base.n_items, cand.n_items)
    items, plural = ("item" if n_items == 1 else "items"), ("epoch" if epochs == "1" else "epochs")
    partial = [
        f"{name} partial: {numbers.share(side.counts.scored, side.counts.expected)}"
        for name, side in (("baseline", base), ("candidate", cand))
        if side.counts.missing
    ]
    tail = f" - {'; '.join(partial)}" if partial else ""
    return f"{task.task}: {n_items:,} {items}, {epochs} {plural}{tail}"


def side_lines(task: TaskReport) -> list[SideLine]:
    """Return what each side shows by itself: truncated and errors first, then accuracy."""
    base, cand, analysis = task.baseline, task.candidate, task.analysis
    lines = [
        SideLine(name="truncated", baseline=_truncated(base), candidate=_truncated(cand)),
        SideLine(name="errors", baseline=_errors(base), candidate=_errors(cand)),
        SideLine(name="scored", baseline=_scored(base), candidate=_scored(cand)),
    ]
    if base.counts.no_answer or cand.counts.no_answer:
        lines.append(SideLine(name="no answer", baseline=_no_answer(base), candidate=_no_answer(cand)))
    if analysis is not None:
        lines += _accuracy_lines(analysis, shown_metrics(task))
    lines.append(
        SideLine(
            name="per epoch",
            baseline=numbers.epochs_grouped(base.per_epoch),
            candidate=numbers.epochs_grouped(cand.per_epoch),
        )
    )
    return lines + _speed_lines(base, cand)


def comparison_lines(task: TaskReport) -> list[Line]:
    """Return what the two sides show together: delta, margin, flips, kind of loss, refusals and notes."""
    lines = [Line(name="allowed mismatch", text=str(found)) for found in task.mismatches if found.allowed]
    notes = [*task.notes, *_client_notes(task)]
    if task.analysis is not None:
        lines += _delta_lines(task, task.analysis)
        lines += [Line(name=name, text=text) for name, text in diagnosis_facts(task, task.analysis)]
        notes += task.analysis.delta.warnings
    return [*lines, *(Line(name="note", text=note) for note in notes)]


def _client_notes(task: TaskReport) -> list[str]:
    sides = (("baseline", task.baseline), ("candidate", task.candidate))
    return [
        f"{name}: {CLIENT_NOTE}" for name, side in sides if side.speed is not None and side.speed.client_bound
    ]


def _speed_lines(base: SideReport, cand: SideReport) -> list[SideLine]:
    """Return how fast each side was served; figures that neither side knows are left out."""
    if not any(side.speed is not None and side.speed.e2e is not None for side in (base, cand)):
        return []
    texts = [side_by_side_texts(side.speed) if side.speed is not None else {} for side in (base, cand)]
    lines = [
        SideLine(name=name, baseline=texts[0].get(name, UNKNOWN), candidate=texts[1].get(name, UNKNOWN))
        for name in (texts[0] or texts[1])
    ]
    return [line for line in lines if {line.baseline, line.candidate} - {UNKNOWN, ""}]


def verdict_line(task: TaskReport) -> str:
    """Return the verdict and why, in one sentence and in percentage points."""
    return f"{task.verdict.upper()}: {_sentence(task)}"


def estimate_points(found: Estimate) -> str:
    """Return a difference and its interval: ``-0.31 [-0.99, +0.37] pp``."""
    digits = numbers.digits_for(found.interval)
    value = numbers.points(found.value, digits).removesuffix(" pp")
    return f"{value} {numbers.points_interval(found.interval)} pp"


def _sentence(task: TaskReport) -> str:
    analysis = task.analysis
    plain = analysis is not None and task.reason == analysis.judgement.reason
    if analysis is None or task.margin is None or not plain or task.reason.startswith(_OWN_WORDS):
        return task.reason
    margin = numbers.margin_points(task.margin)
    shown = f"{numbers.points_interval(analysis.interval)} pp"
    if task.verdict is Verdict.PASS and analysis.judgement.is_significantly_lower:
        return f"a loss of {margin} or more is ruled out, yet the candidate is lower: {shown} lies below 0"
    if task.verdict is Verdict.PASS:
        return f"a loss of {margin} or more is ruled out: even the worst of {shown} is smaller"
    if task.verdict is Verdict.REGRESSION:
        return f"the loss exceeds {margin}: even the best of {shown} is beyond it"
    return f"a loss of {margin} is neither shown nor ruled out: {shown} holds it; measure more epochs"


def _delta_lines(task: TaskReport, analysis: Analysis) -> Iterator[Line]:
    delta = analysis.delta
    shown = estimate_points(Estimate(value=delta.value, interval=analysis.interval))
    level = numbers.confidence_level(analysis.interval.confidence)
    yield Line(name="delta", text=f"{shown} at {level} (candidate - baseline, these items)")
    if delta.population is not None:
        text = f"{numbers.points_interval(delta.population)} pp, taken as a sample of such items"
        yield Line(name="items like these", text=text)
    if analysis.completed is not None:
        text = f"{estimate_points(analysis.completed.delta)} without truncated responses"
        yield Line(name="completed only", text=text)
    margin = numbers.margin_points(analysis.judgement.margin)
    if analysis.escalated is not None:
        text = f"{estimate_points(analysis.escalated.delta)} with truncated ones asked again"
        yield Line(name="larger budgets", text=text)
    yield Line(name="margin", text=f"{margin} ({task.margin_source})")
    for name, found in shown_metrics(task).items():
        yield Line(name=name, text=estimate_points(found.delta))
    if delta.recovery is not None:
        recovery = numbers.percent_interval(delta.recovery.interval)
        yield Line(name="recovery", text=f"{numbers.percent(delta.recovery.value)} {recovery}")
    yield Line(name="flips", text=_flips(delta))
    yield Line(name="p, no difference", text=numbers.p_value(delta.p_value))
    yield from _item_lines(delta)


def _flips(delta: Delta) -> str:
    flips = delta.flips
    text = f"{flips.worse:,} {'item' if flips.worse == 1 else 'items'} worse, {flips.better:,} better"
    if flips.corrected_rate is None:
        rate = numbers.percent(flips.rate)
        return f"{text} ({rate} of answers differ; one epoch cannot tell noise from change)"
    return f"{text}; beyond sampling noise {numbers.percent(flips.corrected_rate)}"


def _item_lines(delta: Delta) -> Iterator[Line]:
    for item in delta.regressed[:_SHOWN_ITEMS]:
        change = f"{numbers.percent(item.baseline, 1)} to {numbers.percent(item.candidate, 1)}"
        yield Line(
            name="item got worse", text=f"{item.sample_id}: {change} ({numbers.q_value(item.q_value)})"
        )
    more = len(delta.regressed) - _SHOWN_ITEMS
    if more > 0:
        yield Line(name="", text=f"and {more} more items, all in report.json")
    for name, items in (("baseline", delta.only_baseline), ("candidate", delta.only_candidate)):
        if items:
            yield Line(name=f"only in {name}", text=_listed(items))


def _listed(items: tuple[str, ...]) -> str:
    more = f" and {len(items) - _SHOWN_ITEMS:,} more" if len(items) > _SHOWN_ITEMS else ""
    return f"{len(items):,} items: {', '.join(items[:_SHOWN_ITEMS])}{more}"


def shown_metrics(task: TaskReport) -> Mapping[str, SideBySide]:
    """Return the further metrics that people are shown."""
    if task.analysis is None:
        return {}
    return shown_secondary(task.analysis.secondary, min(task.baseline.epochs, task.candidate.epochs))


def _accuracy_lines(analysis: Analysis, shown: Mapping[str, SideBySide]) -> Iterator[SideLine]:
    base, cand = analysis.delta.baseline, analysis.delta.candidate
    pairs = {
        "accuracy": (
            Estimate(value=base.accuracy, interval=base.interval),
            Estimate(value=cand.accuracy, interval=cand.interval),
        )
    }
    if analysis.completed is not None:
        pairs["completed only"] = (analysis.completed.baseline, analysis.completed.candidate)
    if analysis.escalated is not None:
        pairs["larger budgets"] = (analysis.escalated.baseline, analysis.escalated.candidate)
    pairs |= {name: (found.baseline, found.candidate) for name, found in shown.items()}
    for name, (one, other) in pairs.items():
        yield SideLine(name=name, baseline=_accuracy(one), candidate=_accuracy(other))
        if name == "accuracy" and base.population is not None and cand.population is not None:
            limits = [numbers.percent_interval(side.population) for side in (base, cand)]
            yield SideLine(name="items like these", baseline=limits[0], candidate=limits[1])
        if name == "accuracy" and (base.missing or cand.missing):
            wrong = [numbers.percent(side.if_missing_wrong) for side in (base, cand)]
            yield SideLine(name="missing as wrong", baseline=wrong[0], candidate=wrong[1])


def _accuracy(found: Estimate) -> str:
    return f"{numbers.percent(found.value)} {numbers.percent_interval(found.interval)}"


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
