"""Apply a release policy to two runs: every requirement met or not, and one verdict that fails closed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reports.comparability import UnknownFieldError
from reports.comparison import ComparisonSettings, Side, compare_sides, find_side
from reports.criteria import Criterion, Status, worst_status
from reports.divergence_criterion import divergence_criterion
from reports.policy import Policy, TaskPolicy
from reports.policy_file import PolicyError
from reports.report import Report, TaskReport
from reports.task_criteria import as_advice, task_criteria
from reports.verdict import Verdict

_OF_STATUS = {
    Status.FAILED: Verdict.REGRESSION,
    Status.INVALID: Verdict.INVALID,
    Status.UNDECIDED: Verdict.INCONCLUSIVE,
    Status.WARNED: Verdict.PASS,
    Status.MET: Verdict.PASS,
}


@dataclass(frozen=True, kw_only=True)
class GateReport:
    """What a policy asked and what was found. ``report`` is ``None`` where no task could be compared."""

    policy: Policy
    verdict: Verdict
    criteria: tuple[Criterion, ...]
    report: Report | None

    @property
    def unmet(self) -> tuple[Criterion, ...]:
        """The requirements that are not met, advice included, worst first."""
        order = list(_OF_STATUS)
        found = [criterion for criterion in self.criteria if criterion.status is not Status.MET]
        return tuple(sorted(found, key=lambda criterion: order.index(criterion.status)))


def run_gate(
    policy: Policy, baseline: Path, candidate: Path, divergence: Mapping[str, Any] | None = None
) -> GateReport:
    """Return the gate's report for the runs at two paths; ``divergence`` is the block of a divergence.json.

    Raises :class:`PolicyError` for a policy that cannot be meant for these runs, and what
    :func:`reports.comparison.compare` raises for runs that cannot be read.
    """
    ours, theirs = _named(find_side(baseline), policy), _named(find_side(candidate), policy)
    common = [task for task in policy.tasks if task in ours and task in theirs]
    report = _compared(policy, ours, theirs, common)
    if report is not None and divergence is not None:
        report = replace(report, divergence=divergence)
    compared = {task.task: task for task in report.tasks} if report is not None else {}
    advice = divergence_criterion(policy.divergence, divergence)
    criteria = (*_criteria(policy, ours, theirs, compared), *((advice,) if advice is not None else ()))
    return GateReport(
        policy=policy, verdict=_OF_STATUS[worst_status(criteria)], criteria=criteria, report=report
    )


def _named(side: Side, policy: Policy) -> Side:
    """Give the rows of a score file without a task to the policy's only one."""
    if "" not in side or len(policy.tasks) != 1:
        return side
    (task,) = policy.tasks
    return {
        task: [replace(run, facts=replace(run.facts, task=task)) for run in side[""]],
        **{name: runs for name, runs in side.items() if name},
    }


def _compared(policy: Policy, ours: Side, theirs: Side, tasks: list[str]) -> Report | None:
    if not tasks:
        return None
    asked = {task: policy.tasks[task] for task in tasks}
    settings = ComparisonSettings(
        tasks=tuple(tasks),
        tolerances={task: rules.tolerance(policy.path.name) for task, rules in asked.items()},
        confidence=policy.confidence,
        allow_mismatch=policy.allow_mismatch,
        max_error_rates={task: rules.max_error_rate for task, rules in asked.items()},
    )
    try:
        return compare_sides(ours, theirs, settings)
    except UnknownFieldError as error:
        where = f"{policy.path}: line {policy.allow_mismatch_line}"
        raise PolicyError(f"{where}: allow_mismatch: {error}") from None


def _criteria(
    policy: Policy, ours: Side, theirs: Side, compared: dict[str, TaskReport]
) -> Iterator[Criterion]:
    for task, asked in policy.tasks.items():
        if task in compared:
            yield from task_criteria(compared[task], asked, policy)
        else:
            missing = _missing(policy, asked, task in ours, task in theirs)
            yield missing if asked.required else as_advice(missing)


def _missing(policy: Policy, asked: TaskPolicy, has_baseline: bool, has_candidate: bool) -> Criterion:
    sides = [name for name, has in (("baseline", has_baseline), ("candidate", has_candidate)) if not has]
    text = (
        f"never run on the {' and the '.join(sides)}, asked for in {policy.path.name}, line {asked.line};"
        " run it, or take it out of the policy"
    )
    return Criterion(task=asked.task, name="run", status=Status.INVALID, text=text)
