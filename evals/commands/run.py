"""``quantcheck run``: run one task against one endpoint, or what is missing of an earlier run."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from evals.budget import Budget, BudgetError, settle_budget
from evals.client_load import bottleneck_note, is_bottleneck
from evals.commands.asked import exam_of, overrides_of
from evals.commands.deciding import (
    baseline_for,
    decide,
    decision_code,
    describe_decision,
    settle_looks,
    warn_if_underpowered,
)
from evals.commands.one_shard import ask_shard, refuse_with_shard
from evals.commands.replicas import surveyed_fleet
from evals.endpoint import Endpoint
from evals.exit_code import CommandError, ExitCode
from evals.looks.until_decided import SequenceEnd
from evals.prompts.chat_template import ChatTemplate, ChatTemplateError, load_chat_template
from evals.prompts.raw_completions import render_items
from evals.runner import RunEnd, RunRequest, RunSettings, run
from evals.storage.run_directory import read_manifest, write_json
from evals.storage.stored_run import kept, settle_store
from evals.transport.retry import RetryPolicy
from evals.waits import Waits
from evals.worker_engine import Engine
from reports.eval_log import read_eval_log
from reports.run_summary import summarise, summarise_run
from reports.run_text import render_summary
from tasks.benchmark import Benchmark, Item
from tasks.catalog import find_benchmark
from tasks.k2_tool_calls import RAW_COMPLETIONS
from tasks.protocol import resolve_spec
from tasks.stream_way import STREAM


def run_task(task: str, as_json: bool, **options: Any) -> int:
    """Do what ``quantcheck run`` is asked; its flags are in :mod:`evals.flags.run`."""
    settle_looks(task, options)
    refuse_with_shard(options, as_json=as_json)
    store = settle_store(options)
    request = build_request(task, options)
    with kept(store, request.directory):
        return _run_asked(request, options, as_json=as_json)


def _run_asked(request: RunRequest, options: dict[str, Any], *, as_json: bool) -> int:
    if options["shard"] is not None:
        return ask_shard(request, options["shard"])
    baseline = baseline_for(request, options)
    warn_if_underpowered(request, options, baseline)
    decided = None
    if options["until_decided"] and baseline is not None:
        decided = decide(request, options, baseline)
    return finish(
        decided.end if decided is not None else run(request),
        max_error_rate=options["max_error_rate"],
        as_json=as_json,
        groups=request.benchmark.groups,
        decided=decided,
    )


def build_request(task: str, options: dict[str, Any]) -> RunRequest:
    """Return the run that the flags describe, after asking the endpoint what it is."""
    benchmark = find_benchmark(task)
    overrides = overrides_of(options, benchmark)
    benchmark.preset(options["preset"])  # a wrong name is told before data or network are touched
    benchmark.pin(options["variant"])
    benchmark.refuse_foreign_options(overrides.options)
    template = chat_template_of(options)
    if template is not None:
        overrides = replace(overrides, options={**overrides.options, RAW_COMPLETIONS: template.digest})
    exam = exam_of(benchmark, options)
    spec = resolve_spec(
        benchmark, exam.dataset, preset=options["preset"], variant=options["variant"], overrides=overrides
    )
    endpoint, fleet = surveyed_fleet(options, overrides)
    items = exam.items[: options["limit"]] if options["limit"] else exam.items
    if template is not None:
        items = _rendered(items, template, endpoint)
    # a cut budget must not depend on the limit, or a grown run could not reuse the answers of a small one
    measured = exam.items if options["clamp_budget"] else items
    budget = settle_budget(spec, measured, endpoint, fleet.facts, clamp=options["clamp_budget"])
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
        facts=fleet.facts,
        replicas=fleet.told(),
        settings=_settings(options, budget, benchmark),
    )


def chat_template_of(options: dict[str, Any]) -> ChatTemplate | None:
    """Return the template to render prompts with, ``None`` where the endpoint renders them itself."""
    if not options["raw_completions"]:
        return None
    if not options["tokenizer"]:
        raise click.UsageError(
            "--raw-completions: renders the chat template here; name its tokenizer with --tokenizer PATH"
        )
    return load_chat_template(options["tokenizer"], trust_code=options["trust_tokenizer_code"])


def _rendered(items: Sequence[Item], template: ChatTemplate, endpoint: Endpoint) -> Sequence[Item]:
    rendered = render_items(items, template, endpoint)
    for note in rendered.notes:
        print(f"note: {note}", file=sys.stderr)
    if not rendered.items:
        raise ChatTemplateError(
            "chat template: renders none of the requests; name the checkpoint's own tokenizer"
        )
    return rendered.items


def finish(
    end: RunEnd,
    *,
    max_error_rate: float,
    as_json: bool,
    groups: Mapping[str, str] | None = None,
    decided: SequenceEnd | None = None,
) -> int:
    """Write the summary, print it, and return the exit code the run deserves, or its decision does."""
    summary = summary_of(end, max_error_rate=max_error_rate, groups=groups)
    if summary is not None:
        summary |= {"decision": decided.decision} if decided is not None else {}
        write_json(end.directory / "summary.json", summary)
        if as_json:
            print(json.dumps(summary, allow_nan=False))
        people = sys.stderr if as_json else sys.stdout
        if decided is not None and decided.decision is not None:
            print(describe_decision(decided.decision), file=people)
        way_on = end.fatal.way_on if end.fatal is not None else ""
        print(render_summary(summary, end.directory, next_step=way_on), file=people)
    if end.client_cpu_share is not None and is_bottleneck(end.client_cpu_share):
        print(f"note: {bottleneck_note(end.client_cpu_share)}", file=sys.stderr)
    if end.was_interrupted:
        print("quantcheck: interrupted; run the same command again to resume", file=sys.stderr)
        return ExitCode.INTERRUPTED
    if end.fatal is not None:
        raise CommandError(end.fatal.stop_words, ExitCode.ENDPOINT_OR_DATA)
    if decided is not None:
        return decision_code(decided)
    if summary is None or summary["status"] == "invalid":
        raise CommandError(f"invalid run: {what_failed(summary)}", ExitCode.INVALID)
    return ExitCode.DONE


def what_failed(summary: Mapping[str, Any] | None) -> str:
    """Return why a run is invalid, and what to do."""
    if summary is None:
        return "it left no log; run the same command again"
    if summary["dead"]:
        return str(summary["dead"])
    errors = f"{summary['outcomes']['error']} of {summary['expected']} responses failed"
    return f"{errors} ({summary['first_error']}); run the same command again to ask them again"


def summary_of(
    end: RunEnd, *, max_error_rate: float, groups: Mapping[str, str] | None
) -> dict[str, Any] | None:
    """Return the summary of what was asked for, ``None`` where a run was stopped before it had a log.

    A whole run is its own log alone; of one that was stopped, earlier tries may hold more.
    """
    facts: dict[str, Any] = {
        "requests_sent": end.n_requests_sent,
        "retries": end.n_retries,
        "max_error_rate": max_error_rate,
        "groups": groups,
    }
    if end.is_whole and end.log is not None:
        log = read_eval_log(end.log)
        client = read_manifest(end.directory).get("client") or {}  # known only once the run has ended
        return summarise(log.frame, replace(log.facts, client=client), log=end.log.name, **facts)
    if end.log is None and (end.was_interrupted or end.fatal is not None):
        return None
    return summarise_run(end.directory, **facts)


def _settings(options: dict[str, Any], budget: Budget, benchmark: Benchmark) -> RunSettings:
    sends_whole_requests = STREAM in benchmark.options
    return RunSettings(
        runs_dir=Path(options["runs_dir"]),
        run_seed=options["seed"] or 0,
        send_seed=options["seed"] is not None or not sends_whole_requests,
        max_connections=options["max_connections"] or benchmark.max_connections,
        n_workers=options["workers"],
        engine=Engine(options["engine"]),
        stream=options["stream"] is not False,
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
    if budget.context_tokens is None:
        raise BudgetError(
            "--on-truncation escalate: the endpoint does not tell its context length, so no larger budget"
            " is known to fit; use --on-truncation count with a larger --max-tokens"
        )
    return budget.context_tokens - budget.prompt.tokens
