"""The verdict of a comparison in one sentence that a release manager can act on."""

from collections.abc import Sequence

from reports.items import cut
from reports.report import Report
from reports.verdict import Verdict

_MAX_NAMED = 4
_LABEL_LENGTH = 40


def verdict_sentence(report: Report) -> str:
    """Return one sentence: what decided the verdict, and how the other tasks stand."""
    candidate = cut(report.candidate_label, _LABEL_LENGTH)
    worst = [task.task for task in report.tasks if task.verdict is report.verdict]
    if not worst:  # an edited report.json
        return f"The comparison says {report.verdict}, which no task of it does."
    named = _named(worst)
    if report.verdict is Verdict.PASS:
        where = "the task" if len(worst) == 1 else f"each of the {len(worst)} tasks"
        return f"A loss of {candidate} beyond the margin is ruled out on {where}."
    if report.verdict is Verdict.REGRESSION:
        main = f"{candidate} loses more than is tolerated on {named}"
    elif report.verdict is Verdict.INVALID:
        main = f"{named} cannot be judged: not comparable, or an invalid run"
    else:
        main = f"A loss of {candidate} beyond the margin is neither shown nor ruled out on {named}"
    others = [_others(report, verdict) for verdict in Verdict if verdict is not report.verdict]
    return "; ".join([main, *filter(None, others)]) + "."


def _others(report: Report, verdict: Verdict) -> str:
    tasks = [task.task for task in report.tasks if task.verdict is verdict]
    if not tasks:
        return ""
    says = {
        Verdict.PASS: ("passes", "pass"),
        Verdict.REGRESSION: ("shows a loss beyond its margin", "show losses beyond their margins"),
        Verdict.INCONCLUSIVE: ("is inconclusive", "are inconclusive"),
        Verdict.INVALID: ("cannot be judged", "cannot be judged"),
    }[verdict]
    return f"{_named(tasks)} {says[len(tasks) > 1]}"


def _named(tasks: Sequence[str]) -> str:
    if len(tasks) > _MAX_NAMED:
        return f"{len(tasks)} tasks"
    return " and ".join(filter(None, [", ".join(tasks[:-1]), tasks[-1]]))
