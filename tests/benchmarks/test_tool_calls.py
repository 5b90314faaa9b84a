"""The benchmark of tool calls measures what it says: both sides send everything and find every call."""

import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.tool_calls import SIDES, Cost, row, serve, write_samples

pytestmark = [
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Unclosed <MemoryObject:ResourceWarning"),
]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    server = context.Process(target=serve, args=(there, 0.0), daemon=True)
    server.start()
    yield f"http://127.0.0.1:{here.recv()}/v1"
    server.kill()
    server.join()


@pytest.mark.parametrize("side", SIDES)
def test_each_side_finds_every_call(side: str, base_url: str, tmp_path: Path) -> None:
    samples = write_samples(tmp_path / "samples.jsonl", 6)
    assert SIDES[side](base_url, samples, 4, tmp_path / "run") == 6


def test_the_ratio_is_of_the_loop() -> None:
    ours = Cost(side="ours", n_requests=100, n_calls=100, wall_s=2.0, cpu_s=1.0, peak_mb=300.0)
    loop = Cost(side="loop", n_requests=100, n_calls=100, wall_s=4.0, cpu_s=0.5, peak_mb=200.0)
    assert "50.0 requests/s (2.00 x the loop)" in row(ours, loop)
    assert "10.00 ms CPU a request (2.00 x)" in row(ours, loop)
    assert "(1.00 x the loop)" in row(loop, loop)
