"""What a response costs as runs grow: to ask it, to take it over on resuming, to find it finished, to read it.

Each size is a run in a process of its own against a server that answers at once. Then its log is lost, as when
it is killed at its last response, and the same command takes every answer over from the journal, which is also
what the end of a run with workers does; then once more, with nothing left to do; then the score table is read.
Cost should not grow with the size of the run.

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
from evals.runner import RunEnd, run
from reports.run_files import read_scores

EPOCHS = 10
Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Cost of one size: CPU milliseconds a response, peak memory of the process in MB, bytes on disk."""

    n_responses: int
    ask_ms: float
    take_over_ms: float
    again_ms: float
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
        asked_s, first = _cpu_of(lambda: run(request))
        _log_of(first).unlink()
        taken_s, second = _cpu_of(lambda: run(request))
        again_s, end = _cpu_of(lambda: run(request))
        if second.n_requests_sent or end.n_requests_sent or end.log != second.log:
            raise RuntimeError("a finished run was asked again")
        read_s, _ = _cpu_of(lambda: read_scores(end.directory))
        return Growth(
            n_responses=n_responses,
            ask_ms=asked_s / n_responses * 1000,
            take_over_ms=taken_s / n_responses * 1000,
            again_ms=again_s / n_responses * 1000,
            read_ms=read_s / n_responses * 1000,
            peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            journal_kb=(end.directory / "journal.zst").stat().st_size / n_responses / 1024,
            log_kb=_log_of(end).stat().st_size / n_responses / 1024,
        )


def _log_of(end: RunEnd) -> Path:
    if end.log is None:
        raise RuntimeError("a run left no log")
    return end.log


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
    print(f"{asked.chunks} chunks a response; CPU milliseconds a response")
    print("responses      ask   take over    again     read   peak MB   journal KB   log KB")
    with streams(load) as base_url:
        for size in asked.sizes:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                line = pool.apply(measure, (base_url, size))
            print(
                f"{line.n_responses:>9,}   {line.ask_ms:>6.2f}   {line.take_over_ms:>9.2f}   {line.again_ms:>6.3f}"
                f"   {line.read_ms:>6.3f}   {line.peak_mb:>7,.0f}   {line.journal_kb:>10.2f}   {line.log_kb:>6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
