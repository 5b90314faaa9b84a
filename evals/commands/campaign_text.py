"""What a person reads of a campaign: one line a run while it goes on, one table at its end."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from evals.campaigns.campaign import Campaign, PlannedRun
from evals.campaigns.compare import Compared
from evals.run_state import RunState, RunStatus
from reports import numbers
from reports.diagnosis_lines import way_to_decide
from reports.intervals import Estimate
from reports.report import TaskReport
from reports.report_lines import estimate_points

_HEADINGS = ("task", "candidate", "baseline's accuracy", "candidate's accuracy", "delta", "verdict")
_NONE = "-"
_OPEN = (RunStatus.WAITING, RunStatus.RUNNING)


def progress_lines(campaign: Campaign, states: Mapping[str, RunState], spent_s: float) -> list[str]:
    """Return the state of all runs; ``spent_s`` is the time so far."""
    done = [run for run in campaign.runs if states[run.identity].status not in _OPEN]
    head = f"campaign {campaign.path.name}: {len(done)} of {len(campaign.runs)} runs done"
    left = _time_left(campaign, states, spent_s)
    width = max(len(f"{run.task.name}  {run.checkpoint}") for run in campaign.runs)
    return [
        head + left,
        *(
            f"  {f'{run.task.name}  {run.checkpoint}':<{width}}  {_state(states[run.identity])}"
            for run in campaign.runs
        ),
    ]


def _time_left(campaign: Campaign, states: Mapping[str, RunState], spent_s: float) -> str:
    """Return how long the rest takes at the pace so far, by the tokens planned; nothing before a run is done."""
    planned = {run.identity: run.n_tokens_most for run in campaign.runs}
    left = sum(n for identity, n in planned.items() if states[identity].status in _OPEN)
    done = sum(
        n
        for identity, n in planned.items()
        if states[identity].status not in _OPEN and not states[identity].was_kept
    )
    if not left or not done or spent_s <= 0:
        return ""
    left_s = spent_s * left / done
    return f", about {left_s / 3600:.1f} h left" if left_s >= 3600 else f", about {left_s / 60:.0f} min left"


def _state(state: RunState) -> str:
    summary = state.summary
    parts = [state.status.value]
    if summary:
        parts.append(f"{summary['completed']:,} of {summary['expected']:,}")
        accuracy = summary["accuracy"]["value"]
        parts.append(f"accuracy {numbers.percent(accuracy)}")
    if state.was_kept:
        parts.append("(from before)")
    if summary.get("replicas", {}).get("caution"):
        parts.append(summary["replicas"]["caution"])
    if state.problem is not None:
        parts.append(f"exit {int(state.code)}: {state.problem}")
    return "  ".join(parts)


def final_lines(
    campaign: Campaign,
    states: Mapping[str, RunState],
    compared: Sequence[Compared],
    places: Mapping[str, Path],
) -> Iterator[str]:
    """Yield how the campaign ended: what failed, one table of all comparisons, where the reports lie."""
    complete = [run for run in campaign.runs if states[run.identity].status is RunStatus.COMPLETE]
    yield f"campaign {campaign.path.name}: {len(complete)} of {len(campaign.runs)} runs complete"
    for run in campaign.runs:
        if states[run.identity].status is not RunStatus.COMPLETE:
            yield f"  {run.task.name}  {run.checkpoint}  {_state(states[run.identity])}"
    rows = [
        _row(one.candidate, task) for one in compared if one.report is not None for task in one.report.tasks
    ]
    if rows:
        yield ""
        yield from _table([_HEADINGS, *rows])
    for one in compared:
        for task in one.report.tasks if one.report is not None else ():
            if (way := way_to_decide(task)) is not None:
                yield f"  {task.task}  {one.candidate}: {way}"
    yield ""
    for one in compared:
        yield from _closing(campaign, one, places)


def _closing(campaign: Campaign, one: Compared, places: Mapping[str, Path]) -> Iterator[str]:
    pair = f"{one.candidate} against {campaign.baseline.label}"
    if one.report is None:
        yield f"INVALID - {pair}: {one.problem}"
        return
    missing = [*one.report.only_baseline, *one.report.only_candidate]
    tail = f"; not compared, on one side only: {', '.join(missing)}" if missing else ""
    yield f"{one.report.verdict.upper()} - {pair}: {places[one.candidate] / 'report.html'}{tail}"


def _row(candidate: str, task: TaskReport) -> tuple[str, ...]:
    analysis = task.analysis
    if analysis is None:
        return (task.task, candidate, _NONE, _NONE, _NONE, f"{task.verdict.upper()}: {task.reason}")
    sides = (analysis.delta.baseline, analysis.delta.candidate)
    return (
        task.task,
        candidate,
        *(f"{numbers.percent(side.accuracy)} {numbers.percent_interval(side.interval)}" for side in sides),
        estimate_points(Estimate(value=analysis.delta.value, interval=analysis.interval)),
        task.verdict.upper(),
    )


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [f"{cell:<{width}}" for cell, width in zip(row[:-1], widths, strict=True)]
        yield "  ".join([*cells, row[-1]]).rstrip()


def run_title(run: PlannedRun, number: int, n_runs: int) -> str:
    """Return the line above a run's own progress."""
    return f"[{number}/{n_runs}] {run.task.name} on {run.checkpoint}"
