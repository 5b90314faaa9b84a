"""Build the Inspect task of a benchmark: its dataset, the seeded solver and the scorer."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, GenerateConfig

from tasks.benchmark import Item
from tasks.escalation import escalate_truncated
from tasks.pairs import Pair, pair_metadata
from tasks.pass_over import PassOver
from tasks.response_record import RAW_REQUEST
from tasks.scorers import outcome_scorer
from tasks.solvers import seeded_generate
from tasks.spec import TaskSpec
from verifiers.thinking_switch import asks_no_thinking


def build_task(
    spec: TaskSpec,
    items: Sequence[Item],
    *,
    run_seed: int,
    metadata: Mapping[str, Any],
    escalate_to: int | None = None,
    send_seed: bool = True,
    pairs: Sequence[Pair] | None = None,
    only: Set[Pair] | None = None,
) -> Task:
    """Return the task; ``metadata`` goes into the log's header, where the comparator reads it.

    ``escalate_to`` is the largest budget with which truncated samples are asked again, ``None`` for not at all.
    ``send_seed`` says whether requests carry a seed at all. With ``pairs`` only these responses are asked, in
    their order, each as a sample of its own; what is sent is the same. With ``only`` the samples stay those of
    the whole task, and every other response is passed over.
    """
    is_thinking_off = spec.thinking is False or asks_no_thinking(spec.extra_body)
    escalation = [] if escalate_to is None else [escalate_truncated(spec.max_tokens, escalate_to)]
    return Task(
        name=spec.task,
        dataset=MemoryDataset(_samples(items, pairs), name=spec.dataset.name),
        solver=[seeded_generate(run_seed, dict(spec.options), send_seed), *escalation],
        scorer=outcome_scorer(spec.task, is_thinking_off=is_thinking_off),
        epochs=spec.epochs if pairs is None else 1,
        config=GenerateConfig(
            temperature=spec.sampling.temperature, top_p=spec.sampling.top_p, max_tokens=spec.max_tokens
        ),
        metadata={"quantcheck": dict(metadata)},
        early_stopping=None if only is None else PassOver(only),
    )


def _samples(items: Sequence[Item], pairs: Sequence[Pair] | None) -> list[Sample]:
    if pairs is None:
        return [_sample(item) for item in items]
    by_id = {item.sample_id: _sample(item) for item in items}
    return [_alone(by_id[pair.sample_id], pair) for pair in pairs]


def _alone(sample: Sample, pair: Pair) -> Sample:
    """Return the sample of one response alone; what it shares with its sample is not copied."""
    metadata = {**(sample.metadata or {}), **pair_metadata(pair)}
    return sample.model_copy(update={"id": pair.text, "metadata": metadata})


def _sample(item: Item) -> Sample:
    """Return Inspect's sample. The solver adds images and forms: images in an input would be read at once."""
    whole = None if item.request is None else {RAW_REQUEST: dict(item.request)}
    return Sample(
        id=item.sample_id,
        input=[ChatMessageUser(content=item.prompt, metadata=whole)],
        target=item.target,
        metadata={
            "content_hash": item.content_hash,
            "category": item.category,
            "grading": dict(item.grading),
            **({"images": list(item.images), "images_first": item.images_first} if item.images else {}),
            **({"forms": [asdict(form) for form in item.forms]} if item.forms else {}),
        },
    )
