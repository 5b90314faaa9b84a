"""CPU per sample of a whole run: quantcheck's runner beside `inspect eval` with its defaults.

The server answers at once and in full, so that what is left is bookkeeping: scheduling, journal, grading,
logging. Each side runs in a process of its own, after a warm-up run; CPU is user + system time.

    python benchmarks/bookkeeping.py [--samples 300] [--connections 64]
"""

import argparse
import asyncio
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from aiohttp import web
from inspect_ai import Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import match

from benchmarks.synthetic_run import made_request
from evals.runner import run

ANSWER = "The answer follows from the symmetry of the problem. " * 40 + "\\boxed{7}"


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one side spent on one sample, and its peak memory."""

    side: str
    cpu_ms: float
    wall_ms: float
    peak_mb: float


def serve(port: Connection) -> None:
    """Answer every request with the same finished completion until killed."""
    message = {"role": "assistant", "content": ANSWER, "reasoning_content": "Let us see. " * 100}
    usage = {"prompt_tokens": 80, "completion_tokens": 700, "total_tokens": 780}
    body = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage,
    }

    async def complete(request: web.Request) -> web.Response:
        await request.read()
        return web.json_response(body)

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", complete)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


def run_ours(base_url: str, n_samples: int, n_connections: int, directory: Path) -> None:
    """Run synthetic AIME-like items with our runner."""
    request = made_request(base_url, directory, n_items=n_samples, epochs=1, label="bench")
    settings = replace(request.settings, max_connections=n_connections, stream=False)
    run(replace(request, settings=settings))


def run_inspect(base_url: str, n_samples: int, n_connections: int, directory: Path) -> None:
    """Run the same through `inspect eval` as it comes, with its own provider and scorer."""
    samples = [Sample(id=f"s{i}", input=f"Question {i}: " + "x" * 300, target="7") for i in range(n_samples)]
    eval(
        Task(dataset=MemoryDataset(samples), scorer=match(numeric=True)),
        model="openai-api/bench/m",
        model_base_url=base_url,
        model_args={"api_key": "none"},
        log_dir=str(directory),
        max_connections=n_connections,
        max_samples=n_connections,
        display="none",
    )


SIDES: dict[str, Callable[[str, int, int, Path], None]] = {
    "quantcheck run": run_ours,
    "inspect eval": run_inspect,
}


def measure(side: str, base_url: str, n_samples: int, n_connections: int) -> Cost:
    """Return the cost of one sample, after a warm-up that pays for imports and caches."""
    with tempfile.TemporaryDirectory() as scratch:
        SIDES[side](base_url, 8, 8, Path(scratch) / "warm-up")
        cpu, wall = time.process_time(), time.perf_counter()
        SIDES[side](base_url, n_samples, n_connections, Path(scratch) / "run")
    return Cost(
        side=side,
        cpu_ms=(time.process_time() - cpu) / n_samples * 1000,
        wall_ms=(time.perf_counter() - wall) / n_samples * 1000,
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def main() -> None:
    """Print both sides with their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--connections", type=int, default=64)
    arguments = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there,), daemon=True)
    server.start()
    base_url = f"http://127.0.0.1:{here.recv()}/v1"
    print(f"{arguments.samples} samples, {arguments.connections} connections, answers at once")
    costs = []
    for side in SIDES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            costs.append(pool.apply(measure, (side, base_url, arguments.samples, arguments.connections)))
    server.kill()
    for cost in costs:
        ratio = cost.cpu_ms / costs[0].cpu_ms
        print(
            f"  {cost.side:<15} {cost.cpu_ms:6.1f} ms CPU a sample ({ratio:4.1f} x ours)"
            f"   {cost.wall_ms:6.1f} ms by the clock   peak {cost.peak_mb:,.0f} MB"
        )


if __name__ == "__main__":
    main()
