"""``quantcheck campaign``: checkpoints x tasks x presets from one file, to a comparison of each candidate."""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from evals.campaigns.campaign import Campaign, worst
from evals.campaigns.compare import Compared, compare_all
from evals.campaigns.record import states_so_far, write_record
from evals.commands.campaign_file import read_campaign
from evals.commands.campaign_runs import make_runs
from evals.commands.campaign_text import final_lines, progress_lines
from evals.commands.compare import EXIT_CODES, write_report
from evals.commands.runs_at_once import show
from evals.exit_code import CommandError, ExitCode
from evals.run_state import RunState
from reports.intervals import Estimate
from reports.json_values import estimate


def run_campaign(path: Path, parallel: int | None, as_json: bool) -> int:
    """Do what ``quantcheck campaign run`` is asked; its flags are in :mod:`evals.flags.campaign`."""
    campaign = read_campaign(path)
    campaign = replace(campaign, parallel=parallel or campaign.parallel)
    states = states_so_far(campaign)
    make_runs(
        campaign,
        states,
        on_change=partial(_show_progress, campaign, states, time.monotonic()),
        on_end=partial(write_record, campaign, states),
    )
    if any(state.code is ExitCode.INTERRUPTED for state in states.values()):
        raise CommandError("interrupted; the same command resumes", ExitCode.INTERRUPTED)
    return _conclude(campaign, states, as_json=as_json)


def _show_progress(campaign: Campaign, states: Mapping[str, RunState], started: float) -> None:
    show("\n".join(progress_lines(campaign, states, time.monotonic() - started)))


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
