"""Load a benchmark's items and hold them against what is pinned: the exam both checkpoints sit."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.benchmark import Benchmark, Item
from tasks.data import DatasetPin, SourcedRows, dataset_digest, sources
from tasks.rows import DataError
from tasks.spec import DatasetFacts


@dataclass(frozen=True, kw_only=True)
class Exam:
    """The items of one task variant, the facts of their data, and why earlier sources were passed over."""

    items: Sequence[Item]
    dataset: DatasetFacts
    notes: tuple[str, ...] = ()


def load_exam(
    benchmark: Benchmark,
    *,
    variant: str | None = None,
    path: Path | None = None,
    accept_changes: bool = False,
) -> Exam:
    """Return the items of ``benchmark``, checked for row count, unique ids and pinned content.

    ``accept_changes`` lets data through that is not the pinned data: its own digest then stands in the
    fingerprint, so that runs on it compare only with runs on the same data. Raises :class:`DataError`.
    """
    pin = benchmark.pin(variant)
    notes: list[str] = []
    for source in sources(pin, path):
        try:
            found = source()
            items = benchmark.read_items(found.rows)
            facts = _facts(pin, found, items)
            if not accept_changes:
                _refuse_other_content(pin, facts)
        except DataError as error:
            notes.append(str(error))
        else:
            return Exam(items=items, dataset=facts, notes=tuple(notes))
    way_out = "" if path is not None else f"; give a local copy with --dataset-path{pin.terms}"
    raise DataError(f"{benchmark.name}: {'; '.join(notes)}{way_out}")


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
        is_pinned_content=None if pin.content_hash is None else content_hash == pin.content_hash,
    )


def _refuse_other_content(pin: DatasetPin, facts: DatasetFacts) -> None:
    way_out = "check the copy, or pass --accept-dataset to run on it as a dataset of its own"
    where = f"dataset {pin.name} ({facts.source})"
    if facts.n_items != pin.n_items:
        raise DataError(f"{where}: has {facts.n_items} rows, expected {pin.n_items}; {way_out}")
    if facts.is_pinned_content is False:
        raise DataError(f"{where}: content hash {facts.content_hash}, expected {pin.content_hash}; {way_out}")
