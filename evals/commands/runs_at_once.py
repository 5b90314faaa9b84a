"""Several runs at the same time: a process each, watched from here."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import wait

from tqdm import tqdm

from evals.commands.one_run import INTERRUPTED, failed
from evals.commands.run_process import Began, RunTold, RunWork, make_run
from evals.exit_code import ExitCode
from evals.interrupts import STOPPING, on_interrupt
from evals.progress import Progress
from evals.run_state import RunState
from evals.runner import show_progress
from evals.shards.death import death_of
from evals.shards.told import Finished, Said, Sent, Streaming
from evals.told_process import ToldProcess


@dataclass(frozen=True, kw_only=True)
class Job:
    """One run to make: ``title`` stands before what it says; ``work`` goes to another process (is pickled)."""

    name: str
    title: str
    work: RunWork


class _RunUnderWay:
    """One run, its process, and what it told so far; ``state`` once it has said how it stands."""

    def __init__(self, job: Job) -> None:
        self.name = job.name
        self.state: RunState | None = None
        self.process: ToldProcess[RunTold] = ToldProcess(make_run, (job.work,), name=job.title)
        self._title = job.title
        self._progress: Progress | None = None
        self._n_chunks = 0
        self._memory_bytes: int | None = None
        self._last_line = ""

    def look_after(self) -> bool:
        """Hear it, show what it tells, and return whether its process is over."""
        is_over = self.process.exit_code is not None  # asked first: whatever it told then is there to hear
        for told in self.process.hear():
            self._take(told)
        if is_over and self._progress is not None:
            self._progress.close()
        return is_over

    def stop(self) -> None:
        """Stop it in order; before it asks it has nothing to put in order, and may still be importing."""
        if self._progress is None:
            self.process.kill()
        else:
            self.process.interrupt()

    def end(self, *, is_stopping: bool) -> RunState:
        """Return how the run stands once its process is over, whichever way that ended."""
        if self.state is not None:
            return self.state
        if is_stopping:
            return INTERRUPTED
        died = death_of(self.process.exit_code or 0, self._last_line, self._memory_bytes)
        return failed(
            f"its process {died}; what it had finished is kept, the same command resumes", ExitCode.INVALID
        )

    def _take(self, told: RunTold) -> None:
        if isinstance(told, RunState):
            self.state = told
        elif isinstance(told, Began):
            self._begin(told)
        elif isinstance(told, Finished) and self._progress is not None:
            self._progress.finished(told.outcome)
        elif isinstance(told, Sent) and self._progress is not None:
            self._progress.sent(told.is_retry)
        elif isinstance(told, Streaming):
            self._n_chunks, self._memory_bytes = told.n_chunks, told.memory_bytes
        elif isinstance(told, Said) and told.line.strip() != STOPPING:  # said once for all runs
            self._last_line = told.line.strip()
            show(f"{self._title}: {told.line}")

    def _begin(self, began: Began) -> None:
        if self._progress is not None:
            self._progress.close()
        self._n_chunks = 0
        self._progress = Progress(expected=began.expected, recorded=began.recorded, title=self._title)
        self._progress.live_tokens = lambda: self._n_chunks


class RunsAtOnce:
    """Makes runs as they may start.

    ``startable`` returns, given the names of those under way, what can start beside them; ``on_end`` hears how
    each run stands in the end.
    """

    def __init__(
        self,
        startable: Callable[[Sequence[str]], Iterable[Job]],
        on_end: Callable[[str, RunState], None],
    ) -> None:
        self._startable, self._on_end = startable, on_end
        self._under_way: list[_RunUnderWay] = []
        self._is_stopping = False

    def make(self) -> None:
        """Make them. Returns early, with the runs under way stopped in order, after Ctrl-C."""
        with on_interrupt(stop=self._interrupt, kill=self._kill):
            try:
                self._start()
                while self._under_way:
                    self._watch()
            finally:  # a record that cannot be written, a fault of ours: no run outlives its starter
                for run in self._under_way:
                    run.stop()
                for run in self._under_way:
                    run.process.leave()

    def _start(self) -> None:
        for job in self._startable([run.name for run in self._under_way]):
            self._under_way.append(_RunUnderWay(job))

    def _watch(self) -> None:
        """Wait until a run tells something, and take those that are over."""
        wait([source for run in self._under_way for source in run.process.sources()], timeout=1.0)
        ended = [run for run in self._under_way if run.look_after()]
        for run in ended:
            self._under_way.remove(run)
            self._on_end(run.name, run.end(is_stopping=self._is_stopping))
        if ended and not self._is_stopping:
            self._start()

    def _interrupt(self) -> None:
        self._is_stopping = True
        show(f"\n{STOPPING}")
        for run in self._under_way:
            run.stop()

    def _kill(self) -> None:
        for run in self._under_way:
            run.process.kill()


def make_in_turn(
    startable: Callable[[Sequence[str]], Iterable[Job]], on_end: Callable[[str, RunState], None]
) -> None:
    """Make runs as :class:`RunsAtOnce` would, but in this process, one after the other, until one is interrupted."""
    while jobs := list(startable(())):
        for job in jobs:
            show(job.title)
            state = job.work(show_progress)
            on_end(job.name, state)
            if state.code is ExitCode.INTERRUPTED:
                return


def show(text: str) -> None:
    """Write to stderr between the bars of runs under way."""
    tqdm.write(text, file=sys.stderr)
