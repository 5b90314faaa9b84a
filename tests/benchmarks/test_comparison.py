"""The benchmark of comparisons writes logs that hold what was simulated, and its parts run."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.comparison import LABELS, measure, write_logs
from benchmarks.simulated_report import SHAPES, simulated_runs
from benchmarks.synthetic_logs import write_run
from reports.comparison import ComparisonSettings, compare_sides, find_side
from reports.run_files import find_runs

ROOT = Path(__file__).parents[2]
WRITTEN = ["sample_id", "epoch", "outcome", "score", "answer", "stop_reason", "output_tokens", "category"]


def test_a_log_holds_what_was_simulated(tmp_path: Path) -> None:
    run, _ = simulated_runs(SHAPES[0], np.random.default_rng(0))
    (found,) = find_runs(write_run(tmp_path, run))
    assert (found.facts.task, found.facts.expected, found.facts.status) == ("aime25", 960, "success")
    pd.testing.assert_frame_equal(
        found.frame[WRITTEN].astype(object), run.frame[WRITTEN].astype(object), check_dtype=False
    )


def test_both_sides_of_five_tasks_are_written_and_compared(tmp_path: Path) -> None:
    written = write_logs(tmp_path, 600)
    assert 500 < written < 700
    report = compare_sides(*(find_side(tmp_path / label) for label in LABELS), ComparisonSettings())
    assert len(report.tasks) == 5
    assert (
        sum(side.counts.expected for task in report.tasks for side in (task.baseline, task.candidate))
        == written
    )


def test_a_process_that_fails_is_no_measurement() -> None:
    assert measure("-c", "print('x')").output == "x\n"
    with pytest.raises(RuntimeError, match=r"exit 3: .*broken"):
        measure("-c", "import sys; sys.stderr.write('it is broken'); sys.exit(3)")


def test_every_benchmark_that_is_named_is_there() -> None:
    texts = [ROOT / "Makefile", *ROOT.glob("docs/*.md"), *ROOT.glob("benchmarks/*.py")]
    named = {name for path in texts for name in re.findall(r"-m benchmarks\.(\w+)", path.read_text())}
    assert {"comparison", "coverage", "early_stopping"} <= named
    assert [name for name in sorted(named) if not (ROOT / "benchmarks" / f"{name}.py").exists()] == []
