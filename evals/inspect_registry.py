"""What Inspect finds through our entry point: the provider, and the tasks (``inspect eval FILE@aime25``)."""

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.model import ModelAPI, modelapi

from evals.provider import EndpointAPI
from evals.vendor.contract_task import ContractTerms, contract_task
from tasks.catalog import find_benchmark
from tasks.exam import ExamSource, load_exam
from tasks.inspect_task import build_task
from tasks.protocol import Overrides, resolve_spec
from tasks.scorers import outcome_scorer
from tasks.solvers import seeded_generate
from tasks.vendor_contract.clauses import GivenData
from tasks.vendor_contract.profiles import find_profile
from tasks.vendor_contract.schema_directory import read_schema_directory
from tasks.vendor_contract.token_counts import read_token_counts

__all__ = [
    "aime25",
    "endpoint",
    "gpqa_diamond",
    "k2_tool_calls",
    "mmmu_pro",
    "ocrbench",
    "outcome_scorer",
    "seeded_generate",
    "smoke",
    "vendor_contract",
]


@modelapi(name="endpoint")
def endpoint() -> type[ModelAPI]:
    """Return the provider behind ``endpoint/<model>``."""
    return EndpointAPI


@task
def smoke(preset: str | None = None, run_seed: int = 0) -> Task:
    """Smoke: small generated questions; needs no dataset."""
    return _task("smoke", _source(None, False), preset=preset, run_seed=run_seed)


@task
def aime25(
    preset: str | None = None,
    dataset_path: str | None = None,
    accept_dataset: bool = False,
    run_seed: int = 0,
) -> Task:
    """AIME 2025 under one of its presets."""
    return _task("aime25", _source(dataset_path, accept_dataset), preset=preset, run_seed=run_seed)


@task
def gpqa_diamond(
    preset: str | None = None,
    dataset_path: str | None = None,
    accept_dataset: bool = False,
    shuffle_per_epoch: bool = False,
    run_seed: int = 0,
) -> Task:
    """GPQA Diamond under one of its presets."""
    source = _source(dataset_path, accept_dataset, shuffle_per_epoch=shuffle_per_epoch)
    return _task("gpqa_diamond", source, preset=preset, run_seed=run_seed)


@task
def ocrbench(
    preset: str | None = None,
    dataset_path: str | None = None,
    image_root: str | None = None,
    accept_dataset: bool = False,
    max_image_pixels: int | None = None,
    run_seed: int = 0,
) -> Task:
    """OCRBench under one of its presets."""
    source = _source(dataset_path, accept_dataset, image_root, max_image_pixels=max_image_pixels)
    return _task("ocrbench", source, preset=preset, run_seed=run_seed)


@task
def mmmu_pro(
    variant: str | None = None,
    preset: str | None = None,
    dataset_path: str | None = None,
    image_root: str | None = None,
    accept_dataset: bool = False,
    max_image_pixels: int | None = None,
    run_seed: int = 0,
) -> Task:
    """MMMU-Pro in one of its variants under one of its presets."""
    source = _source(dataset_path, accept_dataset, image_root, max_image_pixels=max_image_pixels)
    return _task("mmmu_pro", source, variant=variant, preset=preset, run_seed=run_seed)


@task
def k2_tool_calls(
    preset: str | None = None,
    dataset_path: str | None = None,
    accept_dataset: bool = False,
    both_ways: bool = False,
    run_seed: int | None = None,
) -> Task:
    """K2 tool calls under its preset; a seed is sent only where one is given."""
    source = _source(dataset_path, accept_dataset, both_ways=both_ways)
    return _task(
        "k2_tool_calls", source, preset=preset, run_seed=run_seed or 0, send_seed=run_seed is not None
    )


@task
def vendor_contract(
    profile: str = "generic",
    schemas: str | None = None,
    token_counts: str | None = None,
    max_tokens: int = 4096,
    context_tokens: int | None = None,
) -> Task:
    """The vendor contract of a profile, a sample a probe; ``quantcheck verify`` makes the vendor's report."""
    given = GivenData(
        token_counts=read_token_counts(Path(token_counts)) if token_counts else (),
        schemas=read_schema_directory(Path(schemas)) if schemas else (),
    )
    return contract_task(
        ContractTerms(
            profile=find_profile(profile),
            given=given,
            reply_tokens=max_tokens,
            context_tokens=context_tokens,
        )
    )


def _source(path: str | None, accept: bool, image_root: str | None = None, **options: Any) -> ExamSource:
    return ExamSource(
        path=Path(path) if path else None,
        image_root=Path(image_root) if image_root else None,
        accept_changes=accept,
        options={name: value for name, value in options.items() if value},
    )


def _task(
    name: str,
    source: ExamSource,
    *,
    variant: str | None = None,
    preset: str | None,
    run_seed: int,
    send_seed: bool = True,
) -> Task:
    benchmark = find_benchmark(name)
    exam = load_exam(benchmark, variant=variant, source=source)
    spec = resolve_spec(
        benchmark, exam.dataset, preset=preset, variant=variant, overrides=Overrides(options=source.options)
    )
    metadata = {"task": name, "spec": spec.as_dict(), "fingerprint": spec.fingerprint, "run_seed": run_seed}
    return build_task(spec, exam.items, run_seed=run_seed, metadata=metadata, send_seed=send_seed)
