"""What a benchmark is made of: items, prompt, presets and a pure grading function."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.data import DatasetPin, Rows
from tasks.spec import Preset, Sampling, SpecError
from verifiers.outcome import Grade
from verifiers.response import Response


@dataclass(frozen=True, kw_only=True)
class Item:
    """One dataset item, ready to be asked and graded.

    ``content_hash`` digests what is asked and what is right, white space apart: items of two runs are
    joined by it, so that copies of a dataset with other ids or another order still meet.
    ``images`` are references that the image store resolves when a request is sent; ``grading`` holds what
    the verifier needs beside the target (options, category ...), as plain JSON values.
    """

    sample_id: str
    prompt: str
    target: str
    content_hash: str
    category: str | None = None
    images: tuple[str, ...] = ()
    grading: Mapping[str, Any] = field(default_factory=dict)
    source_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One benchmark. ``read_items`` turns raw rows into items; ``grade`` is pure and never raises on text.

    ``groups`` names, for the table by group, the group of each category (``None``: the category itself).
    """

    name: str
    title: str
    metric: str
    licence: str
    departures: str  # where the protocol departs from its source, in one sentence
    pins: Mapping[str | None, DatasetPin]  # by variant
    presets: tuple[Preset, ...]
    prompt: str  # the template: its digest is part of the fingerprint
    scorer: str
    read_items: Callable[[Rows], Sequence[Item]]
    answer_kind: str  # integer, choice, ocr or tool: what the simulated endpoint must invent
    grade: Callable[[Response, str, Mapping[str, Any]], Grade]
    default_variant: str | None = None
    groups: Mapping[str, str] | None = None

    def preset(self, name: str | None) -> Preset:
        """Return the preset called ``name``, the first where it is ``None``."""
        if name is None:
            return self.presets[0]
        for preset in self.presets:
            if preset.name == name:
                return preset
        raise SpecError(
            f"preset {name!r}: {self.name} has {_names(p.name for p in self.presets)}; choose one"
        )

    def pin(self, variant: str | None) -> DatasetPin:
        """Return the dataset pin of a variant, the default one where it is ``None``."""
        chosen = variant if variant is not None else self.default_variant
        if chosen not in self.pins:
            known = _names(str(name) for name in self.pins)
            raise SpecError(f"variant {chosen!r}: {self.name} has {known}; choose one")
        return self.pins[chosen]


def sampling_of(preset: Preset, *, thinking: bool | None) -> Sampling:
    """Return the preset's sampling for thinking (also where unsaid) or instant answers."""
    return preset.instant if thinking is False else preset.thinking


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)
