"""Responses and chunks a second against the number of workers, over the same streams in one run.

One server in a process of its own streams to all: on a machine with few cores it is soon the limit itself,
so CPU per chunk is printed beside the clock. CPU is that of the client's processes, the run's own included.

    python -m benchmarks.workers [--workers 1 2 4] [--responses 400] [--chunks 2000] [--streams 128]
"""

import argparse
import resource
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.synthetic_run import made_request, streams
from benchmarks.transport import Load
from evals.runner import run

N_ITEMS = 20


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How fast a run was: seconds by the clock, CPU seconds of this process and of its children."""

    n_workers: int
    n_requests: int
    clock_s: float
    cpu_s: float


def cpu_now() -> float:
    """Return the CPU seconds of this process and of those of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def measure(base_url: str, n_workers: int, asked: argparse.Namespace, directory: Path) -> Pace:
    """Run with so many workers and return how fast that was."""
    request = made_request(
        base_url,
        directory,
        n_items=N_ITEMS,
        epochs=asked.responses // N_ITEMS,
        label=f"w{n_workers}",
    )
    settings = replace(request.settings, max_connections=asked.streams, n_workers=n_workers)
    cpu, clock = cpu_now(), time.perf_counter()
    end = run(replace(request, settings=settings))
    return Pace(
        n_workers=n_workers,
        n_requests=end.n_requests_sent,
        clock_s=time.perf_counter() - clock,
        cpu_s=cpu_now() - cpu,
    )


def main() -> None:
    """Print a line for each number of workers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--responses", type=int, default=400)
    parser.add_argument("--chunks", type=int, default=2000)
    parser.add_argument("--streams", type=int, default=128)
    asked = parser.parse_args()
    load = Load(streams=asked.streams, chunks=asked.chunks, frames_per_write=8, pause_s=0.0)
    paces = []
    with streams(load) as base_url, tempfile.TemporaryDirectory() as directory:
        for n_workers in asked.workers:
            paces.append(measure(base_url, n_workers, asked, Path(directory)))
    print(
        f"{asked.responses} responses of {asked.chunks:,} chunks, {asked.streams} streams, 8 frames a write"
    )
    print("workers   responses/s     chunks/s   us CPU a chunk   by the clock")
    for pace in paces:
        n_chunks = pace.n_requests * asked.chunks
        print(
            f"{pace.n_workers:>7}   {pace.n_requests / pace.clock_s:>11.1f}   {n_chunks / pace.clock_s:>10,.0f}"
            f"   {pace.cpu_s / n_chunks * 1e6:>14.1f}   {paces[0].clock_s / pace.clock_s:>10.2f} x"
        )


if __name__ == "__main__":
    main()
