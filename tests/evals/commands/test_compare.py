import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from evals.exit_code import CommandError
from evals.flags.compare import command


def _grid(path: Path, n_items: int, n_epochs: int, right: int) -> Path:
    """Write a score file whose first ``right`` items are always right, the others never."""
    rows = [
        f"a{item},{epoch},{int(item < right)}" for item in range(n_items) for epoch in range(1, n_epochs + 1)
    ]
    path.write_text("\n".join(["sample_id,epoch,score", *rows]) + "\n")
    return path


def _run(tmp_path: Path, *args: str, base: int = 90, cand: int = 90) -> Result:
    baseline = _grid(tmp_path / "base.csv", 100, 4, base)
    candidate = _grid(tmp_path / "cand.csv", 100, 4, cand)
    out = [] if "--out" in args else ["--out", str(tmp_path / "out")]
    return CliRunner().invoke(command, [str(baseline), str(candidate), *out, *args])


@pytest.mark.parametrize(
    ("cand", "margin", "code"),
    [
        pytest.param(90, "0.02", 0, id="equal: pass"),
        pytest.param(60, "0.02", 1, id="far worse: regression"),
        pytest.param(90, "0", 3, id="no loss at all cannot be shown: inconclusive"),
    ],
)
def test_exit_codes(tmp_path: Path, cand: int, margin: str, code: int) -> None:
    result = _run(tmp_path, "--margin", margin, cand=cand)
    assert result.exit_code == code, result.output


def test_invalid_is_exit_4(tmp_path: Path) -> None:
    baseline = _grid(tmp_path / "base.csv", 100, 4, 90)
    candidate = _grid(tmp_path / "cand.csv", 60, 4, 60)
    result = CliRunner().invoke(command, [str(baseline), str(candidate), "--out", str(tmp_path / "out")])
    assert result.exit_code == 4
    assert "INVALID" in result.stdout


def test_json_is_one_document_and_nothing_else(tmp_path: Path) -> None:
    result = _run(tmp_path, "--json", "--margin", "0.02")
    document = json.loads(result.stdout)
    assert document["verdict"] == "pass"
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == document
    assert "report.md" in result.stderr


@pytest.mark.parametrize(
    ("cand", "code"),
    [
        pytest.param(90, 0, id="as sampling explains: pass"),
        pytest.param(60, 4, id="far apart: not one checkpoint"),
    ],
)
def test_one_checkpoint_twice_shows_the_noise_floor(tmp_path: Path, cand: int, code: int) -> None:
    result = _run(tmp_path, "--a-a", "--json", cand=cand)
    assert result.exit_code == code
    (task,) = json.loads(result.stdout)["tasks"]
    assert task["reason"].startswith("noise floor: the runs differ by")
    assert task["noise_floor"]["expected_error"] > 0


def test_the_reports_go_where_labels_say(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [str(_grid(tmp_path / name, 10, 2, 9)) for name in ("a b.csv", "c.csv")]
    CliRunner().invoke(command, paths)
    assert (tmp_path / "compare" / "a_b-vs-c" / "report.md").is_file()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["--margin", "1.4"], "one percentage point is 0.01", id="margin in points"),
        pytest.param(["--margin", "1%"], "--margin 1%: is no fraction", id="percent"),
        pytest.param(["--margin", "-0.01"], "no fraction from 0", id="negative margin"),
        pytest.param(["--margin", "nan"], "no fraction", id="no number"),
        pytest.param(["--margin", "x="], "no fraction", id="no value"),
        pytest.param(["--margin", "0.1", "--margin", "0.2"], "there is a margin already", id="two margins"),
        pytest.param(
            ["--margin", "other=0.1"], "'other' is no task of these runs", id="unknown task's margin"
        ),
        pytest.param(["--confidence", "95"], "must lie from 0.5 to below 1", id="confidence in percent"),
        pytest.param(["--max-error-rate", "2"], r"must lie in [0, 1]", id="error rate"),
        pytest.param(["--task", "x", "--task", "y"], "'x' is no task of these runs", id="unknown task"),
    ],
)
def test_usage_errors(tmp_path: Path, args: list[str], message: str) -> None:
    result = _run(tmp_path, *args)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_out_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = _run(tmp_path, "--out", str(tmp_path / "file" / "below"))
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_a_side_that_cannot_be_read_is_exit_4(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    result = CliRunner().invoke(command, [str(tmp_path / "empty.csv"), str(tmp_path / "empty.csv")])
    assert isinstance(result.exception, CommandError)
    assert result.exception.code == 4


def test_nothing_in_common_still_gives_a_document(tmp_path: Path) -> None:
    for name in ("x", "y"):
        (tmp_path / f"{name}.csv").write_text(f"task,sample_id,epoch,score\n{name},a,1,1\n")
    paths = [str(tmp_path / f"{name}.csv") for name in ("x", "y")]
    result = CliRunner().invoke(command, [*paths, "--json"])
    assert isinstance(result.exception, CommandError)
    assert json.loads(result.stdout)["verdict"] == "invalid"
