"""How long a command takes before it does anything: wall and CPU time of fresh processes, the page cache warm.

``python -m benchmarks.start_up`` prints a table and ends with 1 where the ``--help`` of quantcheck or of a
command whose flags stand by themselves (``evals.flags``) takes longer than its aim.
"""

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

from evals.command_list import COMMANDS

AIM_S = 0.5  # of --help, median CPU time: wall time on a shared machine measures the neighbours
N_RUNS = 7
CASES = {
    "python alone": ["-c", "pass"],
    "--help": ["quantcheck", "--help"],
    "list": ["quantcheck", "list"],
    **{f"{name} --help": ["quantcheck", name, "--help"] for name in COMMANDS},
}
_MAIN = "import sys; sys.argv = ['quantcheck', *sys.argv[1:]]; from quantcheck import main; main()"


@dataclass(frozen=True, kw_only=True)
class Times:
    """Seconds of one start."""

    wall: float
    cpu: float


def measure(arguments: list[str], n_runs: int = N_RUNS) -> list[Times]:
    """Start a process ``n_runs`` times, after one start that warms the page cache."""
    if arguments[0] == "quantcheck":
        arguments = ["-c", _MAIN, *arguments[1:]]
    return [_once(arguments) for _ in range(n_runs + 1)][1:]


def _once(arguments: list[str]) -> Times:
    before, started = os.times(), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Times(wall=time.perf_counter() - started, cpu=cpu)


def main() -> int:
    print(f"{'start':<16} {'CPU median':>11} {'wall median':>12} {'wall best':>10}   ({N_RUNS} each)")
    medians = {}
    for name, arguments in CASES.items():
        times = measure(arguments)
        medians[name] = statistics.median(one.cpu for one in times)
        wall = [one.wall for one in times]
        print(f"{name:<16} {medians[name]:>9.2f} s {statistics.median(wall):>10.2f} s {min(wall):>8.2f} s")
    print(f"aim of --help: {AIM_S} s of CPU")
    held = ["--help", *(f"{name} --help" for name, entry in COMMANDS.items() if "flags" in entry.module)]
    return 0 if all(medians[name] < AIM_S for name in held) else 1


if __name__ == "__main__":
    sys.exit(main())
