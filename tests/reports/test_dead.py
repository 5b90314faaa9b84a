"""A dead checkpoint is named as one, wherever a run is read; a bad one keeps its accuracy."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reports.comparison import ComparisonSettings, compare
from reports.dead import dead_reason
from reports.history import read_history
from reports.html.report_page import render_html
from reports.json_report import render_json
from reports.run_files import find_runs
from reports.run_summary import summarise
from reports.run_text import render_summary
from reports.terminal import render_terminal
from reports.verdict import Verdict

LOOP = {"outcome": "truncated", "flags": ["degenerate_repetition"]}
EMPTY = {"outcome": "no_answer", "flags": ["empty_response"]}
CUT_IN_THOUGHT = {"outcome": "truncated", "flags": ["empty_after_reasoning"]}
WRONG = {"outcome": "incorrect"}
RIGHT = {"outcome": "correct"}
FAILED = {"outcome": "error"}


def run_of(logs: Any, runs: Path, kinds: list[dict[str, Any]], **facts: Any) -> Path:
    rows = [logs.summary(f"a{item}", 1, **kind) for item, kind in enumerate(kinds)]
    return logs.run(runs, rows, **{"epochs": 1, "expected": len(rows), **facts})


def read(logs: Any, runs: Path, kinds: list[dict[str, Any]], **facts: Any) -> Any:
    (run,) = find_runs(run_of(logs, runs, kinds, **facts))
    return run


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        pytest.param([LOOP] * 10, "10 of 10 responses repeat one sign or phrase", id="floods"),
        pytest.param([EMPTY] * 10, "10 of 10 responses stop without a word", id="silence"),
        pytest.param([LOOP] * 5 + [EMPTY] * 5, "5 of 10 responses stop without a word", id="both"),
        pytest.param([LOOP] * 9 + [WRONG], "9 of 10 responses repeat", id="nine in ten"),
        pytest.param([LOOP] * 8 + [FAILED] * 2, "8 of 8 responses repeat", id="failures do not count"),
        pytest.param([LOOP] * 8 + [WRONG] * 2, None, id="two in ten say something"),
        pytest.param([LOOP] * 19 + [RIGHT], None, id="one right answer is alive"),
        pytest.param([WRONG] * 10, None, id="always wrong is a measurement"),
        pytest.param([CUT_IN_THOUGHT] * 10, None, id="a small budget is no death"),
        pytest.param([LOOP] * 4, None, id="too few to tell"),
        pytest.param([FAILED] * 10, None, id="nothing came back"),
    ],
)
def test_what_is_dead(logs: Any, tmp_path: Path, kinds: list[dict[str, Any]], words: str | None) -> None:
    run = read(logs, tmp_path, kinds)
    reason = dead_reason(run.facts, run.frame)
    assert reason is None if words is None else reason is not None and words in reason


def test_a_dead_run_is_invalid_and_has_no_accuracy(logs: Any, tmp_path: Path) -> None:
    run = read(logs, tmp_path, [LOOP] * 10)
    facts: dict[str, Any] = {"log": "log.eval", "requests_sent": 10, "retries": 0, "max_error_rate": 0.0}
    summary = summarise(run.frame, run.facts, **facts)
    assert summary["status"] == "invalid" and summary["dead"].startswith("dead checkpoint")
    assert summary["accuracy"]["value"] is None and summary["accuracy_completed"]["value"] is None
    text = render_summary(summary, tmp_path)
    assert "dead checkpoint: 10 of 10" in text and "not stated" in text and "0.00%" not in text
    alive = read(logs, tmp_path / "alive", [WRONG] * 10)
    assert summarise(alive.frame, alive.facts, **facts)["accuracy"]["value"] == 0.0


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_comparison_names_the_dead_side(logs: Any, tmp_path: Path, side: str) -> None:
    kinds = {"baseline": [RIGHT] * 10, "candidate": [RIGHT] * 10} | {side: [LOOP] * 10}
    paths = [run_of(logs, tmp_path, kinds[name], label=name) for name in ("baseline", "candidate")]
    report = compare(*paths, ComparisonSettings())
    assert report.verdict is Verdict.INVALID and report.tasks[0].analysis is None
    assert report.tasks[0].reason.startswith(f"{side}: dead checkpoint: 10 of 10")
    assert "0 of 10; mean" not in render_terminal(report)
    assert "dead checkpoint" in render_html(report, directory=tmp_path)
    document = json.loads(render_json(report))
    assert document["verdict"] == "invalid" and document["tasks"][0]["delta"] is None


def test_a_run_that_was_stopped_says_so_itself(logs: Any, tmp_path: Path) -> None:
    run = read(logs, tmp_path, [LOOP], dead="dead checkpoint: each of the first 8 replies is '!'")
    reason = dead_reason(run.facts, run.frame)
    assert reason is not None and "first 8 replies" in reason and "another label" in reason
    assert dead_reason(replace(run.facts, dead=None), run.frame) is None


def test_a_dead_run_is_no_point_of_a_trend(logs: Any, tmp_path: Path) -> None:
    started = {"started": "2026-01-01T00:00:00+00:00"}
    run_of(logs, tmp_path, [RIGHT] * 10, label="alive", **started)
    run_of(logs, tmp_path, [LOOP] * 10, label="dead", **started)
    history = read_history(tmp_path)
    assert [series.labels for series in history.series] == [("alive",)]
    assert "dead checkpoint" in history.skipped[0].reason
