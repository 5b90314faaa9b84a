import json
from pathlib import Path
from typing import Any

import pytest

from evals.cli import run_command_line
from tests.reports.conftest import LogBuilder

LOGS = LogBuilder()


def _nights(root: Path, n: int, **facts: Any) -> None:
    for day in range(1, n + 1):
        LOGS.run(
            root / f"night-{day:02d}",
            LOGS.grid(6, 2),
            started=f"2026-01-{day:02d}T02:00:00+00:00",
            label=facts.get("label", "nvfp4").format(day=day),
            task=facts.get("task", "aime25"),
            endpoint={"engine": "vllm", "version": "0.9.1"},
            n_items=6,
        )


def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _nights(tmp_path, 3)
    assert run_command_line(["trend", str(tmp_path), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (series,) = document["series"]
    assert [run["started"][:10] for run in series["runs"]] == ["2026-01-01", "2026-01-02", "2026-01-03"]
    assert (series["flag"], series["slope_per_day"], document["notes"]) == (None, None, [])


def test_text_and_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _nights(tmp_path / "a", 2)
    _nights(tmp_path / "b", 2, task="gpqa")
    assert run_command_line(["trend", str(tmp_path), "--task", "gpqa"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("gpqa - nvfp4 - fingerprint f1: 6 items, 2 runs")
    assert "no drift beyond what sampling explains" in shown
    assert "aime25" not in shown


def test_labels_that_name_dates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _nights(tmp_path, 2, label="night-{day}")
    assert run_command_line(["trend", str(tmp_path)]) == 0
    assert "--across-labels puts them" in " ".join(capsys.readouterr().out.split())
    assert run_command_line(["trend", str(tmp_path), "--across-labels"]) == 0
    assert "6 items, 2 runs" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        pytest.param(["{runs}", "--task", "mmmu"], 2, "they have aime25", id="a task that was not run"),
        pytest.param(["{empty}"], 4, "holds no run", id="nothing there"),
        pytest.param(["{empty}/none"], 2, "does not exist", id="no such directory"),
    ],
)
def test_refusals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], args: list[str], code: int, message: str
) -> None:
    _nights(tmp_path / "runs", 1)
    (tmp_path / "empty").mkdir()
    filled = [arg.format(runs=tmp_path / "runs", empty=tmp_path / "empty") for arg in args]
    assert run_command_line(["trend", *filled]) == code
    assert message in capsys.readouterr().err
