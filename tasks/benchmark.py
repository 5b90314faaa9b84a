"""What a benchmark is made of: items, prompt, presets and a pure grading function."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tasks.data import DatasetPin, Rows
from tasks.reading import Reading
from tasks.spec import Preset, Sampling, SpecError
from verifiers.outcome import Grade
from verifiers.response import Response


@dataclass(frozen=True, kw_only=True)
class ItemForm:
    """One way to ask an item: epochs take the forms of their item in turn."""

    prompt: str
    target: str
    grading: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Item:
    """One dataset item, ready to be asked and graded.

    ``content_hash`` digests what is asked and what is right, white space apart: items of two runs are
    joined by it, so that copies of a dataset with other ids or another order still meet. ``text_hash``
    leaves out the images, for holding a copy against a pin that was made without them.
    ``images`` are references that the image store resolves when a request is sent; they follow the text
    unless ``images_first``. ``grading`` holds what the verifier needs beside the target (options, category
    ...), as plain JSON values. ``forms`` is empty where every epoch asks the same. ``request`` is a whole
    request body that is sent in place of the prompt, as it stands.
    """

    sample_id: str
    prompt: str
    target: str
    content_hash: str
    category: str | None = None
    text_hash: str | None = None
    images: tuple[str, ...] = ()
    images_first: bool = False
    forms: tuple[ItemForm, ...] = ()
    grading: Mapping[str, Any] = field(default_factory=dict)
    source_id: str | None = None
    request: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """One benchmark. ``read_items`` turns raw rows into items; ``grade`` is pure and never raises on text.

    ``groups`` names, for the table by group, the group of each category (``None``: the category itself).
    ``check_items`` raises :class:`tasks.data.DataError` for items that cannot be this benchmark's whole.
    ``options`` are the task's own settings; ``variant_names`` are further names of its variants;
    ``usual_options`` is the number of lettered options of its items where a row does not say, by variant.
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
    read_items: Callable[[Rows, Reading], Sequence[Item]]
    answer_kind: str  # integer, choice, ocr, tool or mixed (each item says): what a simulator must invent
    grade: Callable[[Response, str, Mapping[str, Any]], Grade]
    default_variant: str | None = None
    groups: Mapping[str, str] | None = None
    check_items: Callable[[Sequence[Item], str | None], None] | None = None
    options: tuple[str, ...] = ()
    usual_options: Mapping[str | None, int] = field(default_factory=dict)
    variant_names: Mapping[str, str] = field(default_factory=dict)
    max_connections: int = 64  # requests in flight where none is asked for

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
        return self.pins[self.variant(variant)]

    def variant(self, name: str | None) -> str | None:
        """Return a variant by its full name, the default one where it is ``None``."""
        chosen = self.default_variant if name is None else self.variant_names.get(name.strip().lower(), name)
        if chosen not in self.pins:
            known = _names(str(pinned) for pinned in self.pins) if any(self.pins) else "no variants"
            raise SpecError(f"variant {chosen!r}: {self.name} has {known}; choose one of its own")
        return chosen

    def refuse_foreign_options(self, options: Mapping[str, Any]) -> None:
        """Raise :class:`SpecError` for a setting that this task does not have."""
        for name in options:
            if name not in self.options:
                flag = f"--{name.replace('_', '-')}"
                raise SpecError(f"{flag}: {self.name} has no such setting; leave it out")


def sampling_of(preset: Preset, *, thinking: bool | None) -> Sampling:
    """Return the preset's sampling for thinking (also where unsaid) or instant answers."""
    return preset.instant if thinking is False else preset.thinking


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)
