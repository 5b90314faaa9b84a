"""An answer book out of the real benchmarks, so that the simulator can play them."""

from collections.abc import Iterable, Sequence

from evals.simulator.answers import AnswerBook, AnswerEntry, AnswerKind
from tasks.benchmark import Benchmark, Item


def entries_of(benchmark: Benchmark, items: Sequence[Item]) -> Iterable[AnswerEntry]:
    """Yield one entry an item, with the prompt exactly as a run sends it."""
    for item in items:
        yield AnswerEntry(
            task=benchmark.name,
            sample_id=item.sample_id,
            prompt_text=item.prompt,
            target=(item.target,),
            kind=AnswerKind(benchmark.answer_kind),
            n_options=item.grading.get("n_options"),
            n_images=len(item.images),
        )


def book_of(*exams: tuple[Benchmark, Sequence[Item]]) -> AnswerBook:
    """Return the book of several benchmarks."""
    return AnswerBook.from_entries(
        entry for benchmark, items in exams for entry in entries_of(benchmark, items)
    )
