"""``quantcheck plan``: what a run will cost, before it is spent."""

import json
from dataclasses import asdict, dataclass

import click

from evals.commands.number import Number
from tasks.benchmark import Benchmark
from tasks.catalog import find_benchmark

# Mean output tokens of a thinking checkpoint, as a share of the budget, where no run tells better:
# published AIME and GPQA runs of Kimi-class models use about a quarter to a third of a 131k budget.
TYPICAL_BUDGET_SHARE = 0.25


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


@click.command()
@click.argument("tasks", nargs=-1, required=True)
@click.option("--preset", help="Published protocol by name.")
@click.option("--epochs", type=click.IntRange(min=1), help="Passes over all samples.")
@click.option("--limit", type=click.IntRange(min=1), help="Only the first N samples.")
@click.option("--max-tokens", type=click.IntRange(min=1), help="Output budget of a response.")
@click.option("--mean-tokens", type=click.IntRange(min=1), help="Expected output tokens of a response.")
@click.option(
    "--tokens-per-second",
    type=Number(min=0, min_open=True),
    default=3000.0,
    show_default=True,
    help="Output speed of the endpoint over all streams together.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    tasks: tuple[str, ...],
    preset: str | None,
    epochs: int | None,
    limit: int | None,
    max_tokens: int | None,
    mean_tokens: int | None,
    tokens_per_second: float,
    as_json: bool,
) -> None:
    """Show requests, tokens and rough time of TASK... at a given speed."""
    costs = [
        estimate_cost(
            find_benchmark(task),
            preset=preset,
            epochs=epochs,
            limit=limit,
            max_tokens=max_tokens,
            mean_tokens=mean_tokens,
            tokens_per_s=tokens_per_second,
        )
        for task in tasks
    ]
    if as_json:
        print(json.dumps({"schema": 1, "tasks": [asdict(cost) for cost in costs]}))
        return
    for cost in costs:
        print(_describe(cost))


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
