import hashlib
import io
from typing import Any

from PIL import Image

from evals.simulator.answers import PromptKey, prompt_digest
from evals.simulator.exams import book_of, entries_of
from tasks.benchmark import Item, ItemForm
from tasks.catalog import find_benchmark
from tasks.images import STORE

OCRBENCH, GPQA = find_benchmark("ocrbench"), find_benchmark("gpqa_diamond")


def image(colour: int, mode: str = "RGB") -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, (8, 8), (colour,) * len(mode)).save(buffer, format="PNG")
    return buffer.getvalue()


def item(name: str, prompt: str, *images: bytes, **more: Any) -> Item:
    given: dict[str, Any] = {"target": "x", "grading": {"answers": ["x", "y"]}, "content_hash": name, **more}
    return Item(sample_id=name, prompt=prompt, images=tuple(map(STORE.keep, images)), **given)


def test_items_that_share_a_prompt_are_told_apart_by_the_bytes_they_send() -> None:
    clear = image(7, "RGBA")  # sent as another file than it is
    book = book_of(
        (OCRBENCH, [item("a", "same", image(1)), item("b", "same", clear), item("c", "other", image(1))])
    )
    for name, content in (("a", image(1)), ("b", STORE.sent(STORE.keep(clear)).content)):
        digest = hashlib.sha256(content).hexdigest()
        found = book.find(PromptKey(text_digest=prompt_digest("same"), image_sha256=(digest,)))
        assert found is not None and found.sample_id == name
    alone = book.find(PromptKey(text_digest=prompt_digest("other"), image_sha256=("whatever",)))
    assert alone is not None and (alone.n_images, alone.image_sha256) == (1, ())


def test_all_references_are_accepted_answers() -> None:
    (entry,) = entries_of(OCRBENCH, [item("a", "p", image(1))])
    assert entry.target == ("x", "y")


def test_twins_are_known_as_the_first_of_them() -> None:
    entries = list(entries_of(OCRBENCH, [item("a", "same", image(1)), item("b", "same", image(1))]))
    assert [entry.sample_id for entry in entries] == ["a"]


def test_every_form_of_an_item_is_the_same_sample() -> None:
    forms = tuple(
        ItemForm(prompt=f"form {letter}", target=letter, grading={"n_options": 4}) for letter in "CAB"
    )
    book = book_of((GPQA, [item("a", "form C", target="C", grading={"n_options": 4}, forms=forms)]))
    assert len(book.entries) == 1
    for form in forms:
        found = book.find(PromptKey(text_digest=prompt_digest(form.prompt)))
        assert found is not None
        assert (found.sample_id, found.target) == ("a", (form.target,))
