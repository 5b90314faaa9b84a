"""``quantcheck list``: the tasks, their presets and variants."""

import json
from typing import Any

from tasks.benchmark import Benchmark
from tasks.catalog import BENCHMARKS
from tasks.spec import Preset, Sampling


def show_tasks(as_json: bool) -> None:
    """Do what ``quantcheck list`` is asked; its flags are in :mod:`evals.flags.list_tasks`."""
    if as_json:
        print(json.dumps({"schema": 1, "tasks": [_facts(benchmark) for benchmark in BENCHMARKS.values()]}))
        return
    for benchmark in BENCHMARKS.values():
        print(_describe(benchmark))


def _facts(benchmark: Benchmark) -> dict[str, Any]:
    return {
        "task": benchmark.name,
        "title": benchmark.title,
        "metric": benchmark.metric,
        "licence": benchmark.licence,
        "departures": benchmark.departures,
        "scorer": benchmark.scorer,
        "variants": {str(name): pin.name for name, pin in benchmark.pins.items() if name is not None},
        "default_variant": benchmark.default_variant,
        "n_items": benchmark.pin(None).n_items,
        "presets": [_preset(preset) for preset in benchmark.presets],
    }


def _preset(preset: Preset) -> dict[str, Any]:
    return {
        "preset": preset.name,
        "max_tokens": preset.max_tokens,
        "epochs": preset.epochs,
        "thinking": _sampling(preset.thinking),
        "instant": _sampling(preset.instant),
        "source": preset.source,
    }


def _sampling(sampling: Sampling) -> dict[str, float | None]:
    return {"temperature": sampling.temperature, "top_p": sampling.top_p}


def _describe(benchmark: Benchmark) -> str:
    lines = [
        f"{benchmark.name:<14} {benchmark.title}: {benchmark.pin(None).n_items:,} items, {benchmark.metric}"
    ]
    variants = [str(name) for name in benchmark.pins if name is not None]
    if variants:
        lines.append(f"{'':<14}   variants: {', '.join(variants)} (default {benchmark.default_variant})")
    for preset in benchmark.presets:
        lines.append(
            f"{'':<14}   {preset.name:<8} budget {preset.max_tokens:>7,} tokens, {preset.epochs:>2} epochs, "
            f"temperature {_shown(preset.thinking.temperature)}, top_p {_shown(preset.thinking.top_p)} · {preset.source}"
        )
    return "\n".join(lines)


def _shown(value: float | None) -> str:
    return "server's" if value is None else f"{value:g}"
