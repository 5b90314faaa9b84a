import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evals.cli import run_command_line


@pytest.fixture
def data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, list[dict[str, Any]]]]:
    """Return a function that runs ``quantcheck data --json`` without a network and with empty caches."""
    for name in ("HF_HOME", "QUANTCHECK_CACHE"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("socket.socket.connect", _no_network)

    def run(*arguments: str) -> tuple[int, list[dict[str, Any]]]:
        capsys.readouterr()
        code = run_command_line(["data", *arguments, "--json"])
        return code, json.loads(capsys.readouterr().out)["datasets"]

    return run


def _no_network(*_: Any) -> None:
    raise AssertionError("the network was tried")


Data = Callable[..., tuple[int, list[dict[str, Any]]]]


def test_every_dataset_is_listed_with_its_pins(data: Data) -> None:
    code, datasets = data()
    assert code == 0
    named = {(fact["task"], fact["variant"]): fact for fact in datasets}
    assert set(named) >= {
        ("smoke", None),
        ("aime25", None),
        ("gpqa_diamond", None),
        ("ocrbench", None),
        ("mmmu_pro", "standard (10 options)"),
        ("mmmu_pro", "standard (4 options)"),
        ("mmmu_pro", "vision"),
    }
    assert named["smoke", None]["sources"] == [{"kind": "generated"}]
    gpqa = named["gpqa_diamond", None]
    assert gpqa["n_items"] == 198
    hub = gpqa["sources"][0]
    assert (hub["kind"], hub["repo"], hub["config"], hub["gated"]) == (
        "hub",
        "Idavidrein/gpqa",
        "gpqa_diamond",
        True,
    )
    assert len(hub["revision"]) == 40


def test_what_the_hubs_cache_holds_is_seen(data: Data, tmp_path: Path) -> None:
    _, (fact,) = data("mmmu_pro", "--variant", "vision")
    assert fact["sources"][0]["cached"] is None
    snapshot = tmp_path / "HF_HOME/hub/datasets--MMMU--MMMU_Pro/snapshots" / fact["sources"][0]["revision"]
    snapshot.mkdir(parents=True)
    (snapshot / "README.md").write_text("")
    _, (fact,) = data("mmmu_pro", "--variant", "vision")
    assert fact["sources"][0]["cached"] == str(snapshot)


def test_data_that_cannot_be_had_is_named_with_the_way_out(data: Data) -> None:
    code, (fact,) = data("gpqa_diamond", "--verify")
    assert code == 5
    assert fact["ok"] is False
    for words in ("Idavidrein/gpqa", "accept the terms", "HF_TOKEN", "--dataset-path", "HF_HUB_OFFLINE"):
        assert words in fact["problem"]


def test_a_generated_exam_is_verified_without_any_source(data: Data) -> None:
    code, (fact,) = data("smoke", "--verify")
    assert code == 0 and fact["found"]["is_pinned_content"] is True
    assert run_command_line(["data", "smoke", "--verify"]) == 0


def test_a_local_copy_is_verified(data: Data, tmp_path: Path) -> None:
    fields = ["Correct Answer", *(f"Incorrect Answer {n}" for n in (1, 2, 3))]
    rows = [
        {"Record ID": f"r{n}", "Question": f"made up {n}", **{f: f"{f} {n}" for f in fields}}
        for n in range(198)
    ]
    path = tmp_path / "gpqa.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    code, (fact,) = data("gpqa_diamond", "--verify", "--dataset-path", str(path))
    assert code == 0
    assert fact["found"]["n_items"] == 198
    assert fact["found"]["is_pinned_content"] is None
    path.write_text("\n".join(map(json.dumps, rows[:100])))
    code, (fact,) = data("gpqa_diamond", "--verify", "--dataset-path", str(path))
    assert code == 5
    assert "has 100 rows, expected 198" in fact["problem"]


def test_a_local_copy_belongs_to_one_task(tmp_path: Path) -> None:
    assert run_command_line(["data", "--dataset-path", str(tmp_path)]) == 2
    assert run_command_line(["data", "nonsense"]) == 2


def test_people_get_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["data", "gpqa_diamond"]) == 0
    assert "gated (HF_TOKEN)" in capsys.readouterr().out
