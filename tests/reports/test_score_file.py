import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reports.score_columns import ScoreFileError
from reports.score_file import read_score_file


def _read(tmp_path: Path, content: str | bytes, suffix: str = ".csv") -> pd.DataFrame:
    path = tmp_path / f"scores{suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_score_file(path).frame


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("sample_id,epoch,score\na,1,1\nb,1,\n", id="plain"),
        pytest.param("sample_id,epoch,score\r\na,1,1.0\r\nb,1,\r\n", id="CRLF"),
        pytest.param("\ufeffsample_id,epoch,score\na,1,1\nb,1,\n", id="byte order mark"),
        pytest.param("epoch,unknown,score,sample_id\n1,x,1,a\n1,y,nan,b\n", id="other order, other columns"),
        pytest.param("Sample_ID , Epoch, Score\n a , 1, 1\nb,1.0,NaN\n", id="spaces and capitals"),
        pytest.param("item,epoch,score\na,1,True\nb,1,None\n", id="item, boolean and None"),
        pytest.param('"sample_id","epoch","score"\n"a","1","1e0"\n"b","1",""\n', id="quoted"),
        pytest.param("sample_id,epoch,score\n\na,1,+1.\nb,1,\n\n", id="blank lines"),
    ],
)
def test_csv_variants_read_alike(tmp_path: Path, content: str) -> None:
    frame = _read(tmp_path, content)
    assert frame["sample_id"].tolist() == ["a", "b"]
    assert frame["epoch"].tolist() == [1, 1]
    assert frame["score"][0] == 1.0 and np.isnan(frame["score"][1])
    assert frame["outcome"][0] == "correct" and pd.isna(frame["outcome"][1])


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([{"sample_id": 7, "epoch": 1, "score": 0.5}], id="numbers"),
        pytest.param([{"sample_id": "7", "epoch": "1", "score": "0.5"}], id="text"),
        pytest.param([{"id": 7, "epoch": 1.0, "score": 0.5, "more": {"deep": [1]}}], id="id, unknown keys"),
    ],
)
def test_json_lines_variants_read_alike(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    frame = _read(tmp_path, "\n".join(json.dumps(row) for row in rows), ".jsonl")
    assert frame[["sample_id", "epoch", "score"]].values.tolist() == [["7", 1, 0.5]]


def test_json_lines_may_leave_out_what_a_row_does_not_have(tmp_path: Path) -> None:
    lines = '{"sample_id":"a","epoch":1,"score":1,"answer":"x"}\n{"sample_id":"b","epoch":1,"score":NaN}\n'
    frame = _read(tmp_path, lines, ".jsonl")
    assert frame["answer"].tolist() == ["x", None]
    assert np.isnan(frame["score"][1])


@pytest.mark.parametrize(
    ("dtype", "ids"),
    [
        pytest.param("object", ["1", "2"], id="text ids"),
        pytest.param("int64", ["1", "2"], id="integer ids"),
        pytest.param("float64", ["1", "2"], id="whole float ids are integers"),
        pytest.param("category", ["1", "2"], id="dictionary"),
    ],
)
def test_parquet_types(tmp_path: Path, dtype: str, ids: list[str]) -> None:
    samples = pd.Series([1, 2]).astype(str if dtype in ("object", "category") else dtype)
    table = pd.DataFrame({"sample_id": samples.astype(dtype), "epoch": [1, 1], "score": [True, False]})
    table.to_parquet(tmp_path / "a.parquet")
    frame = read_score_file(tmp_path / "a.parquet").frame
    assert (frame["sample_id"].tolist(), frame["score"].tolist()) == (ids, [1.0, 0.0])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        pytest.param("a,1,1.5", r"row 2: score is 1.5; it must lie in \[0, 1\]", id="above 1"),
        pytest.param("a,1,-0.1", "row 2: score is -0.1", id="negative"),
        pytest.param("a,1,inf", "row 2: score is inf", id="infinite"),
        pytest.param("a,1,95%", "row 2: score is '95%'; it must be a number or empty", id="percent sign"),
        pytest.param("a,1,1_0", "row 2: score is '1_0'", id="underscore"),
        pytest.param("a,1,wrong", "row 2: score is 'wrong'", id="word"),
        pytest.param("a,one,1", "row 2: epoch is 'one'", id="epoch in words"),
        pytest.param("a,,1", "row 2: epoch is missing", id="no epoch"),
        pytest.param("a,1.5,1", "row 2: epoch is 1.5; it must be a whole number", id="fractional epoch"),
        pytest.param("a,-1,1", "row 2: epoch is -1", id="negative epoch"),
        pytest.param("a,99999999999,1", "row 2: epoch is 99999999999", id="absurd epoch"),
        pytest.param(",1,1", "row 2: sample_id is empty", id="no sample"),
        pytest.param("first,1,0", r"sample 'first', epoch 1 is there twice \(rows 1 and 2\)", id="duplicate"),
        pytest.param("a,1", "cannot be read as csv", id="too few cells"),
        pytest.param("a,1,1,9", "cannot be read as csv", id="too many cells"),
    ],
)
def test_rows_that_are_refused(tmp_path: Path, row: str, message: str) -> None:
    with pytest.raises(ScoreFileError, match=message):
        _read(tmp_path, f"sample_id,epoch,score\nfirst,1,1\n{row}\n")


@pytest.mark.parametrize(
    ("outcome", "score", "message"),
    [
        pytest.param("right", "1", "outcome is 'right'; it must be one of correct, incorrect", id="unknown"),
        pytest.param("correct", "0", "outcome is correct and score 0", id="correct without a point"),
        pytest.param("incorrect", "1", "outcome is incorrect and score 1", id="incorrect with all points"),
    ],
)
def test_outcomes_that_are_refused(tmp_path: Path, outcome: str, score: str, message: str) -> None:
    with pytest.raises(ScoreFileError, match=message):
        _read(tmp_path, f"sample_id,epoch,score,outcome\na,1,{score},{outcome}\n")


@pytest.mark.parametrize(
    ("outcome", "score", "expected"),
    [
        pytest.param("error", "0", ("error", None), id="an error never scores"),
        pytest.param("error", "", ("error", None), id="error without score"),
        pytest.param("correct", "", ("error", None), id="correct without score is missing"),
        pytest.param("Truncated", "0", ("truncated", 0.0), id="capitals"),
        pytest.param("", "1", ("correct", 1.0), id="empty outcome from the score"),
        pytest.param("", "", (None, None), id="both empty"),
    ],
)
def test_outcome_and_score_agree(
    tmp_path: Path, outcome: str, score: str, expected: tuple[str | None, float | None]
) -> None:
    frame = _read(tmp_path, f"sample_id,epoch,score,outcome\na,1,{score},{outcome}\nb,1,1,\n")
    found = frame.astype(object).where(frame.notna(), None).iloc[0]
    assert (found["outcome"], found["score"]) == expected


@pytest.mark.parametrize(
    ("content", "suffix", "message"),
    [
        pytest.param("", ".csv", "empty", id="empty file"),
        pytest.param("sample_id,epoch,score\n", ".csv", "no rows", id="header only"),
        pytest.param("\n\n", ".jsonl", "no column sample_id, epoch, score", id="blank lines only"),
        pytest.param(
            "sample_id,score\na,1\n", ".csv", r"no column epoch \(found: sample_id, score\)", id="no epoch"
        ),
        pytest.param("sample_id;epoch;score\na;1;1\n", ".csv", "no column", id="semicolons"),
        pytest.param("sample_id,epoch,score,score\na,1,1,0\n", ".csv", "score is there twice", id="twice"),
        pytest.param(b"\xff\xfes\x00", ".csv", "UTF-16", id="UTF-16"),
        pytest.param(b"sample_id,epoch,score\n\xe9,1,1\n", ".csv", "cannot be read as csv", id="Latin-1"),
        pytest.param('{"sample_id":"a"', ".jsonl", "line 1 is no JSON", id="cut JSON"),
        pytest.param("[1]\n", ".jsonl", "line 1 holds list", id="a list a line"),
        pytest.param(b"PAR1nonsense", ".parquet", "cannot be read as parquet", id="no parquet"),
        pytest.param("[" * 100_000, ".jsonl", "line 1 is no JSON", id="nested without end"),
        pytest.param(
            "sample_id,epoch,score,task\na,1,1,x\nb,1,1,\n",
            ".csv",
            "row 2: task is empty",
            id="task in some rows",
        ),
        pytest.param(
            "sample_id,epoch,score,fingerprint\na,1,1,f\nb,1,1,g\n", ".csv", "rows of 2 runs", id="two runs"
        ),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: str | bytes, suffix: str, message: str) -> None:
    with pytest.raises(ScoreFileError, match=message):
        _read(tmp_path, content, suffix)


def test_the_budget_not_the_answer_was_wrong(tmp_path: Path) -> None:
    frame = _read(tmp_path, "sample_id,epoch,score,stop_reason\na,1,0,length\nb,1,1,length\nc,1,0,stop\n")
    assert frame["outcome"].tolist() == ["truncated", "correct", "incorrect"]


def test_tasks_of_one_file_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("task,sample_id,epoch,score\nx,a,1,1\ny,a,1,0\n")
    assert set(read_score_file(path).facts) == {"x", "y"}
