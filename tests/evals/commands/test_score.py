import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals.cli import run_command_line

Score = Callable[..., Any]
GOOD = {"id": "q1", "response": "Answer: B", "target": "B"}


class Scored:
    """What one call of ``quantcheck score`` gave."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def score(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Score:
    """Return a function that scores rows (or raw bytes) and gives exit code, stdout and stderr."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))

    def run(task: str, rows: list[Any] | bytes, *options: str) -> Scored:
        text = rows if isinstance(rows, bytes) else b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        path = tmp_path / "responses.jsonl"
        path.write_bytes(text)
        capsys.readouterr()
        code = run_command_line(["score", task, str(path), *options])
        said = capsys.readouterr()
        return Scored(code, said.out, said.err)

    return run


def test_rows_go_to_stdout_and_the_summary_to_stderr(score: Score) -> None:
    scored = score("gpqa_diamond", [GOOD, GOOD | {"id": 7, "epoch": 2, "response": "Answer: C"}])
    assert scored.code == 0
    assert [
        (row["id"], row["epoch"], row["outcome"], row["score"], row["answer"]) for row in scored.rows
    ] == [
        ("q1", 1, "correct", 1.0, "B"),
        (7, 2, "incorrect", 0.0, "C"),
    ]
    assert set(scored.rows[0]) >= {"id", "epoch", "outcome", "score", "answer", "flags", "reason"}
    assert "accuracy 50.00%" in scored.err
    assert "PARTIAL" in scored.err


def test_one_json_document_holds_summary_and_rows(score: Score) -> None:
    scored = score("gpqa_diamond", [GOOD], "--json")
    document = json.loads(scored.out)
    assert document["schema"] == 1
    assert (document["n"], document["accuracy"]["value"]) == (1, 1.0)
    assert document["accuracy"]["low"] < 1.0
    assert document["outcomes"] == {
        "correct": 1,
        "incorrect": 0,
        "no_answer": 0,
        "truncated": 0,
        "error": 0,
    }
    assert document["rows"][0]["answer"] == "B"


def test_rows_go_to_the_file_named_and_then_not_into_the_document(score: Score, tmp_path: Path) -> None:
    out = tmp_path / "new" / "graded.jsonl"
    scored = score("gpqa_diamond", [GOOD, GOOD], "--out", str(out), "--json")
    assert "rows" not in json.loads(scored.out)
    assert len(out.read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        pytest.param(b"{", "not JSON", id="broken JSON"),
        pytest.param(b"[1]", "an object is expected", id="a list"),
        pytest.param(b'{"id": "x", "response": "\xff"}', "not JSON", id="not UTF-8"),
        pytest.param(b'{"id": "x", "target": "B"}', "no response", id="no response"),
        pytest.param(
            b'{"id": "x", "response": "y", "target": "E"}', "'E'", id="a target outside the options"
        ),
        pytest.param(
            b'{"id": "x", "response": "y", "target": "B", "n_options": 99}', "n_options", id="99 options"
        ),
        pytest.param(
            b'{"id": "x", "response": "y", "target": "B", "options": ["a", "b"], "n_options": 3}',
            "options",
            id="options and their number disagree",
        ),
    ],
)
def test_a_bad_row_is_named_by_its_line_and_nothing_is_written(
    score: Score, tmp_path: Path, bad: bytes, named: str
) -> None:
    good = json.dumps(GOOD).encode()
    out = tmp_path / "graded.jsonl"
    scored = score("gpqa_diamond", good + b"\n\n" + bad + b"\n" + good, "--out", str(out))
    assert scored.code == 5
    assert "line 3" in scored.err and named in scored.err
    assert not out.exists() and scored.out == ""


def test_an_empty_file_and_a_missing_one_are_refused(score: Score, tmp_path: Path) -> None:
    assert score("aime25", b"\n").code == 5
    assert run_command_line(["score", "aime25", str(tmp_path / "none.jsonl")]) == 5
    assert run_command_line(["score", "nonsense", str(tmp_path / "none.jsonl")]) == 2


def test_targets_come_from_the_dataset_by_id(score: Score, tmp_path: Path) -> None:
    data = tmp_path / "aime.jsonl"
    problems = [{"id": str(n), "problem": f"made up {n}", "answer": str(n)} for n in range(30)]
    data.write_text("\n".join(map(json.dumps, problems)))
    rows = [{"id": "aime25-7", "response": "\\boxed{7}"}, {"id": 8, "response": "\\boxed{9}"}]
    options = ("--dataset-path", str(data), "--accept-dataset")
    assert [row["outcome"] for row in score("aime25", rows, *options).rows] == ["correct", "incorrect"]
    unknown = score("aime25", [*rows, {"id": "aime25-99", "response": "x"}], *options)
    assert unknown.code == 5
    assert "line 3" in unknown.err and "aime25-99" in unknown.err


def test_without_dataset_and_target_the_way_out_is_named(score: Score) -> None:
    scored = score("gpqa_diamond", [{"id": "rec1", "response": "Answer: B"}])
    assert scored.code == 5
    for words in ("Idavidrein/gpqa", "accept the terms", "HF_TOKEN", "--dataset-path"):
        assert words in scored.err


def test_an_incomplete_stream_is_an_error_and_never_a_score(score: Score) -> None:
    delta = {"choices": [{"index": 0, "delta": {"content": "\\boxed{7}"}, "finish_reason": None}]}
    (row,) = score("aime25", [{"id": "a", "chunks": [delta], "target": "7"}]).rows
    assert (row["outcome"], row["score"], row["answer"]) == ("error", None, None)
    assert "incomplete" in row["reason"]


def test_an_error_body_is_an_error_with_the_servers_words(score: Score) -> None:
    raw = {"error": {"message": "maximum context length is 1000 tokens", "code": "context_length_exceeded"}}
    (row,) = score("aime25", [{"id": "a", "raw": raw, "target": "70"}]).rows
    assert (row["outcome"], row["score"]) == ("error", None)
    assert "maximum context length" in row["reason"]


def test_result_files_of_mmmu_pro_are_read_as_they_are(score: Score) -> None:
    row = {"id": "x", "response": "Answer: B", "options": "['1', '2', '3']", "answer": "B", "subject": "Art"}
    document = json.loads(score("mmmu_pro", [row], "--variant", "vision", "--json").out)
    assert document["variant"] == "vision"
    assert document["rows"][0]["outcome"] == "correct"
    assert document["categories"] == [
        {"category": "Art", "n_items": 1, "n": 1, "correct": 1, "accuracy": 1.0}
    ]


def test_a_whole_ocrbench_scores_of_1000(score: Score) -> None:
    groups = {"Regular Text Recognition": 300, "Doc-oriented VQA": 700}
    names = [name for name, n in groups.items() for _ in range(n)]
    rows = [
        {"id": n, "response": f"w{n}" if n % 2 else "", "answers": f"w{n}", "category": name}
        for n, name in enumerate(names)
    ]
    document = json.loads(score("ocrbench", rows, "--json").out)
    assert document["score_of_1000"] == 500
    assert [(row["group"], row["correct"], row["n"]) for row in document["groups"]] == [
        ("Text Recognition", 150, 300),
        ("Doc-oriented VQA", 350, 700),
    ]
    assert document["secondary"] == {"exact": 0.5}


def test_a_constant_target_and_repeated_rows_are_told(score: Score) -> None:
    rows = [GOOD | {"id": f"q{n}"} for n in range(30)]
    document = json.loads(score("gpqa_diamond", [*rows, rows[0]], "--json").out)
    assert any("gold label distribution is constant" in words for words in document["warnings"])
    assert any("more than once" in words for words in document["warnings"])


def test_partial_results_stand_beside_their_coverage(score: Score) -> None:
    rows = [GOOD | {"id": f"q{n % 198}", "epoch": n // 198 + 1, "target": "ABCD"[n % 4]} for n in range(553)]
    rows[-1] |= {"epoch": 4}
    scored = score("gpqa_diamond", rows, "--json")
    document = json.loads(scored.out)
    assert (document["n"], document["expected"]) == (553, 792)
    assert document["coverage"] == pytest.approx(553 / 792)
    assert "PARTIAL: 69.8% of 792 responses" in scored.err


def test_moved_options_are_graded_by_their_epoch(score: Score, tmp_path: Path) -> None:
    data = tmp_path / "gpqa.jsonl"
    fields = ["Correct Answer", *(f"Incorrect Answer {n}" for n in (1, 2, 3))]
    table = [
        {"Record ID": f"r{n}", "Question": f"made up {n}", **{f: f"{f} {n}" for f in fields}}
        for n in range(30)
    ]
    data.write_text("\n".join(map(json.dumps, table)))
    rows = [
        {"id": "r3", "epoch": epoch, "response": f"Answer: {letter}"}
        for epoch in (1, 2, 3, 4)
        for letter in "ABCD"
    ]
    options = ("--dataset-path", str(data), "--accept-dataset")
    fixed = [row["answer"] for row in score("gpqa_diamond", rows, *options).rows if row["score"]]
    moved = [
        row["answer"]
        for row in score("gpqa_diamond", rows, *options, "--shuffle-per-epoch").rows
        if row["score"]
    ]
    assert len(set(fixed)) == 1 and len(fixed) == 4
    assert sorted(moved) == ["A", "B", "C", "D"]
