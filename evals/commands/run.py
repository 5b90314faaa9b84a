"""``quantcheck run``: run one task against one endpoint, or what is missing of an earlier run."""

import json
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evals.budget import Budget, BudgetError, settle_budget
from evals.commands.asked import exam_of, overrides_of, surveyed_endpoint
from evals.commands.run_options import endpoint_options, protocol_options, running_options
from evals.exit_code import CommandError, ExitCode
from evals.retry import RetryPolicy
from evals.run_directory import write_json
from evals.runner import RunEnd, RunRequest, RunSettings, run
from evals.transport import Waits
from reports.eval_log import read_eval_log
from reports.run_summary import summarise, summarise_run
from reports.run_text import render_summary
from tasks.catalog import find_benchmark
from tasks.protocol import resolve_spec


@click.command()
@click.argument("task")
@endpoint_options
@protocol_options
@running_options
@click.option("--json", "as_json", is_flag=True, help="Print the run summary as one JSON document.")
def command(task: str, as_json: bool, **options: Any) -> int:
    """Run TASK against an endpoint. The same command again resumes: only missing responses are asked."""
    request = build_request(task, options)
    return finish(run(request), max_error_rate=options["max_error_rate"], as_json=as_json)


def build_request(task: str, options: dict[str, Any]) -> RunRequest:
    """Return the run that the flags describe, after asking the endpoint what it is."""
    benchmark = find_benchmark(task)
    overrides = overrides_of(options)
    benchmark.preset(options["preset"])  # a wrong name is told before data or network are touched
    benchmark.pin(options["variant"])
    benchmark.refuse_foreign_options(overrides.options)
    exam = exam_of(benchmark, options)
    spec = resolve_spec(
        benchmark, exam.dataset, preset=options["preset"], variant=options["variant"], overrides=overrides
    )
    endpoint, facts = surveyed_endpoint(options, overrides)
    items = exam.items[: options["limit"]] if options["limit"] else exam.items
    # a cut budget must not depend on the limit, or a grown run could not reuse the answers of a small one
    measured = exam.items if options["clamp_budget"] else items
    budget = settle_budget(spec, measured, endpoint, facts, clamp=options["clamp_budget"])
    for line in (
        *(f"note: {note}" for note in budget.notes),
        *(f"warning: {text}" for text in budget.warnings),
    ):
        print(line, file=sys.stderr)
    return RunRequest(
        benchmark=benchmark,
        spec=replace(spec, max_tokens=budget.max_tokens),
        items=items,
        endpoint=endpoint,
        facts=facts,
        settings=_settings(options, budget),
    )


def finish(end: RunEnd, *, max_error_rate: float, as_json: bool) -> int:
    """Write the summary, print it, and return the exit code the run deserves."""
    summary = summary_of(end, max_error_rate=max_error_rate)
    if summary is not None:
        write_json(end.directory / "summary.json", summary)
        if as_json:
            print(json.dumps(summary, allow_nan=False))
        print(render_summary(summary, end.directory), file=sys.stderr if as_json else sys.stdout)
    if end.was_interrupted:
        print("quantcheck: interrupted; run the same command again to resume", file=sys.stderr)
        return ExitCode.INTERRUPTED
    if end.fatal is not None:
        raise CommandError(f"stopped: {end.fatal}", ExitCode.ENDPOINT_OR_DATA)
    if summary is None or summary["status"] == "invalid":
        raise CommandError(f"invalid run: {_what_failed(summary)}", ExitCode.INVALID)
    return ExitCode.DONE


def _what_failed(summary: Mapping[str, Any] | None) -> str:
    if summary is None:
        return "it left no log; run the same command again"
    errors = f"{summary['outcomes']['error']} of {summary['expected']} responses failed"
    return f"{errors} ({summary['first_error']}); run the same command again to ask them again"


def summary_of(end: RunEnd, *, max_error_rate: float) -> dict[str, Any] | None:
    """Return the summary of what was asked for, ``None`` where a run was stopped before it had a log.

    A whole run is its own log alone; of one that was stopped, earlier tries may hold more.
    """
    counts = {"requests_sent": end.n_requests_sent, "retries": end.n_retries}
    if end.is_whole and end.log is not None:
        log = read_eval_log(end.log)
        return summarise(log.frame, log.facts, log=end.log.name, max_error_rate=max_error_rate, **counts)
    if end.log is None and (end.was_interrupted or end.fatal is not None):
        return None
    return summarise_run(end.directory, max_error_rate=max_error_rate, **counts)


def _settings(options: dict[str, Any], budget: Budget) -> RunSettings:
    return RunSettings(
        runs_dir=Path(options["runs_dir"]),
        run_seed=options["seed"],
        max_connections=options["max_connections"],
        stream=options["stream"],
        max_error_rate=options["max_error_rate"],
        waits=Waits(
            idle_s=options["idle_timeout"],
            first_byte_s=options["first_token_timeout"],
            plain_s=options["reply_timeout"],
        ),
        escalate_to=_escalation_limit(options["on_truncation"], budget),
        policy=RetryPolicy(outage_s=options["outage"], cold_s=min(options["outage"], RetryPolicy().cold_s)),
    )


def _escalation_limit(on_truncation: str, budget: Budget) -> int | None:
    """Return the largest budget for truncated samples, ``None`` where they are only counted."""
    if on_truncation != "escalate":
        return None
    if budget.context_tokens is None or budget.prompt is None:
        raise BudgetError(
            "--on-truncation escalate: the endpoint does not tell its context length, so no larger budget"
            " is known to fit; use --on-truncation count with a larger --max-tokens"
        )
    return budget.context_tokens - budget.prompt.tokens
