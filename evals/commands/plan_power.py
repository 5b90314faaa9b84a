"""What ``quantcheck plan`` and ``run`` say of power: the flags, the noise to plan with, the lines to print."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

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
    baseline_epochs,
    describe_way,
    measured_basis,
    plan_task,
    published_basis,
)
from reports.power import POWER, Epochs
from reports.run_files import AmbiguousRunError, TaskRun, only_run
from reports.score_columns import ScoreFileError
from reports.tolerance import Tolerance, default_tolerance

Command = TypeVar("Command", bound=Callable[..., Any])


def power_options(command: Command) -> Command:
    """Add the flags that say what is to be decided."""
    options = (
        click.option(
            "--margin",
            "margins",
            multiple=True,
            metavar="X|TASK=X",
            help="Largest tolerated loss: 0.01 is one point; else the task's default.",
        ),
        click.option(
            "--baseline",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Take noise, epochs and tokens from this run instead of published ones.",
        ),
        click.option(
            "--baseline-epochs",
            type=click.IntRange(min=1),
            metavar="N",
            help="Epochs of the baseline; else those it has, or as many as the candidate's.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def margin_of(task: str, margins: tuple[str, ...]) -> Tolerance:
    """Return the margin that the flags give a task, else its default."""
    overall, by_task = parse_margins(margins)
    return by_task.get(task) or overall or default_tolerance(task)


def baseline_of(task: str, path: Path | None) -> TaskRun | None:
    """Return the baseline's run of a task, ``None`` where there is none; several are an error."""
    if path is None:
        return None
    try:
        runs = find_side(path)
        found = runs.get(task) or (runs.get("") if len(runs) == 1 else None)
        return only_run(found) if found else None
    except (NotComparableError, AmbiguousRunError, LogError, ScoreFileError) as error:
        raise CommandError(str(error), ExitCode.INVALID) from None


def basis_of(task: str, n_items: int, options: Mapping[str, Any]) -> Basis | None:
    """Return the noise to plan with: the baseline's own, else that of published runs; ``None`` without."""
    run = baseline_of(task, options["baseline"])
    if options["baseline"] is not None and run is None:
        raise CommandError(
            f"--baseline {options['baseline']}: has no run of {task}; run it there, or plan without a baseline",
            ExitCode.INVALID,
        )
    return measured_basis(task, run, n_items) if run is not None else published_basis(task, n_items)


def power_of(
    task: str, basis: Basis, epochs: int, tokens_per_response: float, options: Mapping[str, Any]
) -> TaskPlan:
    """Return what so many candidate epochs decide."""
    run = baseline_of(task, options["baseline"])
    measured = baseline_epochs(run) if run is not None else epochs
    return plan_task(
        task,
        basis,
        Epochs(baseline=options["baseline_epochs"] or measured, candidate=epochs),
        margin_of(task, options["margins"]),
        tokens_per_response=tokens_per_response,
    )


def chance_of_all(plans: Sequence[TaskPlan | None]) -> float | None:
    """Return the chance that every task passes where nothing is lost; ``None`` unless all are planned."""
    chances = [found.plan.pass_chance for found in plans if found is not None]
    return math.prod(chances) if len(chances) == len(plans) else None


def describe_power(found: TaskPlan) -> Iterator[str]:
    """Yield what the budget decides, indented under the task's line."""
    done, indent = found.plan, " " * 17
    yield (
        f"{indent}margin {numbers.margin_points(done.margin)} ({found.tolerance.source}), "
        f"{done.epochs.baseline} baseline epochs, noise of {found.basis.source}"
    )
    if found.basis.note:
        yield f"{indent}note: {found.basis.note}"
    for chance in found.chances:
        yield (
            f"{indent}{_loss(chance.loss):<22} pass {numbers.percent(chance.of_pass, 1):>7},"
            f"  regression {numbers.percent(chance.of_regression, 1):>7}"
        )
    yield (
        f"{indent}smallest visible loss {numbers.points(done.smallest_visible_loss).lstrip('+')}; smallest"
        f" margin equal checkpoints pass 4 times in 5: {numbers.points(done.smallest_margin).lstrip('+')}"
    )
    ways = "; ".join(describe_way(way) for way in found.ways) or "no number of epochs will do"
    yield f"{indent}for {numbers.percent(POWER, 0)}, cheapest first: {ways}"


def _loss(loss: float) -> str:
    return "nothing lost:" if loss == 0 else f"{numbers.margin_points(loss)} lost:"
