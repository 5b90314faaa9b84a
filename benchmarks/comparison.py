"""From logs to a verdict on one core, beside Inspect's own reader of logs on the same files.

    python -m benchmarks.comparison [--responses 1000000]

Logs of five simulated tasks are written first (benchmarks.synthetic_logs), then read in a process of its own
each: `quantcheck compare` whole, from its start to its reports; its parts; `samples_df` of Inspect, which only
reads. Every process is held to one core where the system can do that.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.simulated_report import SHAPES, Shape, simulated_runs
from benchmarks.synthetic_logs import write_run

LABELS = ("int4", "nvfp4")
MOST_FOR_INSPECT = 200_000  # responses beyond which its reader takes gigabytes
DEFAULT = 29_096  # the five tasks at twice their epochs on either side
_PARTS = """
import sys, time
from pathlib import Path
start = time.perf_counter()
from evals.commands.compare import write_report
from reports.comparison import ComparisonSettings, compare_sides, find_side
ready = time.perf_counter()
sides = [find_side(Path(sys.argv[1]) / label) for label in ("int4", "nvfp4")]
read = time.perf_counter()
report = compare_sides(*sides, ComparisonSettings())
compared = time.perf_counter()
write_report(report, Path(sys.argv[1]) / "report")
print(ready - start, read - ready, compared - read, time.perf_counter() - compared)
"""
_INSPECT = """
import sys
from pathlib import Path
from inspect_ai.analysis import samples_df
print(len(samples_df([str(log) for log in Path(sys.argv[1]).rglob("*.eval")], quiet=True)))
"""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one process cost: by the clock, on the processor, and its memory at most."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    output: str


def write_logs(runs: Path, n_responses: int) -> int:
    """Write both sides of the five tasks, about ``n_responses`` together; return how many there are."""
    rng = np.random.default_rng(0)
    size = 2 * sum(shape.n_items * shape.epochs for shape in SHAPES)
    written = 0
    for shape in SHAPES:
        for run in simulated_runs(_grown(shape, n_responses / size), rng):
            write_run(runs, run)
            written += len(run.frame)
    return written


def _grown(shape: Shape, factor: float) -> Shape:
    """Return the task at ``factor`` times its epochs; below one epoch at fewer items."""
    epochs = max(round(shape.epochs * factor), 1)
    n_items = max(round(shape.n_items * min(shape.epochs * factor, 1.0)), 2)
    return replace(shape, n_items=n_items, epochs=epochs, failed=min(shape.failed, n_items // 2))


def measure(*arguments: str, ends: Sequence[int] = (0,)) -> Cost:
    """Run Python with these arguments on one core; raises ``RuntimeError`` unless it ends with one of ``ends``."""
    start = time.perf_counter()
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
        assert process.stdout is not None and process.stderr is not None
        output, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in ends:
        raise RuntimeError(f"{' '.join(arguments[:3])}: exit {process.returncode}: {errors.strip()[-400:]}")
    return Cost(
        wall_s=time.perf_counter() - start,
        cpu_s=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss / 1024,
        output=output,
    )


def compare_costs(n_responses: int) -> list[str]:
    """Return the lines to print: both readers on the same logs, and where our time goes."""
    with TemporaryDirectory() as scratch:
        start = time.perf_counter()
        # Not here: a process counts what its parent held when it was forked into its own peak.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            written = pool.apply(write_logs, (Path(scratch), n_responses))
        lines = [
            f"{written:,} responses, both sides together (written in {time.perf_counter() - start:.0f} s)"
        ]
        sides = [str(Path(scratch) / label) for label in LABELS]
        out = ["--out", str(Path(scratch) / "out")]
        ours = measure("-m", "evals", "compare", *sides, *out, ends=(0, 1, 3))
        parts = measure("-c", _PARTS, scratch).output.split()
        lines.append(_line("quantcheck compare", ours, ours))
        if written <= MOST_FOR_INSPECT:
            theirs = measure("-c", _INSPECT, scratch)
            if int(theirs.output) != written:
                raise RuntimeError(f"samples_df read {theirs.output.strip()} responses of {written}")
            lines.append(_line("samples_df", theirs, ours))
    named = zip(("start", "read", "compare", "write reports"), map(float, parts), strict=True)
    return [*lines, "  of ours: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in named)]


def _line(name: str, cost: Cost, ours: Cost) -> str:
    return (
        f"  {name:<19} {cost.cpu_s:6.1f} s CPU ({cost.cpu_s / ours.cpu_s:4.1f} x ours)"
        f"   {cost.wall_s:6.1f} s by the clock   peak {cost.peak_mb:,.0f} MB"
    )


def main() -> None:
    """Print the costs side by side."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--responses", type=int, default=DEFAULT)
    print("\n".join(compare_costs(parser.parse_args().responses)), flush=True)


if __name__ == "__main__":
    main()
