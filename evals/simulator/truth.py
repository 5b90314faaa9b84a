"""The known truth: with what probability each sample is answered right, given room to answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evals.simulator.answers import AnswerBook
from evals.simulator.dice import unit
from evals.simulator.profile import Profile, TaskProfile


def pass_probabilities(
    sample_ids: Sequence[str], task: str, profile: TaskProfile, *, seed: int
) -> dict[str, float]:
    """Return each sample's probability of a right answer.

    Which samples are hard is fixed by ``seed`` and the ids alone, so that two profiles under one seed find
    the same samples hard. Quantiles are spread evenly over the samples, so that the mean over them is the
    profile's mean up to rounding: it holds for the whole set of samples, not for a part of it.
    """
    by_hardness = sorted(sample_ids, key=lambda sample_id: unit("hardness", seed, task, sample_id))
    if profile.mean is None or not 0 < profile.mean < 1:
        level = profile.default if profile.mean is None else profile.mean
        values = np.full(len(by_hardness), level)
    else:
        quantiles = (np.arange(len(by_hardness)) + 0.5) / len(by_hardness)
        a, b = profile.mean * profile.concentration, (1 - profile.mean) * profile.concentration
        values = np.clip(special.betaincinv(a, b, quantiles), 0.0, 1.0)
    n_hardest = min(len(profile.hardest), len(by_hardness))
    values[:n_hardest] = profile.hardest[:n_hardest]
    drawn = dict(zip(by_hardness, values.tolist(), strict=True))
    return {sample_id: profile.items.get(sample_id, drawn[sample_id]) for sample_id in sample_ids}


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Pass probabilities by task and sample id."""

    profile: str
    seed: int
    tasks: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, book: AnswerBook, profile: Profile, *, seed: int) -> "Truth":
        """Work out the truth of ``profile`` over every sample in ``book``."""
        ids: dict[str, list[str]] = {}
        for entry in book.entries:
            ids.setdefault(entry.task, []).append(entry.sample_id)
        tasks = {
            task: pass_probabilities(sample_ids, task, profile.task(task), seed=seed)
            for task, sample_ids in ids.items()
        }
        return cls(profile=profile.name, seed=seed, tasks=tasks)

    def probability(self, task: str, sample_id: str) -> float:
        """Return the probability in [0, 1] that a response to this sample is right."""
        return self.tasks[task][sample_id]

    def mean(self, task: str) -> float:
        """Return the expected accuracy over all samples of ``task``."""
        items = self.tasks[task]
        return sum(items.values()) / len(items)

    def as_json(self) -> dict[str, Any]:
        """Return the body of ``GET /simulation/truth``."""
        tasks = {
            task: {"n_items": len(items), "mean": self.mean(task), "items": dict(items)}
            for task, items in self.tasks.items()
        }
        return {"simulated": True, "profile": self.profile, "seed": self.seed, "tasks": tasks}
