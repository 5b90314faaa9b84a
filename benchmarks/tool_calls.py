"""Throughput of a whole K2 tool-call run beside a plain loop of the openai client, in one run.

Both send the same 2,000 requests, 256 in flight, to one loopback server in a process of its own that streams
a thought and a call. Ours does all that a run does: sends each body byte for byte, journals, checks every
call against its tool's schema, logs. The loop only puts the streamed calls together.

    python -m benchmarks.tool_calls [--requests 2000] [--connections 256] [--pause-ms 80]
"""

import argparse
import asyncio
import json
import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import orjson
import uvloop
from aiohttp import web
from openai import AsyncOpenAI

from evals.endpoint import Endpoint
from evals.endpoint_facts import EndpointFacts
from evals.runner import RunRequest, RunSettings, run
from reports.run_files import read_scores
from reports.tool_call_metrics import tool_call_metrics
from tasks.exam import load_exam
from tasks.k2_tool_calls import K2_TOOL_CALLS
from tasks.protocol import resolve_spec

N_THOUGHTS, N_PIECES, N_WRITES = 40, 20, 5
WARM_UP = 16


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one side spent, and how many calls it found."""

    side: str
    n_requests: int
    n_calls: int
    wall_s: float
    cpu_s: float
    peak_mb: float


def request_body(number: int) -> dict[str, Any]:
    """Return a request of about 6 KB: a history, five tools with schemas, a stream."""
    tools = [
        {
            "type": "function",
            "function": {
                "name": f"tool_{place}",
                "description": f"Tool {place} does what its name says. " * 6,
                "parameters": {
                    "type": "object",
                    "properties": {
                        "query": {"type": "string", "description": "What to look for. " * 5},
                        "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                        "tags": {"type": "array", "items": {"type": "string"}},
                    },
                    "required": ["query"],
                },
            },
        }
        for place in range(5)
    ]
    messages = [
        {"role": "system", "content": "You are helpful. " * 40},
        {"role": "user", "content": f"Please look up matter {number}, and say what you find. " * 10},
    ]
    return {"messages": messages, "tools": tools, "temperature": 0.6, "max_tokens": 1024, "stream": True}


def stream_blocks() -> list[bytes]:
    """Return the writes of one reply: a thought, a call in pieces, the finish reason, usage."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    arguments = json.dumps({"query": "the matter at hand, in some detail", "limit": 10, "tags": ["a", "b"]})
    step = len(arguments) // N_PIECES + 1
    call = {"id": "functions.tool_0:0", "type": "function", "function": {"name": "tool_0", "arguments": ""}}
    deltas: list[dict[str, Any]] = [{"reasoning_content": f" word{place}"} for place in range(N_THOUGHTS)]
    deltas.append({"tool_calls": [{"index": 0, **call}]})
    deltas += [
        {"tool_calls": [{"index": 0, "function": {"arguments": arguments[start : start + step]}}]}
        for start in range(0, len(arguments), step)
    ]
    chunks = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    chunks.append([{"index": 0, "delta": {}, "finish_reason": "tool_calls"}])
    frames = [b"data: " + orjson.dumps({**head, "choices": choices}) + b"\n\n" for choices in chunks]
    usage = {"prompt_tokens": 900, "completion_tokens": len(deltas), "total_tokens": 900 + len(deltas)}
    frames.append(b"data: " + orjson.dumps({**head, "choices": [], "usage": usage}) + b"\n\n")
    frames.append(b"data: [DONE]\n\n")
    size = len(frames) // N_WRITES + 1
    return [b"".join(frames[start : start + size]) for start in range(0, len(frames), size)]


def serve(port: Connection, pause_s: float) -> None:
    """Stream the same reply to everybody, with a pause before each write, until killed."""
    blocks = stream_blocks()

    async def complete(request: web.Request) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for block in blocks:
            await asyncio.sleep(pause_s)
            await response.write(block)
        await response.write_eof()
        return response

    async def main() -> None:
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/v1/chat/completions", complete)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, backlog=1024).start()
        port.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop:
        loop.run(main())


def run_ours(base_url: str, samples: Path, n_connections: int, directory: Path) -> int:
    """Run the task as ``quantcheck run k2_tool_calls`` does; return how many responses call a valid tool."""
    exam = load_exam(K2_TOOL_CALLS, path=samples, accept_changes=True)
    request = RunRequest(
        benchmark=K2_TOOL_CALLS,
        spec=resolve_spec(K2_TOOL_CALLS, exam.dataset),
        items=exam.items,
        endpoint=Endpoint(base_url=base_url, model="m", label="bench"),
        facts=EndpointFacts(models=("m",)),
        settings=RunSettings(runs_dir=directory, max_connections=n_connections, send_seed=False),
    )
    with redirect_stderr(StringIO()):
        end = run(request)
    found = tool_call_metrics(read_scores(end.directory).frame)
    return round(found.schema.value * found.n_judged) if found is not None and found.schema is not None else 0


def run_openai_loop(base_url: str, samples: Path, n_connections: int, _: Path) -> int:
    """Send the same bodies with the openai client; return how many calls came."""

    async def main() -> int:
        slots = asyncio.Semaphore(n_connections)
        async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0, timeout=600.0) as client:

            async def one(body: dict[str, Any]) -> int:
                async with slots:
                    calls: dict[int, str] = {}
                    asked = {**body, "model": "m", "stream_options": {"include_usage": True}}
                    async for chunk in await client.chat.completions.create(**asked):
                        for choice in chunk.choices:
                            for call in choice.delta.tool_calls or ():
                                told = call.function.arguments if call.function is not None else None
                                calls[call.index] = calls.get(call.index, "") + (told or "")
                    return sum(isinstance(json.loads(text), dict) for text in calls.values())

            bodies = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
            return sum(await asyncio.gather(*map(one, bodies)))

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop:  # both on the same event loop
        return loop.run(main())


SIDES: dict[str, Callable[[str, Path, int, Path], int]] = {
    "quantcheck run": run_ours,
    "openai client loop": run_openai_loop,
}


def write_samples(path: Path, n_requests: int) -> Path:
    """Write requests one a line, as the official samples are."""
    path.write_text("".join(json.dumps(request_body(number)) + "\n" for number in range(n_requests)))
    return path


def measure(side: str, base_url: str, n_requests: int, n_connections: int) -> Cost:
    """Return what a side spends in this process, after a warm-up that pays for imports and caches."""
    with tempfile.TemporaryDirectory() as scratch:
        few = write_samples(Path(scratch) / "few.jsonl", WARM_UP)
        all_of_them = write_samples(Path(scratch) / "samples.jsonl", n_requests)
        SIDES[side](base_url, few, WARM_UP, Path(scratch) / "warm-up")
        cpu_s, wall_s = time.process_time(), time.perf_counter()
        n_calls = SIDES[side](base_url, all_of_them, n_connections, Path(scratch) / "run")
        cpu_s, wall_s = time.process_time() - cpu_s, time.perf_counter() - wall_s
    return Cost(
        side=side,
        n_requests=n_requests,
        n_calls=n_calls,
        wall_s=wall_s,
        cpu_s=cpu_s,
        peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def row(cost: Cost, beside: Cost) -> str:
    """Return one line of the table; ``beside`` is what the ratios are of."""
    pace, other = cost.n_requests / cost.wall_s, beside.n_requests / beside.wall_s
    return (
        f"  {cost.side:<20} {pace:7.1f} requests/s ({pace / other:4.2f} x the loop)"
        f"   {cost.cpu_s / cost.n_requests * 1000:5.2f} ms CPU a request"
        f" ({cost.cpu_s / beside.cpu_s:4.2f} x)   {cost.n_calls:,} calls   peak {cost.peak_mb:,.0f} MB"
    )


def main() -> None:
    """Print both sides with their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--connections", type=int, default=256)
    parser.add_argument("--pause-ms", type=float, default=80.0, help="the server's, before each of 5 writes")
    asked = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(there, asked.pause_ms / 1000), daemon=True)
    server.start()
    base_url = f"http://127.0.0.1:{here.recv()}/v1"
    print(
        f"{asked.requests:,} requests, {asked.connections} in flight, {N_WRITES} x {asked.pause_ms:g} ms each"
    )
    costs = []
    for side in SIDES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            costs.append(pool.apply(measure, (side, base_url, asked.requests, asked.connections)))
    server.kill()
    for cost in costs:
        print(row(cost, costs[-1]))


if __name__ == "__main__":
    main()
