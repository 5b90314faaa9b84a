"""The answer book: what a request is found by, and what no book can hold."""

import json

import pytest

from evals.simulator.answer_file import read_answer_book
from evals.simulator.answers import (
    AnswerBook,
    AnswerBookError,
    AnswerKind,
    PromptKey,
    messages_digest,
    prompt_digest,
)


def find(book: AnswerBook, text: str, **more: object) -> str | None:
    found = book.find(PromptKey(text_digest=prompt_digest(text), **more))
    return found.sample_id if found else None


def test_white_space_and_unicode_form_do_not_matter(entry):
    book = AnswerBook.from_entries([entry("a", prompt_text="Caf\u00e9  au\nlait")])
    assert find(book, " Cafe\u0301 au lait\n") == "a"
    assert find(book, "Cafe au lait") is None


def test_images_tell_apart_samples_with_one_question(entry):
    book = AnswerBook.from_entries(
        [entry(name, prompt_text="Read.", image_sha256=(name,)) for name in ("a", "b")]
    )
    assert (find(book, "Read.", image_sha256=("b",)), find(book, "Read.")) == ("b", None)


def test_conversations_tell_apart_samples_that_end_alike(entry):
    digests = {name: messages_digest([{"role": "system", "content": name}]) for name in ("a", "b")}
    book = AnswerBook.from_entries(
        [entry(name, prompt_text="Go on", messages_sha256=digest) for name, digest in digests.items()]
    )
    assert find(book, "Go on", messages_sha256=digests["b"]) == "b"


def test_a_text_alone_finds_its_sample_whatever_else_is_sent(entry):
    book = AnswerBook.from_entries([entry("a")])
    assert find(book, "Problem a", image_sha256=("x",), messages_sha256="y") == "a"


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        pytest.param(
            {"sample_id": "b", "prompt_text": "Problem a"}, "same prompt", id="two samples, one prompt"
        ),
        pytest.param({"sample_id": "a", "prompt_text": "Other"}, "stands twice", id="one id, two prompts"),
        pytest.param({"sample_id": "b", "target": ("x",)}, "whole number", id="integer that is none"),
        pytest.param(
            {"sample_id": "b", "target": ("E",), "kind": AnswerKind.CHOICE},
            "letter of ABCD",
            id="letter beyond the options",
        ),
        pytest.param(
            {"sample_id": "b", "target": ("maybe",), "kind": AnswerKind.TOOL},
            "tool_calls or stop",
            id="tool label",
        ),
        pytest.param(
            {"sample_id": "b", "target": (" ",), "kind": AnswerKind.OCR}, "not blank", id="blank text"
        ),
    ],
)
def test_books_that_cannot_be(entry, second, problem):
    with pytest.raises(AnswerBookError, match=problem):
        AnswerBook.from_entries([entry("a"), entry(**second)])


ROW = {"task": "t", "sample_id": "1", "prompt_text": "p", "target": "7", "kind": "integer"}


def test_a_file_is_read(tmp_path):
    path = tmp_path / "book.jsonl"
    rows = [
        ROW,
        {**ROW, "sample_id": "2", "prompt_text": "q", "kind": "ocr", "target": ["a", "b"], "n_images": 1},
    ]
    path.write_text("\n\n".join(map(json.dumps, rows)) + "\n")
    first, second = read_answer_book(path).entries
    assert (first.target, first.kind, second.target, second.n_images) == (("7",), "integer", ("a", "b"), 1)


@pytest.mark.parametrize(
    "change",
    [
        {"task": None},
        {"sample_id": 3},
        {"prompt_text": ["p"]},
        {"target": []},
        {"target": 7},
        {"target": ["a", 1]},
        {"kind": "essay"},
        {"kind": ["ocr"]},
        {"n_images": -1},
        {"n_images": True},
        {"n_options": 1},
        {"n_options": "4"},
        {"image_sha256": 3},
        {"messages_sha256": 3},
    ],
    ids=str,
)
def test_a_bad_row_is_named_by_line_and_field(tmp_path, change):
    path = tmp_path / "book.jsonl"
    path.write_text(json.dumps(ROW) + "\n" + json.dumps({**ROW, "sample_id": "2", **change}) + "\n")
    with pytest.raises(AnswerBookError, match=f"line 2: {next(iter(change))} is "):
        read_answer_book(path)


@pytest.mark.parametrize("line", ["{", "[]", "3"], ids=str)
def test_a_line_that_is_no_object_is_named(tmp_path, line):
    path = tmp_path / "book.jsonl"
    path.write_text(line)
    with pytest.raises(AnswerBookError, match="line 1"):
        read_answer_book(path)
