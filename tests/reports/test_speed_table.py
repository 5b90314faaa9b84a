"""What people read of speed and cost, as goldens: REWRITE_GOLDENS=1 pytest this file."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reports.comparison import ComparisonSettings, compare
from reports.cost import Price
from reports.json_report import render_json, report_document
from reports.report_lines import comparison_lines, side_lines
from reports.report_reader import report_from_document
from reports.run_files import TaskRun
from reports.run_summary import summarise
from reports.run_text import render_summary
from reports.score_table import TaskFacts
from reports.speed_table import render_speed, speed_rows
from tests.reports.timed_rows import timed_frame


def _run(label: str, pace: float, client: dict[str, Any] | None = None) -> TaskRun:
    """20 items: response i starts at second i and takes 10 s and more, a tenth of the tokens' time first."""
    rows = [
        {
            "duration_s": pace * (10 + item),
            "finished_at": item + pace * (10 + item),
            "ttft_s": pace * (10 + item) / 10,
            "output_tokens": 901.0 + 90 * item,
            "outcome": "correct" if item % 5 else "incorrect",
            "score": float(item % 5 > 0),
            "attempts": 1.0 + (item == 3),
        }
        for item in range(20)
    ]
    facts = TaskFacts(task="aime25", label=label, source=label, fingerprint="f1", client=client or {})
    return TaskRun(facts=facts, frame=timed_frame(*rows))


def test_one_run(golden: Callable[[str, str], None]) -> None:
    price = Price(gpu_hour=3.0, n_gpus=8)
    golden("speed_one.txt", render_speed(speed_rows([_run("int4", 1.0, {"cpu_share": 0.97})], price)))


def test_several_runs(golden: Callable[[str, str], None]) -> None:
    runs = [_run("int4", 1.0), _run("nvfp4", 0.6, {"cpu_share": 0.97}), _run("w8a8", 0.8)]
    table = render_speed(speed_rows(runs, Price(gpu_hour=3.0, n_gpus=8)))
    golden("speed_several.txt", table + "\n" + render_speed(speed_rows(runs, None)))


def test_runs_of_one_label_are_told_apart_and_a_partial_one_is_named() -> None:
    runs = [_run("nvfp4", 1.0), _run("nvfp4", 2.0)]
    partial = replace(runs[1].facts, source="elsewhere", expected=80)
    text = render_speed(speed_rows([runs[0], replace(runs[1], facts=partial)], None))
    assert "nvfp4 (nvfp4)" in text
    assert "nvfp4 (elsewhere)" in text
    assert "note: aime25, nvfp4: partial, 20 of 80 (25.00 %) scored" in text


def test_a_run_s_summary_and_text_show_its_speed() -> None:
    run = _run("nvfp4", 1.0, {"cpu_share": 0.97})
    summary = summarise(
        run.frame, run.facts, log="x.eval", requests_sent=20, retries=1, max_error_rate=0.0, groups=None
    )
    again = json.loads(json.dumps(summary, allow_nan=False))
    assert again["speed"]["client_bound"] is True
    lines = render_summary(again, Path("runs/nvfp4/aime25/k")).splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("  speed ")]
    assert lines[at].startswith("  speed 731.7 tok/s at concurrency 8.1, TTFT 1,950 ms (p99 2,881 ms)")
    assert "not the server, was the limit" in lines[at + 1]


def test_a_run_without_times_says_nothing_of_speed() -> None:
    run = _run("nvfp4", 1.0)
    frame = run.frame.assign(duration_s=float("nan"), ttft_s=float("nan"))
    summary = summarise(frame, run.facts, log=None, requests_sent=20, retries=1, max_error_rate=0.0)
    assert "  speed " not in render_summary(summary, Path("runs/nvfp4/aime25/k"))


@pytest.fixture
def pair(tmp_path: Path, logs: Any) -> list[Path]:
    """Two runs with times; the candidate's client was the limit."""
    directories = []
    for label, pace, client in (("int4", 1.0, {"cpu_share": 0.2}), ("nvfp4", 0.5, {"client_bound": True})):
        rows = logs.grid(12, 4)
        for number, row in enumerate(rows):
            row["scores"]["outcome"]["metadata"] |= {
                "duration_s": pace * 20,
                "ttft_s": pace,
                "finished_at": 100.0 + number,
                "output_tokens": 1001,
                "attempts": 1,
            }
        directories.append(logs.run(tmp_path, rows, label=label, client=client))
    return directories


def test_a_comparison_shows_both_sides_and_whose_client_was_the_limit(pair: list[Path]) -> None:
    report = compare(*pair, ComparisonSettings())
    lines = {line.name: (line.baseline, line.candidate) for line in side_lines(report.tasks[0])}
    assert lines["TTFT"] == ("1,000 ms (p99 1,000 ms)", "500 ms (p99 500 ms)")
    assert lines["TPOT"] == ("19 ms (p99 19 ms)", "9.5 ms (p99 9.5 ms)")
    assert lines["limit"] == ("", "client")
    notes = [line.text for line in comparison_lines(report.tasks[0]) if line.name == "note"]
    assert [note.partition(",")[0] for note in notes if "limit" in note] == ["candidate: the client"]


def test_the_speed_in_report_json_reads_back(pair: list[Path], tmp_path: Path) -> None:
    report = compare(*pair, ComparisonSettings())
    found = report_document(report)["tasks"][0]["speed"]
    assert found["candidate"]["client_bound"] is True
    assert found["baseline"]["ttft"]["median"] == 1.0
    read = report_from_document(json.loads(render_json(report))).report
    assert read is not None
    assert side_lines(read.tasks[0]) == side_lines(report.tasks[0])
