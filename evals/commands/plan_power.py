"""What ``quantcheck plan`` and ``run`` say of power: the margin, the noise to plan with, the lines to print."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from evals.commands.compare import parse_margins
from evals.exit_code import CommandError, ExitCode
from reports import numbers
from reports.comparability import NotComparableError
from reports.comparison import find_side
from reports.log_members import LogError
from reports.planning import (
    Basis,
    TaskPlan,
    describe_way,
    measured_basis,
    plan_task,
    published_basis,
)
from reports.power import POWER, Epochs
from reports.run_files import AmbiguousRunError, TaskRun, only_run
from reports.score_columns import ScoreFileError
from reports.tolerance import Tolerance, default_tolerance

# Mean output tokens of a thinking checkpoint, as a share of the budget, where no run tells better:
# published AIME and GPQA runs of Kimi-class models use about a quarter to a third of a 131k budget.
TYPICAL_BUDGET_SHARE = 0.25


def margin_of(task: str, margins: tuple[str, ...]) -> Tolerance:
    """Return the margin that the flags give a task, else its default."""
    overall, by_task = parse_margins(margins)
    return by_task.get(task) or overall or default_tolerance(task)


def refuse_other_tasks(tasks: Sequence[str], margins: tuple[str, ...]) -> None:
    """Raise :class:`click.UsageError` for a margin of a task that is not planned."""
    for task in parse_margins(margins)[1]:
        if task not in tasks:
            raise click.UsageError(f"--margin {task}=: {task} is not among the tasks {', '.join(tasks)}")


def baseline_of(task: str, path: Path | None) -> TaskRun | None:
    """Return the baseline's run of a task, ``None`` where no baseline is named."""
    if path is None:
        return None
    try:
        runs = find_side(path)
        found = runs.get(task) or (runs.get("") if len(runs) == 1 else None)
        if found:
            return only_run(found)
    except (NotComparableError, AmbiguousRunError, LogError, ScoreFileError) as error:
        raise CommandError(str(error), ExitCode.INVALID) from None
    raise CommandError(
        f"--baseline {path}: has no run of {task} but of {', '.join(runs)}; run it there first",
        ExitCode.INVALID,
    )


def basis_of(task: str, n_items: int, run: TaskRun | None) -> Basis | None:
    """Return the noise to plan with: the baseline's own, else that of published runs; ``None`` without."""
    return published_basis(task, n_items) if run is None else measured_basis(task, run, n_items)


def power_of(
    task: str, basis: Basis, epochs: Epochs, tokens_per_response: float, margins: tuple[str, ...]
) -> TaskPlan:
    """Return what so many epochs decide."""
    return plan_task(task, basis, epochs, margin_of(task, margins), tokens_per_response=tokens_per_response)


def chance_of_all(plans: Sequence[TaskPlan | None]) -> float | None:
    """Return the chance that every task passes where nothing is lost; ``None`` unless all are planned."""
    chances = [found.plan.pass_chance for found in plans if found is not None]
    return math.prod(chances) if len(chances) == len(plans) else None


def describe_power(found: TaskPlan) -> Iterator[str]:
    """Yield what the budget decides, indented under the task's line."""
    done, indent = found.plan, " " * 17
    yield (
        f"{indent}margin {numbers.margin_points(done.margin)} ({found.tolerance.source}), "
        f"{_epochs(done.epochs.baseline)} of the baseline, noise of {found.basis.source}"
    )
    if found.basis.note:
        yield f"{indent}note: {found.basis.note}"
    for chance in found.chances:
        yield (
            f"{indent}{_loss(chance.loss):<22} pass {numbers.chance(chance.of_pass):>8},"
            f"  regression {numbers.chance(chance.of_regression):>8}"
        )
    yield (
        f"{indent}smallest visible loss {numbers.points(done.smallest_visible_loss).lstrip('+')}; smallest"
        f" margin equal checkpoints pass 4 times in 5: {numbers.points(done.smallest_margin).lstrip('+')}"
    )
    if done.is_underpowered:
        ways = "; ".join(describe_way(way) for way in found.ways) or "no number of epochs will do"
        yield f"{indent}for {numbers.percent(POWER, 0)}, cheapest first: {ways}"


def _epochs(number: int) -> str:
    return f"{number} epoch{'s' * (number != 1)}"


def _loss(loss: float) -> str:
    return "nothing lost:" if loss == 0 else f"{numbers.margin_points(loss)} lost:"
