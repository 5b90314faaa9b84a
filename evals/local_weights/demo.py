"""Run the smoke task on quantized variants of one model and compare each with the weights as they came."""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from evals.commands.compare import write_report
from evals.commands.runs_at_once import Job, RunsAtOnce, make_in_turn
from evals.exit_code import CommandError, ExitCode
from evals.local_weights.checkpoint_run import TASK, Assignment, Workshop, run_checkpoint
from evals.local_weights.settings import DemoSettings
from evals.local_weights.variants import SOURCE
from evals.run_state import RunState
from reports.comparison import ComparisonSettings, compare
from reports.log_members import LogError
from reports.report import TaskReport
from reports.tolerance import Tolerance


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
    """Run the source and each variant, ``settings.parallel`` at a time, and compare.

    Raises :class:`CommandError` where the source itself cannot be run, or on Ctrl-C.
    """
    settings.runs_dir.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=settings.runs_dir, prefix=".weights-") as folder:
        runs = _CheckpointRuns(source, Path(folder), settings, workshop)
        if settings.parallel == 1:
            make_in_turn(runs.startable, runs.end)
        else:
            RunsAtOnce(runs.startable, runs.end).make()
    ended = runs.ended
    return DemoEnd(
        source=ended[SOURCE],
        comparisons=tuple(_compared(ended[name], settings) for name in settings.variants),
    )


class _CheckpointRuns:
    """Deals out the checkpoints, the source first, and notes what each took; ``ended`` by name."""

    def __init__(self, source: Path, folder: Path, settings: DemoSettings, workshop: Workshop) -> None:
        self._source, self._folder = source, folder
        self._settings, self._workshop = settings, workshop
        self._waiting = iter((SOURCE, *settings.variants))
        self._started: dict[str, float] = {}
        self.ended: dict[str, Checkpoint] = {}

    def startable(self, under_way: Sequence[str]) -> Iterator[Job]:
        """Yield the next checkpoints, as many as there is room for."""
        for _place in range(self._settings.parallel - len(under_way)):
            name = next(self._waiting, None)
            if name is None:
                return
            self._started[name] = time.monotonic()
            assignment = Assignment(name=name, source=self._source, weights=self._weights(name))
            work = partial(run_checkpoint, assignment, self._settings, self._workshop)
            yield Job(name=name, title=name, work=work)

    def end(self, name: str, state: RunState) -> None:
        """Note how a checkpoint ended; one that could not be run (a dead one) is judged by what there is of it.

        Raises :class:`CommandError` where it is the source, or was interrupted.
        """
        if state.code is ExitCode.INTERRUPTED:
            raise CommandError("demo-real: interrupted; the same command resumes", ExitCode.INTERRUPTED)
        if state.problem is not None:
            if name == SOURCE:
                raise CommandError(f"{SOURCE}: {state.problem}", state.code)
            print(f"{name}: {state.problem}", file=sys.stderr)
        weights = self._weights(name)
        self.ended[name] = Checkpoint(
            name=name,
            n_bytes=weights.stat().st_size if weights.exists() else 0,
            minutes=(time.monotonic() - self._started[name]) / 60,
        )
        if name != SOURCE:  # four files of a larger model would fill a laptop
            weights.unlink(missing_ok=True)

    def _weights(self, name: str) -> Path:
        return self._source if name == SOURCE else self._folder / f"{name}.gguf"


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
