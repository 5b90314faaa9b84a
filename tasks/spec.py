"""What a run was asked to do: the protocol as values, and the fingerprint by which runs are comparable."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class SpecError(ValueError):
    """A protocol setting that does not exist or cannot be."""


class ThinkMode(StrEnum):
    """How an endpoint is told to think or not to think."""

    KIMI = "kimi"  # Moonshot's API: {"thinking": {"type": ...}}
    OPENSOURCE = "opensource"  # vLLM, SGLang, KTransformers: chat_template_kwargs
    NONE = "none"  # say nothing: the server's default


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Sampling parameters as sent; ``None`` is not sent (the server's default applies)."""

    temperature: float | None
    top_p: float | None


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A published protocol by name. ``max_tokens`` is the whole output budget, reasoning included."""

    name: str
    max_tokens: int
    epochs: int
    thinking: Sampling
    instant: Sampling
    source: str


@dataclass(frozen=True, kw_only=True)
class DatasetFacts:
    """Which data was used: where it came from, and a digest of its content that is the same everywhere."""

    name: str
    source: str
    revision: str | None
    content_hash: str
    n_items: int
    is_pinned_content: bool | None  # None: the project knows no digest to hold it against


@dataclass(frozen=True, kw_only=True)
class TaskSpec:
    """One task under one fixed protocol. Equal fingerprints mean comparable runs.

    The fingerprint covers everything that changes what is measured. It leaves out what may differ between
    comparable runs: where the data came from, the checkpoint, the endpoint, and how much was run (epochs,
    number of samples), since the comparator handles unequal epochs and joins samples by content.
    """

    task: str
    variant: str | None
    preset: str
    dataset: DatasetFacts
    prompt_hash: str
    scorer: str
    sampling: Sampling
    max_tokens: int
    epochs: int
    think_mode: ThinkMode
    thinking: bool | None
    effort: str | None
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def comparable_facts(self) -> dict[str, Any]:
        """Return the fields that two runs must share to be compared, as plain JSON values."""
        return {
            "task": self.task,
            "variant": self.variant,
            "dataset": self.dataset.content_hash,
            "prompt": self.prompt_hash,
            "scorer": self.scorer,
            "temperature": self.sampling.temperature,
            "top_p": self.sampling.top_p,
            "max_tokens": self.max_tokens,
            "think_mode": str(self.think_mode),
            "thinking": self.thinking,
            "effort": self.effort,
            "extra_body": dict(self.extra_body),
            **{f"option_{name}": value for name, value in self.options.items()},
        }

    def as_dict(self) -> dict[str, Any]:
        """Return every field as plain JSON values, for manifests and log headers."""
        return asdict(self) | {"think_mode": str(self.think_mode), "comparable": self.comparable_facts()}

    @property
    def fingerprint(self) -> str:
        """Return 16 hex digits that are equal exactly when the comparable facts are."""
        return digest(self.comparable_facts())[:16]


def digest(value: Any) -> str:
    """Return the SHA-256 of ``value`` as canonical JSON (sorted keys, no spaces)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
