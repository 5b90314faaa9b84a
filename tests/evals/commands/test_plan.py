"""``quantcheck plan``: what a run will cost and what it can decide."""

import csv
from pathlib import Path
from typing import Any

import pytest


def _baseline(path: Path, n_items: int = 30, n_epochs: int = 8, task: str = "aime25") -> Path:
    """Write a score file: every fourth item misses one epoch in four."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["task", "sample_id", "epoch", "score", "output_tokens"])
        for item in range(n_items):
            for epoch in range(1, n_epochs + 1):
                rows.writerow([task, f"a{item}", epoch, int(not (item % 4 == 0 == epoch % 4)), 2000])
    return path


def test_costs_and_chances_of_the_default_budget(cli: Any) -> None:
    ended = cli("plan", "aime25", "--json")
    assert ended.code == 0 and "underpowered" not in ended.err
    (task,) = ended.document["tasks"]
    assert (task["requests"], task["epochs"], task["typical_tokens"]) == (960, 32, 960 * 32768)
    power = task["power"]
    assert (power["margin"], power["margin_source"]) == (0.014, "default for aime25")
    assert power["pass_chance"] > 0.8 and not power["underpowered"]
    assert power["epochs"] == {"baseline": 32, "candidate": 32}
    assert ended.document["pass_chance_of_all"] == power["pass_chance"]


def test_a_tight_margin_is_warned_of_with_the_way_out(cli: Any) -> None:
    ended = cli("plan", "aime25", "--margin", "0.01")
    assert ended.code == 0
    assert (
        "warning: underpowered: aime25: equal checkpoints pass a margin of 1 pp with only 50 %" in ended.err
    )
    assert "58 epochs a side" in ended.out and "smallest visible loss 1.30 pp" in ended.out


def test_margins_by_task(cli: Any) -> None:
    document = cli(
        "plan", "aime25", "gpqa_diamond", "--margin", "0.02", "--margin", "aime25=0.03", "--json"
    ).document
    assert [task["power"]["margin"] for task in document["tasks"]] == [0.03, 0.02]
    chances = [task["power"]["pass_chance"] for task in document["tasks"]]
    assert document["pass_chance_of_all"] == pytest.approx(chances[0] * chances[1])


def test_a_baseline_tells_its_noise_epochs_and_tokens(cli: Any, tmp_path: Path) -> None:
    baseline = _baseline(tmp_path / "base.csv")
    (task,) = cli("plan", "aime25", "--baseline", baseline, "--json").document["tasks"]
    assert task["typical_tokens"] == 960 * 2000
    power = task["power"]
    assert power["epochs"] == {"baseline": 8, "candidate": 32}
    assert power["assumed"]["source"] == "baseline base"
    assert power["assumed"]["accuracy"] == pytest.approx(1 - 8 * 2 / 240)
    (more,) = cli("plan", "aime25", "--baseline", baseline, "--baseline-epochs", 32, "--json").document[
        "tasks"
    ]
    assert more["power"]["pass_chance"] > power["pass_chance"]


def test_one_epoch_of_a_baseline_is_not_taken_for_no_noise(cli: Any, tmp_path: Path) -> None:
    baseline = _baseline(tmp_path / "base.csv", n_epochs=1)
    ended = cli("plan", "aime25", "--baseline", baseline)
    assert "one epoch does not tell the noise within items" in ended.out


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        pytest.param(["--margin", "1.4"], 2, "one percentage point is 0.01", id="a margin in points"),
        pytest.param(
            ["--margin", "ocrbench=0.1"], 2, "ocrbench is not among the tasks aime25", id="other task"
        ),
        pytest.param(["--baseline", "nowhere"], 4, "no such file or directory", id="no baseline there"),
        pytest.param(["--epochs", "0"], 2, "0 is not in the range", id="no epochs"),
        pytest.param(["--baseline-epochs", "0"], 2, "0 is not in the range", id="no baseline epochs"),
    ],
)
def test_what_cannot_be_planned(cli: Any, flags: list[str], code: int, words: str) -> None:
    ended = cli("plan", "aime25", *flags)
    assert ended.code == code and words in " ".join(ended.err.split())


def test_a_baseline_of_other_tasks_is_named(cli: Any, tmp_path: Path) -> None:
    baseline = _baseline(tmp_path / "base.csv", task="gpqa_diamond")
    ended = cli("plan", "aime25", "--baseline", baseline)
    assert ended.code == 4 and "has no run of aime25 but of gpqa_diamond" in ended.line
