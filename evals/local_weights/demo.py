"""Run the smoke task on quantized variants of one model and compare each with the weights as they came."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.commands.compare import write_report
from evals.commands.run import command as run_command
from evals.exit_code import CommandError, ExitCode
from evals.local_weights.settings import DemoSettings
from evals.local_weights.variants import SOURCE, VARIANTS, Variant
from reports.comparison import ComparisonSettings, compare
from reports.log_members import LogError
from reports.report import TaskReport
from reports.tolerance import Tolerance

TASK = "smoke"
# One request's prompt does not help the next, so that a seed gives its text again; llama.cpp's own sampling off.
EXTRA_BODY = {"cache_prompt": False, "top_k": 0, "min_p": 0}


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """What makes and serves a checkpoint: ``write(source, target, variant)``, ``serve(weights, model, log)``."""

    write: Callable[[Path, Path, Variant], int]
    serve: Callable[[Path, str, Path], AbstractContextManager[str]]


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """One checkpoint that was run: its size on disk, and the minutes to make and to run it."""

    name: str
    n_bytes: int
    minutes: float


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One variant beside the source; ``reason`` stands in for a comparison that could not be made."""

    checkpoint: Checkpoint
    task: TaskReport | None
    reason: str
    page: Path | None


@dataclass(frozen=True, kw_only=True)
class DemoEnd:
    """The source and what each variant lost."""

    source: Checkpoint
    comparisons: tuple[Comparison, ...]


def run_demo(source: Path, settings: DemoSettings, workshop: Workshop) -> DemoEnd:
    """Run the source and each variant, one at a time, and compare.

    Raises :class:`CommandError` where the source itself cannot be run, or on Ctrl-C.
    """
    base = _run_checkpoint(SOURCE, source, settings, workshop)
    compared = []
    for name in settings.variants:
        with _made(source, VARIANTS[name], settings, workshop) as weights:
            checkpoint = _run_variant(name, weights, settings, workshop)
        compared.append(_compared(checkpoint, settings))
    return DemoEnd(source=base, comparisons=tuple(compared))


@contextmanager
def _made(source: Path, variant: Variant, settings: DemoSettings, workshop: Workshop) -> Iterator[Path]:
    """Make a variant for as long as it is needed: four files of a larger model would fill a laptop."""
    with TemporaryDirectory(dir=settings.runs_dir, prefix=".weights-") as folder:
        target = Path(folder) / f"{variant.name}.gguf"
        started = time.monotonic()
        n_matrices = workshop.write(source, target, variant)
        took = time.monotonic() - started
        print(f"\n{variant.name}: {variant.what}; {n_matrices} matrices in {took:.0f} s", file=sys.stderr)
        yield target


def _run_variant(name: str, weights: Path, settings: DemoSettings, workshop: Workshop) -> Checkpoint:
    """Run a variant; one that cannot be run to its end (a dead one) is judged by what there is of it."""
    started = time.monotonic()
    try:
        return _run_checkpoint(name, weights, settings, workshop)
    except CommandError as error:
        if error.code is ExitCode.INTERRUPTED:
            raise
        print(f"{name}: {error}", file=sys.stderr)
        return Checkpoint(
            name=name, n_bytes=weights.stat().st_size, minutes=(time.monotonic() - started) / 60
        )


def _run_checkpoint(name: str, weights: Path, settings: DemoSettings, workshop: Workshop) -> Checkpoint:
    settings.runs_dir.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with workshop.serve(weights, name, settings.runs_dir / f"{name}.server.log") as base_url:
        code = run_command.main(_arguments(name, base_url, settings), "quantcheck run", standalone_mode=False)
    if code == ExitCode.INTERRUPTED:
        raise CommandError("demo-real: interrupted; the same command resumes", ExitCode.INTERRUPTED)
    return Checkpoint(name=name, n_bytes=weights.stat().st_size, minutes=(time.monotonic() - started) / 60)


def _arguments(name: str, base_url: str, settings: DemoSettings) -> list[str]:
    """Return what a user would type after ``quantcheck run``."""
    flags: dict[str, object] = {
        "--base-url": base_url,
        "--label": name,
        "--runs-dir": settings.runs_dir,
        "--epochs": VARIANTS[name].epochs(settings.epochs) if name in VARIANTS else settings.epochs,
        "--limit": settings.limit,
        "--max-tokens": settings.max_tokens,
        "--temperature": settings.temperature,
        "--max-connections": 4,
        "--think-mode": "opensource",
        "--extra-body": json.dumps(EXTRA_BODY),
    }
    given = [text for flag, value in flags.items() if value is not None for text in (flag, str(value))]
    return [TASK, "--no-thinking", *given]


def _compared(checkpoint: Checkpoint, settings: DemoSettings) -> Comparison:
    tolerance = Tolerance(margin=settings.margin, source="--margin")
    sides = (settings.runs_dir / SOURCE / TASK, settings.runs_dir / checkpoint.name / TASK)
    try:
        report = compare(*sides, ComparisonSettings(tasks=(TASK,), tolerance=tolerance))
    except LogError as error:
        return Comparison(checkpoint=checkpoint, task=None, reason=str(error), page=None)
    directory = write_report(report, settings.runs_dir / "compare" / checkpoint.name)
    (task,) = report.tasks
    return Comparison(checkpoint=checkpoint, task=task, reason=task.reason, page=directory / "report.html")
