"""What another harness wrote beside its results of task, model and settings: enough to see unlike runs."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reports.json_text import parse_json
from reports.score_table import TaskFacts

_SGL_DIRECTORY = re.compile(r"sgl_eval_(.+)_\d{8}-\d{6}")
_LM_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_NEMO_PROTOCOL = (
    "temperature",
    "max_tokens",
    "top_p",
    "system_prompt",
    "benchmark",
    "max_problems",
    "shuffle_seed",
)
MAX_SETTINGS_BYTES = 64 * 1024**2


def harness_facts(harness: str, path: Path) -> TaskFacts:
    """Return the facts of the run that ``path`` belongs to; what its harness did not write stays unknown."""
    plain = TaskFacts(
        task="",
        label=path.resolve().parent.name,
        source=str(path.parent if path.name.startswith("output-rs") else path),
        is_foreign=True,
    )
    if harness == "sgl-eval":
        return _sgl_eval(plain, path)
    if harness == "lm-eval":
        return _lm_eval(plain, path)
    if harness == "nemo-evaluator":
        return _nemo_evaluator(plain, path)
    return replace(plain, task="k2_tool_calls")


def _sgl_eval(plain: TaskFacts, path: Path) -> TaskFacts:
    named = _SGL_DIRECTORY.fullmatch(path.resolve().parent.name)
    task = named[1] if named else ""
    metrics = _json_object(path.parent / "metrics.json")
    if not metrics:
        return replace(plain, task=task)
    gen = {name: value for name, value in _mapping(metrics.get("gen")).items() if name != "seed"}
    others = {name: metrics[name] for name in ("bench_args", "prompt") if name in metrics}
    items = metrics.get("planned_examples", metrics.get("num_examples"))
    return replace(
        plain,
        task=str(metrics.get("name") or task),
        endpoint={"model": metrics.get("model"), "base_url": metrics.get("base_url")},
        versions={"sgl-eval": metrics.get("sgl_eval_version")},
        n_items=_count(items),
        epochs=_count(metrics.get("n_repeats")),
        expected=_product(items, metrics.get("n_repeats")),
        spec={"harness": "sgl-eval", "gen": gen, **others},
    )


def _lm_eval(plain: TaskFacts, path: Path) -> TaskFacts:
    named = _LM_SAMPLES.fullmatch(path.name)
    if named is None:
        return plain
    task, date = named[1], named[2]
    results = _json_object(path.parent / f"results_{date}.json")
    if not results:
        return replace(plain, task=task)
    config = _mapping(_mapping(results.get("configs")).get(task))
    effective = _count(_mapping(_mapping(results.get("n-samples")).get(task)).get("effective"))
    spec = {
        "harness": "lm-eval",
        "version": _mapping(results.get("versions")).get(task),
        "n_shot": _mapping(results.get("n-shot")).get(task),
        "generation": dict(_mapping(config.get("generation_kwargs"))),
        "dataset": {"name": config.get("dataset_path"), "config": config.get("dataset_name")},
        "system_instruction": results.get("system_instruction_sha"),
        "chat_template": results.get("chat_template_sha"),
    }
    return replace(
        plain,
        task=task,
        endpoint={"model": results.get("model_name")},
        versions={"lm-eval": results.get("lm_eval_version")},
        n_items=effective,
        epochs=1,
        expected=effective,
        spec=spec,
    )


def _nemo_evaluator(plain: TaskFacts, path: Path) -> TaskFacts:
    bundles = sorted(path.parent.glob("eval-*.json"))
    bundle = _json_object(bundles[0]) if len(bundles) == 1 else {}
    if not bundle:
        return plain
    benchmark, config = _mapping(bundle.get("benchmark")), _mapping(bundle.get("config"))
    return replace(
        plain,
        task=str(benchmark.get("name") or ""),
        endpoint={"model": config.get("model"), "base_url": config.get("model_url")},
        versions={"nemo-evaluator": bundle.get("sdk_version")},
        n_items=_count(benchmark.get("samples")),
        epochs=_count(benchmark.get("repeats")),
        expected=_product(benchmark.get("samples"), benchmark.get("repeats")),
        spec={"harness": "nemo-evaluator"} | {name: config.get(name) for name in _NEMO_PROTOCOL},
    )


def _json_object(path: Path) -> Mapping[str, Any]:
    """Return the object in a settings file, empty where there is none that can be read: it is optional."""
    try:
        if path.stat().st_size > MAX_SETTINGS_BYTES:
            return {}
        return _mapping(parse_json(path.read_bytes()))
    except (OSError, ValueError):
        return {}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _product(one: Any, other: Any) -> int | None:
    counts = _count(one), _count(other)
    return counts[0] * counts[1] if counts[0] and counts[1] else None
