"""A run of made items against a server of its own, for benchmarks of the runner itself."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.transport import Load, serve
from evals.endpoint import Endpoint
from evals.endpoint_facts import EndpointFacts
from evals.run_request import RunRequest, RunSettings
from tasks.benchmark import Item
from tasks.catalog import find_benchmark
from tasks.protocol import resolve_spec
from tasks.spec import DatasetFacts


@contextmanager
def streams(load: Load) -> Iterator[str]:
    """Yield the base URL of a server that streams the same reply to everybody, in a process of its own."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(load, there), daemon=True)
    server.start()
    try:
        yield f"http://127.0.0.1:{here.recv()}/v1"
    finally:
        server.kill()


def made_request(base_url: str, directory: Path, *, n_items: int, epochs: int, label: str) -> RunRequest:
    """Return a run of ``n_items`` made problems; change its settings with :func:`dataclasses.replace`."""
    benchmark = find_benchmark("aime25")
    items = [
        Item(sample_id=f"made-{k}", prompt=f"Problem {k}: " + "x" * 300, target="7", content_hash=f"{k:016x}")
        for k in range(n_items)
    ]
    facts = DatasetFacts(
        name="made",
        source="made",
        revision=None,
        content_hash="0" * 16,
        n_items=n_items,
        is_pinned_content=None,
    )
    return RunRequest(
        benchmark=benchmark,
        spec=replace(resolve_spec(benchmark, facts), epochs=epochs),
        items=items,
        endpoint=Endpoint(base_url=base_url, model="m", label=label),
        facts=EndpointFacts(models=("m",)),
        settings=RunSettings(runs_dir=directory),
    )
