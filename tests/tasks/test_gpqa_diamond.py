from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.exam import ExamSource, load_exam
from tasks.gpqa_diamond import GPQA_DIAMOND, grade
from tasks.rows import DataError
from verifiers.outcome import Outcome
from verifiers.response import Response

Rows = Callable[..., list[dict[str, Any]]]
Write = Callable[..., Path]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "json", "parquet"])
def test_every_format_is_the_same_exam(gpqa_rows: Rows, write_rows: Write, suffix: str) -> None:
    exam = load_exam(GPQA_DIAMOND, path=write_rows(f"gpqa.{suffix}", gpqa_rows()))
    assert exam.dataset.n_items == 198
    assert exam.dataset.content_hash == "ec6d6e80d19651a9"
    assert exam.items[5].sample_id == "rec0005"
    assert exam.items[5].category == "Astrophysics"


def test_gold_letters_are_spread_and_belong_to_the_right_option(gpqa_rows: Rows, write_rows: Write) -> None:
    items = load_exam(GPQA_DIAMOND, path=write_rows("gpqa.csv", gpqa_rows())).items
    counts = Counter(item.target for item in items)
    assert all(0.15 * 198 <= counts[letter] <= 0.35 * 198 for letter in "ABCD")
    for number, item in enumerate(items):
        assert f"{item.target}. right {number}\n" in f"{item.prompt}\n"


def test_the_order_depends_on_the_record_id_and_on_nothing_else(gpqa_rows: Rows, write_rows: Write) -> None:
    rows = gpqa_rows()
    forth = load_exam(GPQA_DIAMOND, path=write_rows("a.csv", rows))
    back = load_exam(GPQA_DIAMOND, path=write_rows("b.csv", rows[::-1]))
    assert {item.sample_id: item.prompt for item in forth.items} == {
        item.sample_id: item.prompt for item in back.items
    }
    assert forth.dataset.content_hash == back.dataset.content_hash
    moved = [row | {"Record ID": f"other{number}"} for number, row in enumerate(rows)]
    other = load_exam(GPQA_DIAMOND, path=write_rows("c.csv", moved))
    assert other.dataset.content_hash != forth.dataset.content_hash


def test_texts_are_stripped_and_ids_are_made_where_there_are_none(gpqa_rows: Rows, write_rows: Write) -> None:
    rows = gpqa_rows()
    plain = load_exam(GPQA_DIAMOND, path=write_rows("a.jsonl", rows)).items
    padded = [row | {"Correct Answer": f"  {row['Correct Answer']} \n"} for row in rows]
    assert load_exam(GPQA_DIAMOND, path=write_rows("b.jsonl", padded)).items == plain
    renamed = [{name.lower().replace(" ", "_"): value for name, value in row.items()} for row in rows]
    assert load_exam(GPQA_DIAMOND, path=write_rows("r.jsonl", renamed)).items == plain
    anonymous = [{key: value for key, value in row.items() if key != "Record ID"} for row in rows]
    items = load_exam(GPQA_DIAMOND, path=write_rows("c.jsonl", anonymous)).items
    assert len({item.sample_id for item in items}) == 198


def test_moving_the_options_each_epoch_puts_the_right_one_in_every_place(
    gpqa_rows: Rows, write_rows: Write
) -> None:
    path = write_rows("gpqa.csv", gpqa_rows())
    fixed = load_exam(GPQA_DIAMOND, path=path).items[0]
    source = ExamSource(path=path, options={"shuffle_per_epoch": True})
    moved = load_exam(GPQA_DIAMOND, source=source).items[0]
    assert fixed.forms == ()
    assert (moved.forms[0].prompt, moved.forms[0].target) == (fixed.prompt, fixed.target)
    assert sorted(form.target for form in moved.forms) == ["A", "B", "C", "D"]
    for form in moved.forms:
        assert f"{form.target}. right 0\n" in f"{form.prompt}\n"


@pytest.mark.parametrize("field", ["options", "choices"])
def test_a_copy_with_lettered_options_is_put_in_the_same_kind_of_order(write_rows: Write, field: str) -> None:
    rows = [
        {
            "id": f"r{number}",
            "question": f"Made-up {number}?",
            field: [f"{number}.{place}" for place in range(4)],
            "answer": "ABCD"[number % 4],
        }
        for number in range(198)
    ]
    items = load_exam(GPQA_DIAMOND, path=write_rows("a.jsonl", rows)).items
    for number, item in enumerate(items):
        assert f"{item.target}. {number}.{number % 4}\n" in f"{item.prompt}\n"
    for row in rows:
        row["answer"] = "D"
    with pytest.raises(DataError, match="gold label distribution is constant"):
        load_exam(GPQA_DIAMOND, path=write_rows("b.jsonl", rows))


def test_a_wrong_option_that_reads_like_the_right_one_is_right_too(
    gpqa_rows: Rows, write_rows: Write
) -> None:
    rows = gpqa_rows()
    rows[0]["Incorrect Answer 2"] = f" {rows[0]['Correct Answer']} "
    rows[1]["Incorrect Answer 3"] = rows[1]["Incorrect Answer 1"]
    items = load_exam(GPQA_DIAMOND, path=write_rows("a.csv", rows)).items
    first, second = items[0], items[1]
    equal = first.grading["equal"]
    assert len(equal) == 2 and first.target in equal
    for letter in "ABCD":
        response = Response(content=f"Answer: {letter}", finish_reason="stop")
        verdict = grade(response, first.target, first.grading)
        assert verdict.outcome is (Outcome.CORRECT if letter in equal else Outcome.INCORRECT)
        assert verdict.flags == ("duplicate_options",)
    assert second.grading["equal"] == [second.target]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"Correct Answer": "  "}, "correct_answer", id="an empty right answer"),
        pytest.param({"Incorrect Answer 2": ""}, "incorrect_answer_2", id="an empty wrong answer"),
        pytest.param({"Question": ""}, "question", id="no question"),
    ],
)
def test_an_empty_text_is_refused_by_field_and_row_and_nothing_is_quoted(
    gpqa_rows: Rows, write_rows: Write, change: dict[str, str], message: str
) -> None:
    rows = gpqa_rows()
    rows[3] |= change
    with pytest.raises(DataError, match=message) as refusal:
        load_exam(GPQA_DIAMOND, path=write_rows("a.csv", rows))
    assert "row 3" in str(refusal.value)
    assert "Made-up" not in str(refusal.value) and "right 3" not in str(refusal.value)


def test_a_copy_of_another_size_is_refused(gpqa_rows: Rows, write_rows: Write) -> None:
    path = write_rows("a.csv", gpqa_rows(150))
    with pytest.raises(DataError, match="has 150 rows, expected 198"):
        load_exam(GPQA_DIAMOND, path=path)
    assert load_exam(GPQA_DIAMOND, path=path, accept_changes=True).dataset.n_items == 150


@pytest.mark.parametrize("offline", ["1", "0"])
def test_without_the_data_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch, offline: str) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", offline)
    for module in ("huggingface_hub.constants", "datasets.config"):  # they read the variable once, at import
        monkeypatch.setattr(f"{module}.HF_HUB_OFFLINE", offline == "1")
    monkeypatch.setenv("HF_HOME", "/nonexistent")
    monkeypatch.setattr("tasks.hub_reader.get_token", lambda: None)
    monkeypatch.setattr("socket.create_connection", _no_network)
    with pytest.raises(DataError) as refusal:
        load_exam(GPQA_DIAMOND)
    for words in ("Idavidrein/gpqa", "accept the terms", "HF_TOKEN", "--dataset-path"):
        assert words in str(refusal.value)


def _no_network(*_: Any, **__: Any) -> None:
    raise AssertionError("the network was tried")
