"""``quantcheck trend``: accuracy over many runs, so that a drift shows before a gate fails."""

from pathlib import Path

import click

from reports.history import History, Series, read_history
from reports.json_report import to_json
from reports.trend import follow
from reports.trend_text import render_trend, trend_document


def follow_runs(directory: Path, tasks: tuple[str, ...], across_labels: bool, as_json: bool) -> None:
    """Do what ``quantcheck trend`` is asked; its flags are in :mod:`evals.flags.trend`."""
    history = read_history(directory, across_labels=across_labels)
    series = _of_tasks(history, tasks)
    trends = [follow(one) for one in series]
    notes = _notes(series, across_labels=across_labels)
    if as_json:
        click.echo(to_json(trend_document(trends, history.skipped, notes)), nl=False)
    else:
        click.echo(render_trend(trends, history.skipped, notes), nl=False)


def _of_tasks(history: History, tasks: tuple[str, ...]) -> list[Series]:
    known = sorted({series.task for series in history.series})
    for task in tasks:
        if task not in known:
            listed = ", ".join(known) or "none that can be read"
            raise click.UsageError(f"--task {task}: is no task of these runs; they have {listed}")
    return [series for series in history.series if not tasks or series.task in tasks]


def _notes(series: list[Series], *, across_labels: bool) -> list[str]:
    """Return what keeps the series from showing more."""
    notes = []
    if all(len(one.runs) < 2 for one in series):
        hint = ""
        if not across_labels and len({label for one in series for label in one.labels}) > 1:
            hint = "; where labels name dates, --across-labels puts them into one series"
        notes.append(f"no series has two runs, so there is nothing to follow yet{hint}")
    by_task = {(one.task, label) for one in series for label in one.labels}
    if len(series) > len(by_task):
        notes.append("a task has several protocols or numbers of items: each is followed by itself")
    models = [{str(run.facts.endpoint.get("model")) for run in one.runs} for one in series]
    notes += [
        f"{one.task}, {', '.join(one.labels)}: runs of several models in one series ({', '.join(sorted(names))})"
        for one, names in zip(series, models, strict=True)
        if len(names) > 1
    ]
    if any(run.server is None for one in series for run in one.runs):
        notes.append("some runs do not record their server's version: they are in no version change")
    return notes
