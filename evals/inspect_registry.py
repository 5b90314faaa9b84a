"""What Inspect finds through our entry point: the provider and the tasks, for ``inspect eval quantcheck/aime25``."""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.model import ModelAPI, modelapi

from evals.provider import EndpointAPI
from tasks.catalog import find_benchmark
from tasks.exam import load_exam
from tasks.inspect_task import build_task
from tasks.protocol import resolve_spec
from tasks.scorers import outcome_scorer
from tasks.solvers import seeded_generate

__all__ = ["aime25", "endpoint", "outcome_scorer", "seeded_generate"]


@modelapi(name="endpoint")
def endpoint() -> type[ModelAPI]:
    """Return the provider behind ``endpoint/<model>``."""
    return EndpointAPI


@task
def aime25(preset: str | None = None, dataset_path: str | None = None, run_seed: int = 0) -> Task:
    """AIME 2025 under one of its presets."""
    return _task("aime25", preset=preset, dataset_path=dataset_path, run_seed=run_seed)


def _task(name: str, *, preset: str | None, dataset_path: str | None, run_seed: int) -> Task:
    benchmark = find_benchmark(name)
    exam = load_exam(benchmark, path=Path(dataset_path) if dataset_path else None)
    spec = resolve_spec(benchmark, exam.dataset, preset=preset)
    metadata = {"task": name, "spec": spec.as_dict(), "fingerprint": spec.fingerprint, "run_seed": run_seed}
    return build_task(spec, exam.items, run_seed=run_seed, metadata=metadata)
