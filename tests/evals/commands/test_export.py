import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evals.flags.compare import command as compare
from evals.flags.export import command as export

ROWS = """task,sample_id,epoch,outcome,score,answer,output_tokens,seed,flags,content_hash,secondary,expected
x,a,1,correct,1,"70, or
so",5,9007199254740993,loop;late,h1,"{""bleu"":0.5}",6
x,a,2,truncated,0,,,,,h1,,6
x,b,1,error,,,,,,h2,,6
x,b,2,,,,,,,h2,,6
x,c,1,incorrect,0.25,,,,,h3,,6
"""


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_compare_reads_an_export_back_to_the_same_result(tmp_path: Path, suffix: str) -> None:
    source, copy = tmp_path / "run.csv", tmp_path / "copy" / f"run.{suffix}"
    source.write_text(ROWS)
    assert CliRunner().invoke(export, [str(source), "--out", str(copy)]).exit_code == 0
    documents = []
    for path in (source, copy):
        result = CliRunner().invoke(compare, [str(path), str(path), "--json", "--out", str(tmp_path / "out")])
        documents.append(json.loads(result.stdout)["tasks"])
    assert documents[0] == documents[1]


def test_json_lines_keep_every_value(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(ROWS)
    result = CliRunner().invoke(export, [str(tmp_path / "run.csv"), "--format", "jsonl"])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [(row["epoch"], row["sample_id"]) for row in rows[:3]] == [(1, "a"), (1, "b"), (1, "c")]
    first, _, last, *_ = rows
    assert first["answer"] == "70, or\nso"
    assert first["seed"] == 9007199254740993
    assert first["flags"] == ["loop", "late"]
    assert first["secondary"] == {"bleu": 0.5}
    assert (last["score"], last["output_tokens"]) == (0.25, None)


def test_csv_goes_to_stdout_by_default(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(ROWS)
    result = CliRunner().invoke(export, [str(tmp_path / "run.csv")])
    assert result.stdout.startswith("task,sample_id,epoch,outcome,score,answer,stop_reason,")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["--format", "parquet"], "name a file with --out", id="binary to a terminal"),
        pytest.param(["--format", "xlsx"], "is not one of", id="unknown format"),
        pytest.param(["--out", "{file}/x.csv"], "cannot be written", id="not a directory"),
    ],
)
def test_usage_errors(tmp_path: Path, args: list[str], message: str) -> None:
    (tmp_path / "run.csv").write_text(ROWS)
    filled = [arg.format(file=tmp_path / "run.csv") for arg in args]
    result = CliRunner().invoke(export, [str(tmp_path / "run.csv"), *filled])
    assert result.exit_code == 2
    assert message in result.stderr
