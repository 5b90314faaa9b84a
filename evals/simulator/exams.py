"""An answer book out of the real benchmarks, so that the simulator can play them."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

from evals.simulator.answers import AnswerBook, AnswerEntry, AnswerKind, prompt_digest
from tasks.benchmark import Benchmark, Item, ItemForm
from tasks.images import STORE


def entries_of(benchmark: Benchmark, items: Sequence[Item]) -> Iterator[AnswerEntry]:
    """Yield one entry an item, with the prompt exactly as a run sends it.

    Items that share a prompt are told apart by their images. Where even those are the same, the simulator
    knows the first one only: nothing in a request says which is meant.
    """
    shared = {digest for digest, n in Counter(prompt_digest(item.prompt) for item in items).items() if n > 1}
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for item in items:
        digest = prompt_digest(item.prompt)
        images = _sent_digests(item) if digest in shared else ()
        if (digest, images) not in seen:
            seen.add((digest, images))
            yield _entry(benchmark, item, images)


def book_of(*exams: tuple[Benchmark, Sequence[Item]]) -> AnswerBook:
    """Return the book of several benchmarks."""
    return AnswerBook.from_entries(
        entry for benchmark, items in exams for entry in entries_of(benchmark, items)
    )


def _entry(benchmark: Benchmark, item: Item, images: tuple[str, ...]) -> AnswerEntry:
    first = ItemForm(prompt=item.prompt, target=item.target, grading=item.grading)
    forms = item.forms or (first,)
    entries = [
        AnswerEntry(
            task=benchmark.name,
            sample_id=item.sample_id,
            prompt_text=form.prompt,
            target=tuple(form.grading.get("answers") or (form.target,)),
            kind=AnswerKind(benchmark.answer_kind),
            n_options=form.grading.get("n_options"),
            n_images=len(item.images),
            image_sha256=images,
        )
        for form in forms
    ]
    return entries[0].with_forms(entries[1:])


def _sent_digests(item: Item) -> tuple[str, ...]:
    return tuple(hashlib.sha256(STORE.sent(reference).content).hexdigest() for reference in item.images)
