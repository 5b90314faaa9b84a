"""``quantcheck speed``: speed and cost beside accuracy, for one run or several."""

from pathlib import Path

import click

from evals.exit_code import CommandError, ExitCode
from reports.cost import Price, PriceError
from reports.json_report import to_json
from reports.log_members import LogError
from reports.run_files import AmbiguousRunError, TaskRun, find_runs
from reports.score_columns import ScoreFileError
from reports.speed_table import render_speed, speed_document, speed_rows


def show_speed(
    runs: tuple[Path, ...],
    tasks: tuple[str, ...],
    gpu_hour_price: float | None,
    gpus: int | None,
    price_per_million: float | None,
    as_json: bool,
) -> None:
    """Do what ``quantcheck speed`` is asked; its flags are in :mod:`evals.flags.speed`."""
    price = _price(gpu_hour_price, gpus, price_per_million)
    try:
        found = [run for path in dict.fromkeys(runs) for run in find_runs(path)]
    except (AmbiguousRunError, LogError, ScoreFileError) as error:
        raise CommandError(str(error), ExitCode.INVALID) from None
    rows = speed_rows(_of_tasks(found, tasks), price)
    click.echo(to_json(speed_document(rows, price)) if as_json else render_speed(rows), nl=False)


def _price(gpu_hour: float | None, gpus: int | None, per_million: float | None) -> Price | None:
    """Return the price, ``None`` where none is given."""
    if gpu_hour is None and gpus is None and per_million is None:
        return None
    try:
        return Price(gpu_hour=gpu_hour, n_gpus=gpus, per_million=per_million)
    except PriceError as error:
        raise click.UsageError(
            f"{error}; give --gpu-hour-price X --gpus N, or --price-per-million X"
        ) from None


def _of_tasks(runs: list[TaskRun], tasks: tuple[str, ...]) -> list[TaskRun]:
    known = sorted({run.facts.task for run in runs})
    for task in tasks:
        if task not in known:
            raise click.UsageError(f"--task {task}: is no task of these runs; they have {', '.join(known)}")
    return [run for run in runs if not tasks or run.facts.task in tasks]
