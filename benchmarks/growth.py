"""What a response costs as runs grow: to ask it, to take it over again on resuming, to read it for a comparison.

Each size is a run in a process of its own against a server that answers at once; then the same command again,
which sends nothing, and then the score table is read. Cost should not grow with the size of the run.

    python -m benchmarks.growth [--sizes 1000 4000 16000] [--chunks 40]
"""

import argparse
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from benchmarks.synthetic_run import made_request, streams
from benchmarks.transport import Load
from evals.runner import run
from reports.run_files import read_scores

EPOCHS = 10
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Cost of one size: CPU milliseconds a response, peak memory of the process in MB, bytes on disk."""

    n_responses: int
    ask_ms: float
    resume_ms: float
    read_ms: float
    peak_mb: float
    journal_kb: float
    log_kb: float


def measure(base_url: str, n_responses: int) -> Growth:
    """Run, resume and read a run of this size."""
    with tempfile.TemporaryDirectory() as directory:
        request = made_request(
            base_url, Path(directory), n_items=n_responses // EPOCHS, epochs=EPOCHS, label="grown"
        )
        request = replace(request, settings=replace(request.settings, max_connections=64))
        asked_s, end = _cpu_of(lambda: run(request))
        resumed_s, again = _cpu_of(lambda: run(request))
        if again.n_requests_sent or again.log is None:
            raise RuntimeError(f"resumed run: sent {again.n_requests_sent} requests; expected none")
        read_s, _ = _cpu_of(lambda: read_scores(end.directory))
        return Growth(
            n_responses=n_responses,
            ask_ms=asked_s / n_responses * 1000,
            resume_ms=resumed_s / n_responses * 1000,
            read_ms=read_s / n_responses * 1000,
            peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            journal_kb=(end.directory / "journal.zst").stat().st_size / n_responses / 1024,
            log_kb=again.log.stat().st_size / n_responses / 1024,
        )


def _cpu_of(act: Callable[[], Result]) -> tuple[float, Result]:
    started = time.process_time()
    result = act()
    return time.process_time() - started, result


def main() -> None:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 4000, 16_000])
    parser.add_argument("--chunks", type=int, default=40)
    asked = parser.parse_args()
    load = Load(streams=64, chunks=asked.chunks, frames_per_write=8, pause_s=0.0)
    lines = []
    with streams(load) as base_url:
        for size in asked.sizes:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                lines.append(pool.apply(measure, (base_url, size)))
    print(f"{asked.chunks} chunks a response; CPU milliseconds a response")
    print("responses      ask   resume     read   peak MB   journal KB   log KB")
    for line in lines:
        print(
            f"{line.n_responses:>9,}   {line.ask_ms:>6.2f}   {line.resume_ms:>6.2f}   {line.read_ms:>6.3f}"
            f"   {line.peak_mb:>7,.0f}   {line.journal_kb:>10.2f}   {line.log_kb:>6.2f}"
        )


if __name__ == "__main__":
    main()
