"""What is asked of one compared task, requirement by requirement, in words a person understands."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from reports import numbers
from reports.criteria import Criterion, Status
from reports.policy import BaselinePolicy, Policy, TaskPolicy, WhenUndecided
from reports.power_text import power_advice
from reports.report import SideReport, TaskReport
from reports.report_lines import verdict_line
from reports.score_table import TaskFacts
from reports.verdict import Verdict

_SECONDS_PER_DAY = 86_400
_OF_VERDICT = {
    Verdict.PASS: Status.MET,
    Verdict.REGRESSION: Status.FAILED,
    Verdict.INCONCLUSIVE: Status.UNDECIDED,
    Verdict.INVALID: Status.INVALID,
}


def task_criteria(report: TaskReport, asked: TaskPolicy, policy: Policy) -> tuple[Criterion, ...]:
    """Return every requirement of a task with its finding; those of an advisory task only warn."""
    found = [*_criteria(report, asked, policy.baseline)]
    found = [_decided(criterion, policy.inconclusive) for criterion in found]
    return tuple(found if asked.required else [as_advice(criterion) for criterion in found])


def loss_criterion(report: TaskReport) -> Criterion:
    """Return what a comparison asks by itself: that the loss stays within the task's margin."""
    text = verdict_line(report)
    if report.verdict is Verdict.INCONCLUSIVE and report.analysis is not None:
        text = f"{text}; {power_advice(report.analysis.plan)}"
    return Criterion(task=report.task, name="loss", status=_OF_VERDICT[report.verdict], text=text)


def as_advice(criterion: Criterion) -> Criterion:
    """Return a requirement that can no more than warn."""
    met = criterion.status is Status.MET
    return criterion if met else replace(criterion, status=Status.WARNED)


def _decided(criterion: Criterion, when: WhenUndecided) -> Criterion:
    if criterion.status is not Status.UNDECIDED or when is WhenUndecided.ASK:
        return criterion
    status = Status.FAILED if when is WhenUndecided.FAIL else Status.WARNED
    return replace(criterion, status=status, text=f"{criterion.text} (inconclusive = {when} in the policy)")


def _criteria(report: TaskReport, asked: TaskPolicy, baseline: BaselinePolicy) -> Iterator[Criterion]:
    task, sides = report.task, (("baseline", report.baseline), ("candidate", report.candidate))
    yield _baseline(report, baseline)
    for name, side in sides:
        yield _coverage(task, name, side, asked)
    for name, side in sides:
        yield _errors(task, name, side, asked.max_error_rate)
    if asked.max_error_increase is not None:
        yield _more_errors(task, report, asked.max_error_increase)
    if asked.min_epochs > 1:
        yield _epochs(task, report.candidate, asked.min_epochs)
    yield from _truncation(report, asked)
    if asked.min_accuracy is not None:
        yield _floor(report, asked.min_accuracy)
    yield loss_criterion(report)


def _baseline(report: TaskReport, asked: BaselinePolicy) -> Criterion:
    base, cand = report.baseline.facts, report.candidate.facts
    problem = (
        _foreign(base, asked)
        or _other_label(base, asked)
        or _stale(base, cand, asked)
        or _unknown(cand, asked)
    )
    status = Status.INVALID if problem else Status.MET
    text = problem or f"baseline {base.label} from {base.source}"
    return Criterion(task=report.task, name="baseline", status=status, text=text)


def _foreign(base: TaskFacts, asked: BaselinePolicy) -> str | None:
    if asked.allow_foreign or (base.fingerprint and not base.is_foreign):
        return None
    return (
        f"the baseline {base.source} does not tell its protocol; run it here, or set baseline.allow_foreign"
    )


def _unknown(cand: TaskFacts, asked: BaselinePolicy) -> str | None:
    if asked.allow_foreign or (cand.fingerprint and not cand.is_foreign):
        return None
    return (
        f"the candidate {cand.source} does not tell its protocol; run it here, or set baseline.allow_foreign"
    )


def _other_label(base: TaskFacts, asked: BaselinePolicy) -> str | None:
    if asked.label is None or asked.label == base.label:
        return None
    return f"the baseline is of {base.label!r}, the policy asks for {asked.label!r}; give that one's runs"


def _stale(base: TaskFacts, cand: TaskFacts, asked: BaselinePolicy) -> str | None:
    if asked.max_age_days is None:
        return None
    ends = [_time(facts.finished or facts.started) for facts in (base, cand)]
    if ends[0] is None or ends[1] is None:
        return (
            f"the age of the baseline is not known; the policy asks for {asked.max_age_days:g} days at most"
        )
    days = (ends[1] - ends[0]).total_seconds() / _SECONDS_PER_DAY
    if days <= asked.max_age_days:
        return None
    return f"the baseline is {days:.1f} days older than the candidate; at most {asked.max_age_days:g} may lie between"


def _time(text: str | None) -> datetime | None:
    try:
        time = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return time.astimezone() if time is not None else None


def _coverage(task: str, name: str, side: SideReport, asked: TaskPolicy) -> Criterion:
    counts = side.counts
    met = counts.coverage >= asked.min_coverage
    text = (
        f"{numbers.share(counts.scored, counts.expected)} responses scored,"
        f" at least {numbers.limit(asked.min_coverage)} asked"
    )
    return Criterion(task=task, name=f"coverage {name}", status=_valid(met), text=text)


def _errors(task: str, name: str, side: SideReport, limit: float) -> Criterion:
    counts = side.counts
    text = (
        f"{numbers.share(counts.errors, counts.scored + counts.errors)} responses failed,"
        f" at most {numbers.limit(limit)} allowed"
    )
    return Criterion(task=task, name=f"errors {name}", status=_valid(counts.error_rate <= limit), text=text)


def _more_errors(task: str, report: TaskReport, limit: float) -> Criterion:
    increase = report.candidate.counts.error_rate - report.baseline.counts.error_rate
    text = (
        f"{numbers.points(increase)} of requests failed against the baseline,"
        f" at most +{numbers.margin_points(limit)} allowed"
    )
    status = Status.MET if increase <= limit else Status.FAILED
    return Criterion(task=task, name="errors increase", status=status, text=text)


def _epochs(task: str, side: SideReport, least: int) -> Criterion:
    text = f"{side.epochs} epochs, at least {least} asked"
    return Criterion(task=task, name="epochs candidate", status=_valid(side.epochs >= least), text=text)


def _valid(met: bool) -> Status:
    return Status.MET if met else Status.INVALID


def _truncation(report: TaskReport, asked: TaskPolicy) -> Iterator[Criterion]:
    base, cand = report.baseline.counts, report.candidate.counts
    rate, before = cand.truncated_rate or 0.0, base.truncated_rate or 0.0
    if asked.max_truncated_rate is not None:
        text = (
            f"{numbers.share(cand.truncated, cand.scored)} responses truncated,"
            f" at most {numbers.limit(asked.max_truncated_rate)} allowed"
        )
        status = Status.MET if rate <= asked.max_truncated_rate else Status.FAILED
        yield Criterion(task=report.task, name="truncated candidate", status=status, text=text)
    if asked.max_truncated_increase is not None:
        text = (
            f"{numbers.points(rate - before)} truncated against the baseline,"
            f" at most +{numbers.margin_points(asked.max_truncated_increase)} allowed"
        )
        status = Status.MET if rate - before <= asked.max_truncated_increase else Status.FAILED
        yield Criterion(task=report.task, name="truncated increase", status=status, text=text)


def _floor(report: TaskReport, floor: float) -> Criterion:
    """Judge the candidate's interval against the floor: a point estimate would fail equal builds at random."""
    if report.delta is None:
        text = f"at least {numbers.limit(floor)} asked; nothing was compared"
        return Criterion(task=report.task, name="accuracy candidate", status=Status.INVALID, text=text)
    side = report.delta.candidate
    status = Status.UNDECIDED
    if side.interval.low >= floor:
        status = Status.MET
    elif side.interval.high < floor:
        status = Status.FAILED
    found = f"{numbers.percent(side.accuracy)} {numbers.percent_interval(side.interval)}"
    text = f"{found}, at least {numbers.limit(floor)} asked"
    return Criterion(task=report.task, name="accuracy candidate", status=status, text=text)
