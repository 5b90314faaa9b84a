"""``quantcheck campaign``: checkpoints x tasks x presets from one file, to a comparison of each candidate."""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evals.campaign import Campaign, PlannedRun, RunState, RunStatus, worst
from evals.campaign_compare import Compared, compare_all
from evals.campaign_record import states_so_far, write_record
from evals.campaign_template import TEMPLATE
from evals.commands.campaign_file import read_campaign
from evals.commands.campaign_text import final_lines, progress_lines, run_title
from evals.commands.compare import EXIT_CODES, write_report
from evals.commands.run import build_request, summary_of, what_failed
from evals.exit_code import CommandError, ExitCode, foreseen_code
from evals.report_files import write_new_file
from evals.run_directory import write_json
from evals.runner import RunEnd, run
from evals.stored_run import kept, settle_store
from reports.intervals import Estimate
from reports.json_values import estimate

_BY_STATUS = {"complete": RunStatus.COMPLETE, "partial": RunStatus.PARTIAL, "invalid": RunStatus.INVALID}


@click.group("campaign", short_help="run checkpoints x tasks from one file and compare them")
def command() -> None:
    """Campaigns: checkpoints x tasks x presets from one file."""


@command.command("init")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output.")
def init(out: Path | None) -> None:
    """Write a commented campaign file."""
    if out is None:
        click.echo(TEMPLATE, nl=False)
        return
    write_new_file(out, TEMPLATE)
    click.echo(f"wrote {out} · next: quantcheck campaign run {out}", err=True)


@command.command("run")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print campaign.json and nothing else.")
def run_campaign(path: Path, as_json: bool) -> int:
    """Run what is missing of a campaign, then compare each candidate with the baseline.

    The same command again resumes: complete runs are not asked for, others send what is missing. A run that
    fails is stated and the others go on.

    \b
    Exit codes: that of the worst part, in the order 130 interrupted, 1 a regression, 5 endpoint or data,
    4 invalid or not comparable, 2 usage, 3 inconclusive, 0 all pass.
    """
    campaign = read_campaign(path)
    states = states_so_far(campaign)
    started = time.monotonic()
    for number, planned in enumerate(campaign.runs, start=1):
        if states[planned.identity].status is RunStatus.COMPLETE:
            continue
        states[planned.identity] = RunState(status=RunStatus.RUNNING)
        _show(progress_lines(campaign, states, time.monotonic() - started, planned.identity))
        _show([run_title(planned, number, len(campaign.runs))])
        states[planned.identity] = run_one(planned)
        write_record(campaign, states)
        if states[planned.identity].code is ExitCode.INTERRUPTED:
            raise CommandError("interrupted; the same command resumes", ExitCode.INTERRUPTED)
    return _conclude(campaign, states, as_json=as_json)


def run_one(planned: PlannedRun) -> RunState:
    """Run what is missing of one run and return how it stands; what is foreseen fails this run alone."""
    parameters = dict(planned.parameters)
    try:
        store = settle_store(parameters)
        request = build_request(parameters.pop("task"), parameters)
        with kept(store, request.directory):
            end = run(request)
            rate = parameters["max_error_rate"]
            summary = summary_of(end, max_error_rate=rate, groups=request.benchmark.groups)
            if summary is not None:
                write_json(end.directory / "summary.json", summary)
        return _state_of(end, summary)
    except click.UsageError as error:
        return _failed(error.format_message(), ExitCode.USAGE)
    except CommandError as error:
        return _failed(str(error), error.code)
    except Exception as error:  # every foreseen kind is named in one table; others are raised
        code = foreseen_code(error)
        if code is None:
            raise
        return _failed(str(error), code)


def _failed(words: str, code: ExitCode) -> RunState:
    return RunState(status=RunStatus.FAILED, problem=" ".join(words.split()), code=code)


def _state_of(end: RunEnd, summary: Mapping[str, Any] | None) -> RunState:
    status = RunStatus.FAILED if summary is None else _BY_STATUS[summary["status"]]
    state = RunState(status=status, directory=end.directory, summary=summary or {})
    if end.was_interrupted:
        return replace(state, status=RunStatus.PARTIAL, code=ExitCode.INTERRUPTED, problem="interrupted")
    if end.fatal is not None:
        problem = f"stopped: {end.fatal}"
        return replace(state, status=RunStatus.FAILED, code=ExitCode.ENDPOINT_OR_DATA, problem=problem)
    if status in (RunStatus.INVALID, RunStatus.FAILED):
        return replace(state, code=ExitCode.INVALID, problem=what_failed(summary))
    return state


def _conclude(campaign: Campaign, states: Mapping[str, RunState], *, as_json: bool) -> int:
    compared = compare_all(campaign, states)
    places = {
        one.candidate: write_report(
            one.report, campaign.out / f"{one.candidate}-vs-{campaign.baseline.label}"
        )
        for one in compared
        if one.report is not None
    }
    codes = [state.code for state in states.values()]
    codes += [ExitCode.INVALID if one.report is None else EXIT_CODES[one.report.verdict] for one in compared]
    code = worst(codes)
    entries = [_comparison_entry(one, places.get(one.candidate)) for one in compared]
    record = write_record(campaign, states, entries, code)
    people = sys.stderr if as_json else sys.stdout
    print("\n".join(final_lines(campaign, states, compared, places)), file=people)
    if as_json:
        print(json.dumps(record, allow_nan=False))
    return code


def _comparison_entry(one: Compared, place: Path | None) -> dict[str, Any]:
    report = one.report
    if report is None:
        return {
            "candidate": one.candidate,
            "verdict": "invalid",
            "reason": one.problem,
            "report": None,
            "tasks": [],
        }
    return {
        "candidate": one.candidate,
        "verdict": report.verdict.value,
        "reason": None,
        "report": str(place),
        "tasks": [
            {
                "task": task.task,
                "verdict": task.verdict.value,
                "reason": task.reason,
                "margin": task.margin,
                "delta": None
                if task.analysis is None
                else estimate(Estimate(value=task.analysis.delta.value, interval=task.analysis.interval)),
            }
            for task in report.tasks
        ],
        "not_compared": [*report.only_baseline, *report.only_candidate],
    }


def _show(lines: list[str]) -> None:
    print("\n".join(lines), file=sys.stderr, flush=True)
