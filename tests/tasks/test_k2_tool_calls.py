"""The task's items and what its data must be."""

import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tasks.exam import ExamSource, load_exam
from tasks.k2_tool_calls import K2_TOOL_CALLS, PIN, last_user_text
from tasks.protocol import Overrides, resolve_spec
from tasks.rows import DataError
from tasks.spec import SpecError

REAL = Path(os.environ.get("QUANTCHECK_SHARED", Path(__file__).parents[3] / "shared")) / (
    "data/k2_tool_calls/samples_3rows.jsonl"
)
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


def ask(text, **more):
    return {"model": "m", "messages": [{"role": "user", "content": text}], "tools": [TOOL], **more}


@pytest.fixture
def samples(tmp_path):
    def write(*lines):
        path = tmp_path / "samples.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return path

    return write


def test_one_item_a_line(samples):
    path = samples(ask("first", tool_choice="auto"), "", ask("third"))
    exam = load_exam(K2_TOOL_CALLS, path=path, accept_changes=True)
    assert [item.sample_id for item in exam.items] == ["1", "3"]
    first = exam.items[0]
    assert (first.prompt, first.request) == ("first", ask("first", tool_choice="auto"))
    assert first.grading == {"tools": [TOOL], "tool_choice": "auto"}
    assert exam.dataset.is_pinned_content is False


def test_the_published_protocol():
    preset = K2_TOOL_CALLS.preset(None)
    assert (preset.name, preset.max_tokens, preset.epochs) == ("k2vv", 64_000, 1)
    assert (preset.thinking.temperature, preset.thinking.top_p) == (1.0, None)
    assert K2_TOOL_CALLS.max_connections == 256 and PIN.n_items == 2000
    assert PIN.file_sha256 == "0f9b50c9adce81880254840f7e98001f981ce6ea2b9cc4f6e6b51a07ddcd2144"


def test_another_number_of_rows_needs_consent(samples):
    with pytest.raises(
        DataError, match=r"has 1 rows, expected 2000; check the copy, or pass --accept-dataset"
    ):
        load_exam(K2_TOOL_CALLS, path=samples(ask("q")))


def test_the_official_file_is_recognised_by_its_bytes(samples):
    path = samples(ask("q"))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    pin = replace(PIN, n_items=1, file_sha256=digest)
    pinned = replace(K2_TOOL_CALLS, pins={None: pin})
    assert load_exam(pinned, path=path).dataset.is_pinned_content is True
    path.write_text(path.read_text() + "\n")
    assert load_exam(pinned, path=path).dataset.is_pinned_content is False


def test_broken_lines_are_refused_by_number(samples):
    path = samples(ask("q"), "{broken", "[]", ask("r"))
    with pytest.raises(
        DataError, match=r"2 of 4 lines hold no request \(line 2: not JSON .*, line 3: a JSON list"
    ):
        load_exam(K2_TOOL_CALLS, path=path)


def test_broken_lines_are_left_out_with_consent_and_told(samples):
    path = samples(ask("q"), *["{broken"] * 7, ask("r"))
    exam = load_exam(K2_TOOL_CALLS, source=ExamSource(path=path, accept_changes=True))
    assert [item.sample_id for item in exam.items] == ["1", "9"]
    assert any(note.startswith("left out: 7 of 9 lines") and "and 2 more" in note for note in exam.notes)


def test_nothing_but_broken_lines_is_refused_with_consent_too(samples):
    with pytest.raises(DataError, match="2 of 2 lines hold no request"):
        load_exam(K2_TOOL_CALLS, path=samples("{", "{"), accept_changes=True)


def test_a_number_that_stands_twice_is_refused(samples):
    result = {"data_index": 5, "request": ask("q")}
    with pytest.raises(DataError, match="sample id '5' stands more than once"):
        load_exam(K2_TOOL_CALLS, path=samples(result, result), accept_changes=True)


def test_without_a_copy_the_way_to_one_is_named():
    with pytest.raises(
        DataError, match=r"give a local copy with --dataset-path: samples.jsonl or tool-calls.tar.gz"
    ):
        load_exam(K2_TOOL_CALLS)


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        pytest.param(
            [{"role": "user", "content": "a"}, {"role": "tool", "content": "b"}], "a", id="before a tool"
        ),
        pytest.param(
            [{"role": "user", "content": [{"type": "text", "text": "a"}, {"text": "b"}]}], "a\nb", id="parts"
        ),
        pytest.param([{"role": "user", "content": None}], "", id="null"),
        pytest.param([{"role": "system", "content": "s"}], "", id="nobody asks"),
        pytest.param(["odd", {"role": "user"}], "", id="odd messages"),
        pytest.param(
            [{"role": "user", "content": [{"type": "image_url"}, "x"]}], "", id="parts without text"
        ),
    ],
)
def test_the_last_user_text(messages, text):
    assert last_user_text({"messages": messages}) == text


def test_both_ways_doubles_the_epochs_and_changes_the_fingerprint(samples):
    dataset = load_exam(K2_TOOL_CALLS, path=samples(ask("q")), accept_changes=True).dataset

    def spec(**options):
        return resolve_spec(K2_TOOL_CALLS, dataset, overrides=Overrides(epochs=2, options=options))

    assert (spec().epochs, spec(both_ways=True).epochs) == (2, 4)
    prints = {spec().fingerprint, spec(both_ways=True).fingerprint, spec(stream=False).fingerprint}
    assert len(prints) == 3
    with pytest.raises(SpecError, match="--both-ways"):
        spec(both_ways=True, stream=True)


@pytest.mark.skipif(not REAL.exists(), reason="the public sample rows are not here")
def test_the_real_rows_are_read_whole():
    items = load_exam(K2_TOOL_CALLS, path=REAL, accept_changes=True).items
    lines = [json.loads(line) for line in REAL.read_text(encoding="utf-8").splitlines()]
    assert len(items) == 3
    for item, line in zip(items, lines, strict=True):
        given = json.dumps(line).replace('"role": "_input"', '"role": "system"')
        assert json.dumps(item.request) == given
        assert item.prompt and item.grading["tools"] == line["tools"]
