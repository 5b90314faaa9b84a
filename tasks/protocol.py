"""From a preset and overrides to the one protocol of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tasks.benchmark import Benchmark, sampling_of
from tasks.spec import DatasetFacts, Sampling, SpecError, TaskSpec, ThinkMode, digest
from tasks.stream_way import n_ways

SAID_BY_FLAGS: Mapping[str, str] = {
    "model": "set by --model",
    "messages": "what the task asks",
    "stream": "set by --no-stream",
    "stream_options": "set by --no-stream",
    "seed": "derived from --seed for every response",
    "n": "set by --epochs",
    "temperature": "set by --temperature",
    "top_p": "set by --top-p",
    "max_tokens": "set by --max-tokens",
    "max_completion_tokens": "set by --max-tokens",
}


@dataclass(frozen=True, kw_only=True)
class Overrides:
    """What a user changes of a preset; ``None`` keeps the preset's value. Each changes the fingerprint."""

    epochs: int | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    think_mode: ThinkMode = ThinkMode.NONE
    thinking: bool | None = None
    effort: str | None = None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def resolve_spec(
    benchmark: Benchmark,
    dataset: DatasetFacts,
    *,
    preset: str | None = None,
    variant: str | None = None,
    overrides: Overrides | None = None,
) -> TaskSpec:
    """Return the protocol of a run; raise :class:`SpecError` for values that cannot be."""
    change = overrides or Overrides()
    chosen = benchmark.preset(preset)
    benchmark.refuse_foreign_options(change.options)
    _refuse_impossible(change)
    _refuse_second_saying(change.extra_body)
    base = sampling_of(chosen, thinking=change.thinking)
    return TaskSpec(
        task=benchmark.name,
        variant=benchmark.variant(variant),
        preset=chosen.name,
        dataset=dataset,
        prompt_hash=digest(benchmark.prompt)[:16],
        scorer=benchmark.scorer,
        sampling=Sampling(
            temperature=base.temperature if change.temperature is None else change.temperature,
            top_p=base.top_p if change.top_p is None else change.top_p,
        ),
        max_tokens=chosen.max_tokens if change.max_tokens is None else change.max_tokens,
        epochs=(change.epochs or chosen.epochs) * n_ways(change.options),
        think_mode=change.think_mode,
        thinking=change.thinking,
        effort=change.effort,
        extra_body=change.extra_body,
        options=change.options,
    )


def _refuse_impossible(change: Overrides) -> None:
    if change.epochs is not None and change.epochs < 1:
        raise SpecError(f"epochs: {change.epochs}; give 1 or more")
    if change.max_tokens is not None and change.max_tokens < 1:
        raise SpecError(f"max tokens: {change.max_tokens}; give 1 or more")
    if change.temperature is not None and not 0.0 <= change.temperature <= 2.0:
        raise SpecError(f"temperature: {change.temperature:g}; give a value from 0 to 2")
    if change.top_p is not None and not 0.0 < change.top_p <= 1.0:
        raise SpecError(f"top_p: {change.top_p:g}; give a value above 0 and up to 1")
    if change.think_mode is ThinkMode.NONE and (change.thinking is not None or change.effort is not None):
        raise SpecError(
            "thinking: cannot be switched with think mode 'none'; give --think-mode kimi or opensource"
        )


def _refuse_second_saying(extra_body: Mapping[str, Any]) -> None:
    """Refuse what has a flag of its own: said twice, budget check and manifest would not be what was sent."""
    for name in extra_body:
        if name in SAID_BY_FLAGS:
            raise SpecError(f"extra body: {name!r} is {SAID_BY_FLAGS[name]}; leave it out")
