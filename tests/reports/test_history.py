import shutil
from pathlib import Path
from typing import Any

import pytest

from reports.history import History, read_history, read_time
from reports.log_members import LogError


def _night(root: Path, logs: Any, day: int, **facts: Any) -> Path:
    started = facts.pop("started", f"2026-01-{day:02d}T02:00:00+00:00")
    rows = facts.pop("rows", None) or logs.grid(4, 2)
    directory: Path = logs.run(root / f"night-{day:02d}" / "runs", rows, started=started, **facts)
    return directory


def _shape(history: History) -> list[tuple[str, str, str, int, int]]:
    return [
        (one.task, ", ".join(one.labels), one.fingerprint, one.n_items, len(one.runs))
        for one in history.series
    ]


def test_runs_at_any_depth_are_put_in_order_of_time(tmp_path: Path, logs: Any) -> None:
    for day in (3, 1, 2):
        _night(tmp_path, logs, day, n_items=4)
    (series,) = read_history(tmp_path).series
    assert [run.at.day for run in series.runs] == [1, 2, 3]
    assert series.item_ids == ("a0", "a1", "a2", "a3")


def test_tasks_labels_protocols_and_sizes_are_never_mixed(tmp_path: Path, logs: Any) -> None:
    _night(tmp_path, logs, 1, n_items=4)
    _night(tmp_path, logs, 2, n_items=4)
    _night(tmp_path, logs, 3, n_items=4, fingerprint="f2")
    _night(tmp_path, logs, 4, n_items=4, label="nvfp4")
    _night(tmp_path, logs, 5, n_items=4, task="gpqa")
    _night(tmp_path, logs, 6, n_items=2, rows=logs.grid(2, 2))
    assert _shape(read_history(tmp_path)) == [
        ("aime25", "int4", "f1", 2, 1),
        ("aime25", "int4", "f1", 4, 2),
        ("aime25", "int4", "f2", 4, 1),
        ("aime25", "nvfp4", "f1", 4, 1),
        ("gpqa", "int4", "f1", 4, 1),
    ]
    assert ("aime25", "int4, nvfp4", "f1", 4, 3) in _shape(read_history(tmp_path, across_labels=True))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        pytest.param({"started": "yesterday"}, "a time in ISO 8601 is expected", id="no time"),
        pytest.param({"rows": "errors"}, "no scored response", id="nothing scored"),
        pytest.param({"fingerprint": None}, "no fingerprint", id="unknown protocol"),
    ],
)
def test_a_run_that_cannot_be_placed_is_named(
    tmp_path: Path, logs: Any, change: dict[str, Any], reason: str
) -> None:
    _night(tmp_path, logs, 1)
    if change.get("rows") == "errors":
        change = {"rows": [logs.summary("a1", 1, error="Failure: x")]}
    _night(tmp_path, logs, 2, **change)
    history = read_history(tmp_path)
    assert [len(one.runs) for one in history.series] == [1]
    assert [reason in entry.reason and "night-02" in entry.source for entry in history.skipped] == [True]


def test_a_run_that_cannot_be_read_is_named_and_the_others_are_followed(tmp_path: Path, logs: Any) -> None:
    _night(tmp_path, logs, 1)
    broken, empty = _night(tmp_path, logs, 2), _night(tmp_path, logs, 3)
    (broken / "manifest.json").write_text("{")
    (empty / "log.eval").unlink()
    history = read_history(tmp_path)
    assert [len(one.runs) for one in history.series] == [1]
    assert len(history.skipped) == 2


def test_a_copy_of_a_run_counts_once(tmp_path: Path, logs: Any) -> None:
    _night(tmp_path, logs, 1)
    shutil.copytree(tmp_path / "night-01", tmp_path / "old" / "night-01")
    history = read_history(tmp_path)
    assert [len(one.runs) for one in history.series] == [1]
    assert "is a copy of" in history.skipped[0].reason


def test_nothing_to_follow_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="holds no run"):
        read_history(tmp_path)


def test_a_manifest_below_the_depth_is_not_looked_for(tmp_path: Path, logs: Any) -> None:
    _night(tmp_path / "1" / "2", logs, 1)
    with pytest.raises(LogError, match="holds no run"):
        read_history(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05+00:00", id="UTC"),
        pytest.param("2026-01-02T03:04:05Z", "2026-01-02T03:04:05+00:00", id="zulu"),
        pytest.param("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05+00:00", id="another zone"),
        pytest.param("2026-01-02T03:04:05", "2026-01-02T03:04:05+00:00", id="no zone is UTC"),
        pytest.param("2026-01-02", "2026-01-02T00:00:00+00:00", id="a date"),
        pytest.param("soon", None, id="no time"),
        pytest.param("", None, id="empty"),
        pytest.param(None, None, id="not told"),
    ],
)
def test_times(text: str | None, expected: str | None) -> None:
    found = read_time(text)
    assert (found.isoformat() if found else None) == expected
