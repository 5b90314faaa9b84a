"""An answer book out of the real benchmarks, so that the simulator can play them."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence

from evals.simulator.answers import AnswerBook, AnswerEntry, AnswerKind, messages_digest, prompt_digest
from tasks.benchmark import Benchmark, Item, ItemForm
from tasks.images import STORE
from tasks.tool_call_grade import CALLED, NOT_CALLED


def entries_of(benchmark: Benchmark, items: Sequence[Item]) -> Iterator[AnswerEntry]:
    """Yield one entry an item, with the prompt exactly as a run sends it.

    Items that share a prompt are told apart by their images. Where even those are the same, the simulator
    knows the first one only: nothing in a request says which is meant. Whole requests are known by all of
    their messages; where no run tells whether a tool should be called, the simulator settles it by the id.
    """
    whole = {messages_digest(item.request["messages"]): item for item in reversed(items) if item.request}
    for digest, item in whole.items():
        yield _tool_entry(benchmark, item, digest)
    items = [item for item in items if not item.request]
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
            kind=AnswerKind(form.grading.get("form", benchmark.answer_kind)),
            n_options=form.grading.get("n_options"),
            n_images=len(item.images),
            image_sha256=images,
        )
        for form in forms
    ]
    return entries[0].with_forms(entries[1:])


def _tool_entry(benchmark: Benchmark, item: Item, digest: str) -> AnswerEntry:
    return AnswerEntry(
        task=benchmark.name,
        sample_id=item.sample_id,
        prompt_text=item.prompt,
        target=(item.target or settled_target(item),),
        kind=AnswerKind.TOOL,
        messages_sha256=digest,
    )


def settled_target(item: Item) -> str:
    """Return what the simulator takes for right: a call where one is forced, none without tools, else by id."""
    choice = item.grading.get("tool_choice")
    if not item.grading.get("tools") or choice == "none":
        return NOT_CALLED
    if choice == "required" or isinstance(choice, dict):
        return CALLED
    return CALLED if hashlib.sha256(item.sample_id.encode()).digest()[0] % 2 else NOT_CALLED


def _sent_digests(item: Item) -> tuple[str, ...]:
    return tuple(hashlib.sha256(STORE.sent(reference).content).hexdigest() for reference in item.images)
