"""CPU per streamed chunk and per request: our provider beside the openai client and Inspect's own provider.

All clients read the same streams from one loopback server in a process of its own, in one run, so that the
ratios mean something on any machine. CPU is user + system time of this process.

    python benchmarks/transport.py [--streams 64] [--chunks 400] [--frames-per-write 1]
"""

import argparse
import asyncio
import multiprocessing
import resource
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import orjson
import uvloop
from aiohttp import web
from inspect_ai.model import ChatMessageUser, GenerateConfig, get_model
from openai import AsyncOpenAI

from evals.provider import EndpointAPI


@dataclass(frozen=True, kw_only=True)
class Load:
    """What every client is asked to read."""

    streams: int
    chunks: int
    frames_per_write: int
    pause_s: float


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one client spent on it."""

    client: str
    cpu_s: float
    wall_s: float
    peak_mb: float


def frame(index: int) -> bytes:
    """Return one streamed frame as vLLM sends it."""
    choice = {"index": 0, "delta": {"content": f" word{index % 10}"}, "logprobs": None, "finish_reason": None}
    chunk = {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    return b"data: " + orjson.dumps(chunk) + b"\n\n"


def stream_blocks(load: Load) -> list[bytes]:
    """Return the writes of one reply."""
    frames = [frame(index) for index in range(load.chunks)]
    last = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    stop = {"index": 0, "delta": {}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 10, "completion_tokens": load.chunks, "total_tokens": load.chunks + 10}
    frames.append(b"data: " + orjson.dumps({**last, "choices": [stop]}) + b"\n\n")
    frames.append(b"data: " + orjson.dumps({**last, "choices": [], "usage": usage}) + b"\n\ndata: [DONE]\n\n")
    step = load.frames_per_write
    return [b"".join(frames[start : start + step]) for start in range(0, len(frames), step)]


def serve(load: Load, port: "multiprocessing.connection.Connection") -> None:  # type: ignore[name-defined]
    """Serve the same stream to everybody until killed."""
    blocks = stream_blocks(load)

    async def complete(request: web.Request) -> web.StreamResponse:
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for block in blocks:
            await response.write(block)
            await asyncio.sleep(load.pause_s)
        await response.write_eof()
        return response

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", complete)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


async def ours(base_url: str, load: Load) -> None:
    """Read every stream with the endpoint provider."""
    api = EndpointAPI("m", base_url)
    message = [ChatMessageUser(content="hello")]
    await asyncio.gather(
        *(api.generate(message, [], "none", GenerateConfig(seed=i)) for i in range(load.streams))
    )
    await api.aclose()


async def openai_objects(base_url: str, load: Load) -> None:
    """Read every stream with the openai client's stream objects."""
    async with AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0) as client:

        async def one() -> str:
            stream = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "hello"}], stream=True
            )
            return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])

        await asyncio.gather(*(one() for _ in range(load.streams)))


async def inspect_provider(base_url: str, load: Load) -> None:
    """Read every stream with Inspect's built-in OpenAI-compatible provider."""
    model = get_model(
        "openai-api/bench/m", base_url=base_url, api_key="none", memoize=False, stream=True, max_retries=0
    )
    message = [ChatMessageUser(content="hello")]
    await asyncio.gather(
        *(model.api.generate(message, [], "none", GenerateConfig(seed=i)) for i in range(load.streams))
    )
    await model.api.aclose()


def measure(client: str, read: Callable[[str, Load], Awaitable[None]], base_url: str, load: Load) -> Cost:
    """Return the CPU and wall time of reading the whole load once, after a warm-up of two streams."""

    async def run() -> Cost:
        await read(base_url, Load(streams=2, chunks=load.chunks, frames_per_write=1, pause_s=0))
        cpu, wall = time.process_time(), time.perf_counter()
        await read(base_url, load)
        return Cost(
            client=client,
            cpu_s=time.process_time() - cpu,
            wall_s=time.perf_counter() - wall,
            peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        )

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as loop:  # every client on the same event loop
        return loop.run(run())


CLIENTS = {
    "quantcheck": ours,
    "openai stream objects": openai_objects,
    "inspect openai-api": inspect_provider,
}


def in_own_process(client: str, base_url: str, load: Load) -> Cost:
    """Measure in a fresh process, so that peak memory is this client's alone."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (client, CLIENTS[client], base_url, load))


def run_load(load: Load) -> None:
    """Serve one load, read it with every client, and print their costs with ratios to ours."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(load, there), daemon=True)
    server.start()
    base_url = f"http://127.0.0.1:{here.recv()}/v1"
    costs = [in_own_process(client, base_url, load) for client in CLIENTS]
    server.kill()
    pace = f"{load.frames_per_write} a write, {load.pause_s * 1000:g} ms apart"
    print(f"{load.streams} streams x {load.chunks} chunks, {pace}")
    for cost in costs:
        print(row(cost, load.streams * load.chunks, cost.cpu_s / costs[0].cpu_s))


def row(cost: Cost, n_chunks: int, ratio: float) -> str:
    """Return one line of the table."""
    return (
        f"  {cost.client:<22} {cost.cpu_s / n_chunks * 1e6:7.1f} us CPU a chunk ({ratio:5.1f} x ours)"
        f"   {n_chunks / cost.wall_s:9,.0f} chunks/s   peak {cost.peak_mb:,.0f} MB"
    )


def main() -> None:
    """Print the table for calm and for flooding servers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--streams", type=int, nargs="+", default=[64, 512])
    parser.add_argument("--chunks", type=int, default=300)
    arguments = parser.parse_args()
    for streams in arguments.streams:
        for frames_per_write, pause_s in ((1, 0.02), (1, 0.0), (8, 0.0)):
            run_load(
                Load(
                    streams=streams,
                    chunks=arguments.chunks,
                    frames_per_write=frames_per_write,
                    pause_s=pause_s,
                )
            )


if __name__ == "__main__":
    main()
