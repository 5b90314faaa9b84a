"""Memory and time of an MMMU-Pro run: 1,730 synthetic images of half a megabyte against a loopback endpoint.

Run ``python benchmarks/mmmu_memory.py [--images N] [--connections N]``. The endpoint is a process of its own,
so that the peak is that of the run alone; it checks that each request brings one image of the right size.
"""

import argparse
import asyncio
import base64
import io
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from aiohttp import web
from PIL import Image

from evals.cli import run_command_line

SIDE = 410  # pixels: 410 x 410 x 3 bytes of noise make a PNG of half a megabyte
REPLY_S = 0.5
ROWS_PER_WRITE = 50


def noise_png(rng: np.random.Generator) -> bytes:
    pixels = rng.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG", compress_level=0)
    return buffer.getvalue()


def write_dataset(path: Path, n_images: int) -> int:
    """Write the rows of a vision configuration; return the bytes of the images."""
    rng = np.random.default_rng(0)
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    schema = pa.schema(
        [
            ("id", pa.string()),
            ("options", pa.string()),
            ("answer", pa.string()),
            ("subject", pa.string()),
            ("image", image),
        ]
    )
    n_bytes = 0
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_images, ROWS_PER_WRITE):
            rows = [
                {
                    "id": f"synthetic_{number}",
                    "options": str([f"option {place}" for place in range(10)]),
                    "answer": "ABCDEFGHIJ"[number % 10],
                    "subject": f"subject {number % 30}",
                    "image": {"bytes": noise_png(rng), "path": None},
                }
                for number in range(start, min(start + ROWS_PER_WRITE, n_images))
            ]
            n_bytes += sum(len(row["image"]["bytes"]) for row in rows)
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
    return n_bytes


async def answer(request: web.Request) -> web.Response:
    body = json.loads(await request.read())
    parts = body["messages"][-1]["content"]
    images = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    content = base64.b64decode(images[0].partition(",")[2])
    if len(images) != 1 or len(content) < SIDE * SIDE * 3:
        return web.json_response({"error": {"message": f"{len(images)} images"}}, status=400)
    await asyncio.sleep(REPLY_S)
    message = {"role": "assistant", "content": "Answer: A"}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 300, "completion_tokens": 3, "total_tokens": 303}
    return web.json_response({"object": "chat.completion", "choices": [choice], "usage": usage})


def serve(port: Any) -> None:
    """Serve until killed; put the port taken into ``port``."""

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "synthetic", "max_model_len": 262_144}]})

    async def start() -> None:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/v1/models", models)
        app.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port.value = runner.addresses[0][1]
        await asyncio.Event().wait()

    asyncio.run(start())


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--images", type=int, default=1730)
    parser.add_argument("--connections", type=int, default=64)
    arguments = parser.parse_args()
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.get_context("fork").Process(target=serve, args=(port,), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "vision.parquet"
        writer = multiprocessing.get_context("fork").Process(
            target=write_dataset, args=(data, arguments.images)
        )
        writer.start()
        writer.join()
        while port.value == 0:
            time.sleep(0.05)
        size_mb, before = data.stat().st_size / 1e6, peak_mb()
        started, cpu_before = time.perf_counter(), cpu_s()
        where = [
            "--base-url",
            f"http://127.0.0.1:{port.value}",
            "--runs-dir",
            f"{folder}/runs",
            "--label",
            "x",
        ]
        what = ["--variant", "vision", "--dataset-path", str(data), "--accept-dataset"]
        how = ["--max-connections", str(arguments.connections), "--no-stream"]
        code = run_command_line(["run", "mmmu_pro", *where, *what, *how])
        took = time.perf_counter() - started
        logs = sum(log.stat().st_size for log in Path(folder).rglob("*.eval")) / 1e6
    server.terminate()
    print(
        f"{arguments.images:,} images, {size_mb:,.0f} MB; {arguments.connections} in flight: {took:.0f} s, "
        f"{cpu_s() - cpu_before:.0f} s of CPU, "
        f"peak memory {peak_mb():,.0f} MB ({before:,.0f} MB before), log {logs:.1f} MB, exit code {code}"
    )
    return code


if __name__ == "__main__":
    sys.exit(main())
