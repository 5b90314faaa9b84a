"""Make runs of a campaign on different endpoints at the same time: a process each, watched from here."""

import sys
from collections.abc import Callable
from multiprocessing.connection import wait

from tqdm import tqdm

from evals.campaign import Campaign, PlannedRun, RunState, RunStatus, startable
from evals.commands.campaign_process import Began, RunTold, make_run
from evals.commands.campaign_run import INTERRUPTED, failed
from evals.commands.campaign_text import run_title
from evals.exit_code import ExitCode
from evals.interrupts import STOPPING, on_interrupt
from evals.progress import Progress
from evals.shards.death import death_of
from evals.shards.told import Finished, Said, Streaming
from evals.told_process import ToldProcess


class _RunUnderWay:
    """One run, its process, and what it told so far; ``state`` once it has said how it stands."""

    def __init__(self, planned: PlannedRun, title: str) -> None:
        self.planned = planned
        self.state: RunState | None = None
        self.process: ToldProcess[RunTold] = ToldProcess(make_run, (planned,), name=title)
        self._title = title
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
        elif isinstance(told, Streaming):
            self._n_chunks, self._memory_bytes = told.n_chunks, told.memory_bytes
        elif isinstance(told, Said) and told.line != STOPPING:  # said once for all runs
            self._last_line = told.line.strip()
            show(f"{self._title}: {told.line}")

    def _begin(self, began: Began) -> None:
        if self._progress is not None:
            self._progress.close()
        self._n_chunks = 0
        self._progress = Progress(expected=began.expected, recorded=began.recorded, title=self._title)
        self._progress.live_tokens = lambda: self._n_chunks


class ParallelRuns:
    """The runs of a campaign that are not complete; ``states`` is kept up to date as they are made.

    ``on_change`` is called where other runs are under way than before, ``on_end`` after one has ended.
    """

    def __init__(
        self,
        campaign: Campaign,
        states: dict[str, RunState],
        *,
        on_change: Callable[[], None],
        on_end: Callable[[], object],
    ) -> None:
        self._campaign, self._states = campaign, states
        self._on_change, self._on_end = on_change, on_end
        self._under_way: list[_RunUnderWay] = []
        self._is_stopping = False

    def make(self) -> None:
        """Make them. Returns early, with the runs under way stopped in order, after Ctrl-C."""
        with on_interrupt(stop=self._interrupt, kill=self._kill):
            try:
                self._start()
                while self._under_way:
                    self._watch()
            finally:  # a record that cannot be written, a fault of ours: no run outlives its campaign
                for run in self._under_way:
                    run.stop()
                for run in self._under_way:
                    run.process.leave()

    def _watch(self) -> None:
        """Wait until a run tells something, and take those that are over."""
        wait([source for run in self._under_way for source in run.process.sources()], timeout=1.0)
        ended = [run for run in self._under_way if run.look_after()]
        for run in ended:
            self._under_way.remove(run)
            self._states[run.planned.identity] = run.end(is_stopping=self._is_stopping)
            self._on_end()
        if ended and not self._is_stopping:
            self._start()

    def _start(self) -> None:
        """Start every run that no other one keeps from its endpoint."""
        waiting = [
            run for run in self._campaign.runs if self._states[run.identity].status is RunStatus.WAITING
        ]
        running = [run.planned for run in self._under_way]
        for planned in startable(waiting, running, self._campaign.parallel):
            self._states[planned.identity] = RunState(status=RunStatus.RUNNING)
            number = self._campaign.runs.index(planned) + 1
            self._under_way.append(
                _RunUnderWay(planned, run_title(planned, number, len(self._campaign.runs)))
            )
        if self._under_way:
            self._on_change()

    def _interrupt(self) -> None:
        self._is_stopping = True
        show(f"\n{STOPPING}")
        for run in self._under_way:
            run.stop()

    def _kill(self) -> None:
        for run in self._under_way:
            run.process.kill()


def show(text: str) -> None:
    """Write to stderr between the bars of runs under way."""
    tqdm.write(text, file=sys.stderr)
