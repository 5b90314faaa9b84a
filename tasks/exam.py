"""Load a benchmark's items and hold them against what is pinned: the exam both checkpoints sit."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tasks.benchmark import Benchmark, Item
from tasks.data import DatasetPin, SourcedRows, dataset_digest, sources
from tasks.reading import Reading
from tasks.rows import DataError
from tasks.spec import DatasetFacts


@dataclass(frozen=True, kw_only=True)
class Exam:
    """The items of one task variant, the facts of their data, and why earlier sources were passed over."""

    items: Sequence[Item]
    dataset: DatasetFacts
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ExamSource:
    """Where to load an exam from, and how.

    ``accept_changes`` lets data through that is not the pinned data: its own digest then stands in the
    fingerprint, so that runs on it compare only with runs on the same data. ``with_images`` as in
    :class:`tasks.reading.Reading`.
    """

    path: Path | None = None
    image_root: Path | None = None
    accept_changes: bool = False
    with_images: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)

    def reading(self, variant: str | None) -> Reading:
        """Return how to read rows: image files lie below ``image_root`` or beside the data file."""
        beside = None if self.path is None else self.path if self.path.is_dir() else self.path.parent
        folders = tuple(folder for folder in (self.image_root, beside) if folder is not None)
        return Reading(
            variant=variant,
            image_folders=folders,
            options=self.options,
            with_images=self.with_images,
            accept_changes=self.accept_changes,
        )


def load_exam(
    benchmark: Benchmark,
    *,
    variant: str | None = None,
    path: Path | None = None,
    accept_changes: bool = False,
    source: ExamSource | None = None,
) -> Exam:
    """Return the items of ``benchmark``, checked for row count, unique ids and pinned content.

    ``path`` and ``accept_changes`` stand for a ``source`` that says nothing else. Raises :class:`DataError`.
    """
    asked = source or ExamSource(path=path, accept_changes=accept_changes)
    pin, chosen = benchmark.pin(variant), benchmark.variant(variant)
    benchmark.refuse_foreign_options(asked.options)
    notes: list[str] = []
    for find in sources(pin, asked.path):
        try:
            return _sit(benchmark, pin, find(), chosen, asked, notes)
        except DataError as error:
            notes.append(str(error))
    way_out = "" if asked.path is not None else f"; give a local copy with --dataset-path{pin.terms}"
    raise DataError(f"{benchmark.name}: {'; '.join(notes) or 'no public copy is fetched'}{way_out}")


def _sit(
    benchmark: Benchmark,
    pin: DatasetPin,
    found: SourcedRows,
    variant: str | None,
    asked: ExamSource,
    notes: Sequence[str],
) -> Exam:
    reading = asked.reading(variant)
    items = benchmark.read_items(found.rows, reading)
    facts = _facts(pin, found, items)
    if not asked.accept_changes:
        if benchmark.check_items is not None:
            benchmark.check_items(items, variant)
        _refuse_other_content(pin, facts, has_images=asked.with_images)
    instead = [f"{benchmark.name}: read from {facts.source} instead"] if notes else []
    return Exam(items=items, dataset=facts, notes=(*notes, *instead, *reading.notes))


def _facts(pin: DatasetPin, found: SourcedRows, items: Sequence[Item]) -> DatasetFacts:
    twice = [name for name, count in Counter(item.sample_id for item in items).items() if count > 1]
    if twice:
        raise DataError(f"dataset {pin.name} ({found.source}): sample id {twice[0]!r} stands more than once")
    content_hash = dataset_digest([item.content_hash for item in items])
    return DatasetFacts(
        name=pin.name,
        source=found.source,
        revision=found.revision,
        content_hash=content_hash,
        n_items=len(items),
        is_pinned_content=_is_pinned(pin, found, items, content_hash),
    )


def _is_pinned(pin: DatasetPin, found: SourcedRows, items: Sequence[Item], content_hash: str) -> bool | None:
    """Return whether this is the pinned data, as far as any pin tells (``None``: none does)."""
    if pin.content_hash is not None:
        return content_hash == pin.content_hash
    if pin.text_hash is not None:
        return dataset_digest([item.text_hash or "" for item in items]) == pin.text_hash
    if pin.file_sha256 is not None and found.file is not None and found.file.is_file():
        is_the_file = hashlib.sha256(found.file.read_bytes()).hexdigest() == pin.file_sha256
        # data that comes in one named file is that file; other data may well be written in another way
        return True if is_the_file else False if pin.file_name is not None else None
    return None


def _refuse_other_content(pin: DatasetPin, facts: DatasetFacts, *, has_images: bool) -> None:
    way_out = "check the copy, or pass --accept-dataset to run on it as a dataset of its own"
    where = f"dataset {pin.name} ({facts.source})"
    if facts.n_items != pin.n_items:
        raise DataError(f"{where}: has {facts.n_items} rows, expected {pin.n_items}; {way_out}")
    if has_images and pin.content_hash is not None and facts.is_pinned_content is False:
        raise DataError(f"{where}: content hash {facts.content_hash}, expected {pin.content_hash}; {way_out}")
