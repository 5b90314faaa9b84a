"""``quantcheck plan``: what a run will cost and what it can decide, before it is spent."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from evals.commands.plan_power import (
    TYPICAL_BUDGET_SHARE,
    baseline_of,
    basis_of,
    chance_of_all,
    describe_power,
    power_of,
    refuse_other_tasks,
)
from reports import numbers
from reports.planning import TaskPlan, baseline_epochs, power_section
from reports.power import Epochs
from tasks.benchmark import Benchmark
from tasks.catalog import find_benchmark


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Requests, tokens (typical and at most) and hours (typical) of one task at one speed."""

    task: str
    preset: str
    n_items: int
    epochs: int
    requests: int
    max_tokens: int
    typical_tokens: int
    most_tokens: int
    tokens_per_s: float
    typical_hours: float


def plan_tasks(tasks: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Do what ``quantcheck plan`` is asked; its flags are in :mod:`evals.flags.plan`."""
    refuse_other_tasks(tasks, options["margins"])
    plans = [_plan(find_benchmark(task), options) for task in tasks]
    together = chance_of_all([power for _, power in plans])
    for warning in (power.warning for _, power in plans if power is not None):
        if warning is not None:
            print(f"warning: underpowered: {warning}", file=sys.stderr)
    if as_json:
        found = [asdict(cost) | {"power": power and power_section(power)} for cost, power in plans]
        print(json.dumps({"schema": 1, "tasks": found, "pass_chance_of_all": together}, allow_nan=False))
        return
    for cost, power in plans:
        print("\n".join([_describe(cost), *(describe_power(power) if power is not None else ())]))
    if together is not None and len(plans) > 1:
        print(
            f"all {len(plans)} tasks pass together with {numbers.percent(together, 0)} where nothing is lost"
        )


def _plan(benchmark: Benchmark, options: Mapping[str, Any]) -> tuple[Cost, TaskPlan | None]:
    """Return cost and power of one task; a baseline's own tokens serve where none are given."""
    asked = {name: options[name] for name in ("preset", "epochs", "limit", "max_tokens")}
    speed = options["tokens_per_second"]
    first = estimate_cost(benchmark, **asked, mean_tokens=options["mean_tokens"], tokens_per_s=speed)
    run = baseline_of(benchmark.name, options["baseline"])
    basis = basis_of(benchmark.name, first.n_items, run)
    if basis is None:
        return first, None
    measured = round(basis.mean_tokens) if basis.mean_tokens else None
    mean = options["mean_tokens"] or measured
    cost = estimate_cost(benchmark, **asked, mean_tokens=mean, tokens_per_s=speed)
    measured_epochs = baseline_epochs(run) if run is not None else cost.epochs
    epochs = Epochs(baseline=options["baseline_epochs"] or measured_epochs, candidate=cost.epochs)
    per_response = cost.typical_tokens / cost.requests
    return cost, power_of(benchmark.name, basis, epochs, per_response, options["margins"])


def estimate_cost(
    benchmark: Benchmark,
    *,
    preset: str | None,
    epochs: int | None,
    limit: int | None,
    max_tokens: int | None,
    mean_tokens: int | None,
    tokens_per_s: float,
) -> Cost:
    """Return what one task will cost; ``mean_tokens`` replaces the assumption of a quarter of the budget."""
    chosen = benchmark.preset(preset)
    n_items = min(limit or benchmark.pin(None).n_items, benchmark.pin(None).n_items)
    n_epochs = epochs or chosen.epochs
    budget = max_tokens or chosen.max_tokens
    mean = min(mean_tokens or round(budget * TYPICAL_BUDGET_SHARE), budget)
    requests = n_items * n_epochs
    return Cost(
        task=benchmark.name,
        preset=chosen.name,
        n_items=n_items,
        epochs=n_epochs,
        requests=requests,
        max_tokens=budget,
        typical_tokens=requests * mean,
        most_tokens=requests * budget,
        tokens_per_s=tokens_per_s,
        typical_hours=requests * mean / tokens_per_s / 3600,
    )


def _describe(cost: Cost) -> str:
    return (
        f"{cost.task:<14} {cost.requests:,} requests ({cost.n_items:,} items x {cost.epochs} epochs), "
        f"about {cost.typical_tokens / 1e6:,.1f} M output tokens, at most {cost.most_tokens / 1e6:,.1f} M; "
        f"about {cost.typical_hours:,.1f} h at {cost.tokens_per_s:,.0f} tokens/s"
    )
