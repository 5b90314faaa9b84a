from pathlib import Path
from typing import Any

import pytest

from reports.log_members import LogError
from reports.run_files import AmbiguousRunError, find_runs, read_scores


@pytest.fixture
def key_directory(tmp_path: Path, logs: Any) -> Path:
    directory: Path = logs.run(tmp_path / "runs", logs.grid(2, 2), n_items=2, epochs=2, expected=4)
    return directory


@pytest.mark.parametrize(
    "level",
    [
        pytest.param(lambda key: key, id="key directory"),
        pytest.param(lambda key: key.parent, id="task directory"),
        pytest.param(lambda key: key.parents[1], id="label directory"),
        pytest.param(lambda key: key.parents[2], id="runs directory of one label"),
        pytest.param(lambda key: key / "log.eval", id="log"),
    ],
)
def test_a_run_is_found_from_every_level(key_directory: Path, level: Any) -> None:
    table = read_scores(level(key_directory))
    facts = table.facts["aime25"]
    assert (len(table.frame), facts.label, facts.fingerprint, facts.expected) == (4, "int4", "f1", 4)


def test_several_tasks_under_a_label(tmp_path: Path, logs: Any) -> None:
    logs.run(tmp_path, logs.grid(2, 1), task="aime25")
    logs.run(tmp_path, logs.grid(3, 1), task="ocrbench")
    table = read_scores(tmp_path / "int4")
    assert table.frame["task"].value_counts().to_dict() == {"aime25": 2, "ocrbench": 3}


def test_logs_of_one_directory_are_united_answered_before_failed_then_newest(
    tmp_path: Path, logs: Any
) -> None:
    first = [
        logs.summary("x", 1, outcome="incorrect"),
        logs.summary("y", 1),
        logs.summary("z", 1, error="server: 1"),
    ]
    second = [
        logs.summary("x", 1),
        logs.summary("y", 1, error="server: 500"),
        logs.summary("z", 1, error="client: 2"),
    ]
    logs.run(tmp_path, first, name="1.eval", created="2026-01-01")
    directory = logs.run(tmp_path, second, name="2.eval", created="2026-01-02")
    frame = read_scores(directory).frame.set_index("sample_id")
    assert frame["outcome"].to_dict() == {"x": "correct", "y": "correct", "z": "error"}
    assert frame.loc["z", "error"] == "client: 2"


def test_an_unreadable_log_beside_a_readable_one_is_noted(tmp_path: Path, logs: Any) -> None:
    directory = logs.run(tmp_path, logs.grid(1, 1))
    (directory / "0.eval").write_bytes(b"")
    assert "0 bytes" in read_scores(directory).facts["aime25"].notes[0]


def test_two_labels_are_refused(tmp_path: Path, logs: Any) -> None:
    logs.run(tmp_path, logs.grid(1, 1), label="int4")
    logs.run(tmp_path, logs.grid(1, 1), label="nvfp4")
    with pytest.raises(AmbiguousRunError, match=r"2 labels \(int4, nvfp4\)"):
        find_runs(tmp_path)


def test_two_runs_of_a_task_are_refused(tmp_path: Path, logs: Any) -> None:
    logs.run(tmp_path, logs.grid(1, 1), key="k1", fingerprint="f1")
    logs.run(tmp_path, logs.grid(1, 1), key="k2", fingerprint="f2")
    with pytest.raises(AmbiguousRunError, match=r"2 runs are here: .*k1 .*f1.*k2 .*f2"):
        read_scores(tmp_path / "int4")


def test_a_manifest_of_another_run_is_refused(key_directory: Path) -> None:
    (key_directory / "manifest.json").write_text('{"fingerprint": "other"}')
    with pytest.raises(LogError, match="f1 is not its manifest's other"):
        find_runs(key_directory)


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        pytest.param(lambda path: None, "no such file", id="absent"),
        pytest.param(lambda path: path.mkdir(), "holds no log", id="empty directory"),
        pytest.param(
            lambda path: (path.mkdir(), (path / "manifest.json").write_text("{}")),
            "no log",
            id="manifest only",
        ),
        pytest.param(
            lambda path: (path.mkdir(), (path / "manifest.json").write_text("["), (path / "a.eval").touch()),
            "manifest.json",
            id="broken manifest",
        ),
        pytest.param(lambda path: path.write_text("x"), "no Inspect log", id="a text file"),
    ],
)
def test_paths_without_a_run(tmp_path: Path, prepare: Any, message: str) -> None:
    path = tmp_path / "run"
    prepare(path)
    with pytest.raises(LogError, match=message):
        find_runs(path)
