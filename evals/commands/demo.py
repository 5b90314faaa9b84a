"""``quantcheck demo``: the main job against two simulated checkpoints, beside the truth they were given."""

import sys
from contextlib import ExitStack
from pathlib import Path

from evals.commands.compare import write_report
from evals.endpoint import Endpoint
from evals.exit_code import CommandError, ExitCode
from evals.fleet.survey import survey
from evals.runner import RunRequest, RunSettings, run
from evals.simulator.config import SimulatorConfig
from evals.simulator.exams import book_of
from evals.simulator.profile import BUILT_IN
from evals.simulator.server import Running, serve_in_thread
from evals.storage.run_directory import write_json
from reports.comparison import ComparisonSettings, compare
from reports.report import Report
from reports.run_summary import summarise_run
from reports.run_text import render_summary
from reports.terminal import render_terminal
from tasks.benchmark import Benchmark
from tasks.catalog import find_benchmark
from tasks.exam import Exam, load_exam
from tasks.protocol import Overrides, resolve_spec

TASK = "aime25"
SIDES = ("int4", "nvfp4")
TOKEN_SCALE = 0.01  # a hundredth of real lengths: the same shape, two minutes instead of two GPU days


def show_demo(runs_dir: Path, epochs: int | None, dataset_path: Path | None) -> None:
    """Do what ``quantcheck demo`` is asked; its flags are in :mod:`evals.flags.demo`."""
    benchmark = find_benchmark(TASK)
    exam = load_exam(benchmark, path=dataset_path)
    book = book_of((benchmark, exam.items))
    print(
        "SIMULATED: no model runs here. Two profiles play int4 and nvfp4; only the problems are real.\n",
        file=sys.stderr,
    )
    with ExitStack() as servers:
        running = {
            side: servers.enter_context(
                serve_in_thread(SimulatorConfig(profile=BUILT_IN[side], book=book, token_scale=TOKEN_SCALE))
            )
            for side in SIDES
        }
        for side in SIDES:
            _run_side(side, running[side], benchmark, exam, runs_dir=runs_dir, epochs=epochs)
    report = compare(runs_dir / SIDES[0], runs_dir / SIDES[1], ComparisonSettings(tasks=(TASK,)))
    directory = write_report(report, runs_dir / "compare")
    print(render_terminal(report))
    print(_beside_truth(report, running))
    print(
        f"report {directory / 'report.html'} · next: quantcheck run aime25 --base-url YOUR-ENDPOINT --label nvfp4"
    )


def _run_side(
    side: str, running: Running, benchmark: Benchmark, exam: Exam, *, runs_dir: Path, epochs: int | None
) -> None:
    spec = resolve_spec(benchmark, exam.dataset, overrides=Overrides(epochs=epochs))
    endpoint = Endpoint(base_url=running.base_url, model=running.model, label=side)
    request = RunRequest(
        benchmark=benchmark,
        spec=spec,
        items=exam.items,
        endpoint=endpoint,
        facts=survey(running.base_url, api_key_env=endpoint.api_key_env, headers={}),
        settings=RunSettings(runs_dir=runs_dir),
    )
    end = run(request)
    summary = summarise_run(
        end.directory, requests_sent=end.n_requests_sent, retries=end.n_retries, max_error_rate=0.0
    )
    write_json(end.directory / "summary.json", summary)
    print(render_summary(summary, end.directory) + "\n")
    if end.was_interrupted:
        raise CommandError("demo: interrupted; the same command resumes", ExitCode.INTERRUPTED)
    if end.fatal is not None:
        raise CommandError(f"demo: {end.fatal.stop_words}", ExitCode.ENDPOINT_OR_DATA)


def _beside_truth(report: Report, running: dict[str, Running]) -> str:
    """Return the measured delta beside the one the simulated checkpoints were made with."""
    truths = {side: server.truth.mean(TASK) for side, server in running.items()}
    true_delta = truths[SIDES[1]] - truths[SIDES[0]]
    analysis = report.tasks[0].analysis
    if analysis is None:
        return "no delta was measured"
    interval = analysis.interval
    holds = "holds" if interval.low <= true_delta <= interval.high else "does not hold"
    return (
        f"known truth of this simulation: int4 {truths['int4']:.2%}, nvfp4 {truths['nvfp4']:.2%}, "
        f"delta {100 * true_delta:+.2f} pp; the interval {holds} it"
    )
