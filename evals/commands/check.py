"""``quantcheck check``: does an endpoint do what a run will rely on, and what must be changed?"""

import asyncio
import json
import sys
from dataclasses import dataclass, replace
from typing import Any

import click

from evals.budget import BudgetError, settle_budget
from evals.commands.asked import base_url_of, choose_model, endpoint_of, exam_of, overrides_of
from evals.commands.given_flags import given_flags
from evals.commands.plan_power import TYPICAL_BUDGET_SHARE
from evals.endpoint import Endpoint, EndpointError
from evals.endpoint_facts import EndpointFacts
from evals.exit_code import ExitCode
from evals.fleet.survey import survey
from evals.preflight.check import Check, check_endpoint, dead_check
from evals.preflight.check_report import check_json, render_check
from evals.preflight.finding import fail
from evals.preflight.plan import CheckPlan, PlannedRun
from tasks.benchmark import Benchmark, Item
from tasks.catalog import find_benchmark
from tasks.protocol import Overrides, resolve_spec
from tasks.rows import DataError
from tasks.spec import DatasetFacts, Sampling, TaskSpec

VISION_TASKS = frozenset({"ocrbench", "mmmu_pro"})
FIRST_TASK = "smoke"  # two minutes, no dataset: the first to run where no other is asked for
TOOL_TASKS = frozenset({"k2_tool_calls"})
# What the checkpoints' makers recommend, where no task says how it samples.
_THINKING, _INSTANT = Sampling(temperature=1.0, top_p=0.95), Sampling(temperature=0.6, top_p=0.95)


@dataclass(frozen=True, kw_only=True)
class _Task:
    """The task to come: its protocol, and its items (none where the data cannot be had)."""

    benchmark: Benchmark
    spec: TaskSpec
    items: tuple[Item, ...]


def probe_before_run(task: str | None, as_json: bool, **options: Any) -> int:
    """Do what ``quantcheck check`` is asked; its flags are in :mod:`evals.flags.check`."""
    base_url = base_url_of(options)
    overrides = overrides_of(options, find_benchmark(task) if task is not None else None)
    coming = _task(task, overrides, options)
    try:
        facts = survey(
            base_url, api_key_env=options["api_key_env"], headers=options["headers"], model=options["model"]
        )
    except EndpointError as error:
        dead = fail(
            "served_names", str(error).removeprefix(f"endpoint {base_url}: "), "start or mend the server"
        )
        return _finish(dead_check(dead), options, None, None, task=task, as_json=as_json)
    endpoint = endpoint_of(options, overrides, [base_url], choose_model(options["model"], facts, base_url))
    print("checking: up to a minute or two on a slow server", file=sys.stderr)
    plan = _plan(endpoint, facts, coming, options)
    check = asyncio.run(check_endpoint(plan))
    return _finish(check, options, plan, facts, task=task, as_json=as_json)


def _task(name: str | None, overrides: Overrides, options: dict[str, Any]) -> _Task | None:
    if name is None:
        return None
    benchmark = find_benchmark(name)
    benchmark.preset(options["preset"])
    benchmark.refuse_foreign_options(overrides.options)
    pin = benchmark.pin(options["variant"])
    try:
        exam = exam_of(benchmark, options, with_images=False)
        items, dataset = exam.items, exam.dataset
    except DataError as error:
        print(f"note: {error}; the check goes on without the prompts", file=sys.stderr)
        items = ()
        dataset = DatasetFacts(
            name=pin.name,
            source="",
            revision=None,
            content_hash="",
            n_items=pin.n_items,
            is_pinned_content=None,
        )
    spec = resolve_spec(
        benchmark, dataset, preset=options["preset"], variant=options["variant"], overrides=overrides
    )
    return _Task(benchmark=benchmark, spec=spec, items=tuple(items))


def _plan(
    endpoint: Endpoint, facts: EndpointFacts, coming: _Task | None, options: dict[str, Any]
) -> CheckPlan:
    sampling = coming.spec.sampling if coming is not None else _sampling(options)
    name = coming.benchmark.name if coming is not None else None
    return CheckPlan(
        endpoint=endpoint,
        facts=facts,
        sampling=sampling,
        run=None if coming is None else _planned(coming, endpoint, facts, options),
        wants_images=options["images"] or name in VISION_TASKS,
        is_tool_task=name in TOOL_TASKS,
        timeout_s=options["probe_timeout"],
    )


def _sampling(options: dict[str, Any]) -> Sampling:
    recommended = _INSTANT if options["thinking"] is False else _THINKING
    given = {name: options[name] for name in ("temperature", "top_p") if options[name] is not None}
    return replace(recommended, **given)


def _planned(coming: _Task, endpoint: Endpoint, facts: EndpointFacts, options: dict[str, Any]) -> PlannedRun:
    """Return the run to come, with what speaks against its budget."""
    spec, limit = coming.spec, options["limit"]
    refusal, warnings = None, tuple[str, ...]()
    n_items = min(limit or spec.dataset.n_items, spec.dataset.n_items)
    items = coming.items if options["clamp_budget"] else coming.items[:n_items]
    budget = None
    try:
        budget = settle_budget(spec, items, endpoint, facts, clamp=options["clamp_budget"])
        warnings = budget.warnings
    except BudgetError as error:
        refusal = str(error)
    max_tokens = budget.max_tokens if budget is not None else spec.max_tokens
    return PlannedRun(
        task=spec.task,
        n_requests=n_items * spec.epochs,
        max_tokens=max_tokens,
        mean_tokens=max(1, round(max_tokens * TYPICAL_BUDGET_SHARE)),
        max_connections=options["max_connections"] or coming.benchmark.max_connections,
        prompt_tokens=budget.prompt.tokens if budget is not None else None,
        refusal=refusal,
        warning="; ".join(warning.removeprefix("budget: ") for warning in warnings) or None,
    )


def _finish(
    check: Check,
    options: dict[str, Any],
    plan: CheckPlan | None,
    facts: EndpointFacts | None,
    *,
    task: str | None,
    as_json: bool,
) -> int:
    base_url = base_url_of(options)
    model = plan.endpoint.model if plan is not None else options["model"]
    next_command = _next(check, task)
    if as_json:
        run = plan.run if plan is not None else None
        document = check_json(
            check, base_url=base_url, model=model, facts=facts, run=run, next_command=next_command
        )
        print(json.dumps(document, allow_nan=False))
    else:
        print(render_check(check, base_url=base_url, model=model, next_command=next_command))
    return ExitCode.DONE if check.is_ok else ExitCode.ENDPOINT_OR_DATA


def _next(check: Check, task: str | None) -> str:
    if not check.is_ok:
        return "change what failed, then the same check again"
    flags = given_flags(click.get_current_context(), leave_out=("task", "as_json", "images", "probe_timeout"))
    return " ".join(["quantcheck run", task or FIRST_TASK, *flags])
