"""Every benchmark by the name users type."""

from collections.abc import Mapping
from difflib import get_close_matches

from tasks.aime25 import AIME25
from tasks.benchmark import Benchmark
from tasks.gpqa_diamond import GPQA_DIAMOND
from tasks.k2_tool_calls import K2_TOOL_CALLS
from tasks.mmmu_pro import MMMU_PRO
from tasks.ocrbench import OCRBENCH
from tasks.smoke import SMOKE
from tasks.spec import SpecError

BENCHMARKS: Mapping[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (SMOKE, AIME25, GPQA_DIAMOND, OCRBENCH, MMMU_PRO, K2_TOOL_CALLS)
}


# Tasks without items of one right answer: what asks them.
ELSEWHERE: Mapping[str, str] = {
    "vendor_contract": "quantcheck verify --profile PROFILE asks it; inspect eval runs it as a task"
}


def find_benchmark(name: str) -> Benchmark:
    """Return the benchmark called ``name``; raise :class:`SpecError` that lists the known ones."""
    if name in ELSEWHERE:
        raise SpecError(f"task {name!r}: has no score to compare; {ELSEWHERE[name]}")
    if name not in BENCHMARKS:
        likely = "".join(f"; did you mean {one!r}?" for one in get_close_matches(name, BENCHMARKS, n=1))
        raise SpecError(f"task {name!r}: not a task; choose one of {', '.join(BENCHMARKS)}{likely}")
    return BENCHMARKS[name]
