import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from evals.flags.speed import command

HEADER = "task,sample_id,epoch,score,output_tokens,ttft_s,duration_s,finished_at,label,fingerprint\n"


def _run(path: Path, *, seconds: float, fingerprint: str = "f1", tokens: int = 1000) -> Path:
    rows = "".join(
        f"gpqa,q{i},1,{int(i % 4 > 0)},{tokens},0.5,{seconds},{100 + seconds},{path.stem},{fingerprint}\n"
        for i in range(8)
    )
    path.write_text(HEADER + rows)
    return path


def _call(*args: Any) -> Result:
    return CliRunner().invoke(command, [str(arg) for arg in args])


def test_one_run_reads_like_a_serving_benchmark(tmp_path: Path) -> None:
    result = _call(_run(tmp_path / "int4.csv", seconds=10), "--gpu-hour-price", 4.5, "--gpus", 8)
    lines = dict(line.rsplit(maxsplit=1) for line in result.stdout.splitlines() if "): " in line)
    assert lines["Output token throughput (tok/s):"] == "800.00"
    assert lines["Median TTFT (ms):"] == "500.00"
    assert lines["P99 E2E Latency (ms):"] == "10,000.00"
    assert lines["Mean TPOT (ms):"] == "9.51"
    assert "cost 0.100, 0.0167 a solved response, 12.50 a million output tokens" in result.stdout


def test_several_runs_give_one_table_the_cheapest_first(tmp_path: Path) -> None:
    slow, fast = _run(tmp_path / "int4.csv", seconds=20), _run(tmp_path / "nvfp4.csv", seconds=10)
    result = _call(slow, fast, "--gpu-hour-price", 4.5, "--gpus", 8)
    title, header, *rows = result.stdout.splitlines()
    assert (title, header.split()[:3]) == ("gpqa", ["run", "accuracy", "cost"])
    assert [row.split()[0] for row in rows] == ["nvfp4", "int4"]


def test_json_holds_every_run_and_null_for_what_is_not_known(tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text("task,sample_id,epoch,score\ngpqa,q1,1,1\n")
    result = _call(bare, _run(tmp_path / "int4.csv", seconds=10), "--price-per-million", 2, "--json")
    document = json.loads(result.stdout)
    assert [run["label"] for run in document["runs"]] == ["int4", "bare"]
    assert document["runs"][0]["cost"]["total"] == pytest.approx(0.016)
    assert document["runs"][1]["speed"] is None
    assert document["runs"][1]["cost"]["total"] is None
    assert document["runs"][0]["speed"]["client_bound"] is None


def test_runs_of_different_protocols_are_named(tmp_path: Path) -> None:
    one, two = _run(tmp_path / "a.csv", seconds=1), _run(tmp_path / "b.csv", seconds=1, fingerprint="f2")
    assert "different protocols" in _call(one, two).stdout


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        pytest.param(["--gpus", "8"], 2, "--gpu-hour-price", id="GPUs without a price"),
        pytest.param(["--price-per-million", "0"], 2, "above 0", id="free"),
        pytest.param(["--task", "mmmu"], 2, "they have gpqa", id="a task that was not run"),
    ],
)
def test_usage_errors(tmp_path: Path, args: list[str], code: int, message: str) -> None:
    result = _call(_run(tmp_path / "int4.csv", seconds=10), *args)
    assert result.exit_code == code
    assert message in result.stderr
