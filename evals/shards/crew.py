"""Look after the workers of one run, wherever they live: hear them, start a dead one again, stop them in order."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from evals.asking_end import AskingEnd, together
from evals.interrupts import STOPPING, on_interrupt
from evals.progress import Watcher
from evals.shards.dealing import Shard
from evals.shards.told import Finished, Recorded, Said, Sent, Streaming, Told

MOST_STARTS = 3  # of one worker; what it has not asked by then, the run's own process asks
STOPPING_S = 20.0  # for a worker to close its connections and its journal


class Worker(Protocol):
    """One worker and its shard; it is running from its making on."""

    shard: Shard

    def start(self) -> None:
        """Start it again; what it finished before is not asked again."""

    def hear(self) -> list[Told]:
        """Return what it has told since it was last heard."""

    def has_ended(self) -> bool:
        """Return whether it runs no more, in whatever way it ended."""

    def death(self, memory_bytes: int | None) -> str:
        """Return in words how it died, of a worker that ended without saying what asking came to.

        ``memory_bytes`` is what it last said to use.
        """

    def terminate(self) -> None:
        """Ask it to stop in order."""

    def kill(self) -> None:
        """Stop it at once."""


class _Charge:
    """A worker with what is known of it; ``end`` once it is over.

    The other counts are of the process that runs now, ``lost`` is what those before it sent until they died.
    """

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.end: AskingEnd | None = None
        self.lost = AskingEnd()
        self.n_starts = 1
        self._begin()

    def died(self) -> None:
        """Keep the counts of a process that has not told them itself, and begin those of the next."""
        own = AskingEnd(n_requests_sent=self.n_sent, n_retries=self.n_retries)
        self.lost = together([self.lost, own])
        self._begin()

    def _begin(self) -> None:
        self.n_sent = self.n_retries = self.n_chunks = 0
        self.memory_bytes: int | None = None


class Crew:
    """The workers of one run. ``pause`` waits a moment, until one of those given has something to tell.

    ``keep`` takes finished exchanges of workers that share no disk with the run.
    """

    def __init__(
        self,
        workers: Sequence[Worker],
        watcher: Watcher,
        *,
        tell: Callable[[str], None],
        pause: Callable[[Sequence[Worker]], None],
        keep: Callable[[Recorded], None] | None = None,
    ) -> None:
        self._charges = [_Charge(worker) for worker in workers]
        self._watcher, self._tell, self._pause, self._keep = watcher, tell, pause, keep
        self._said: set[str] = set()
        self._was_interrupted = False
        self._stopped_at: float | None = None

    def run(self) -> AskingEnd:
        """Hear them until all are over and return what they came to together."""
        self._watcher.live_tokens = lambda: sum(charge.n_chunks for charge in self._charges)
        with on_interrupt(stop=self._interrupt, kill=self._kill):
            while running := [charge for charge in self._charges if charge.end is None]:
                self._pause([charge.worker for charge in running])
                for charge in running:
                    self._look_after(charge)
                self._kill_who_hangs()
        self._watcher.close()
        ends = [charge.end for charge in self._charges if charge.end is not None]
        end = together([*ends, *(charge.lost for charge in self._charges)])
        return replace(end, was_interrupted=self._was_interrupted)

    def _look_after(self, charge: _Charge) -> None:
        has_ended = charge.worker.has_ended()  # asked first: whatever it told then is there to hear
        for told in charge.worker.hear():
            self._take(charge, told)
        if has_ended and charge.end is None:
            self._replace(charge)

    def _take(self, charge: _Charge, told: Told) -> None:
        if isinstance(told, Finished):
            self._watcher.finished(told.outcome)
        elif isinstance(told, Sent):
            charge.n_sent += 1
            charge.n_retries += told.is_retry
            self._watcher.sent(told.is_retry)
        elif isinstance(told, Streaming):
            charge.n_chunks, charge.memory_bytes = told.n_chunks, told.memory_bytes
        elif isinstance(told, Said):
            # every worker sees the same endpoint; that it stops is for this process to say
            if told.line not in self._said and told.line.strip() != STOPPING:
                self._said.add(told.line)
                self._tell(told.line)
        elif isinstance(told, Recorded):
            if self._keep is not None:
                self._keep(told)
        elif self._stopped_at is not None or not told.was_interrupted:
            charge.end = told
            if told.fatal is not None:
                self._stop()
        # else somebody outside told it to stop, and it did so in order: it is replaced as one that died

    def _replace(self, charge: _Charge) -> None:
        """Start a dead worker again, so that it goes on where it died; else leave its share to the run."""
        memory_bytes = charge.memory_bytes
        charge.died()
        if self._stopped_at is not None:
            charge.end = AskingEnd()
            return
        died = f"note: worker {charge.worker.shard.name} {charge.worker.death(memory_bytes)}"
        if charge.n_starts >= MOST_STARTS:
            charge.end = AskingEnd()
            self._tell(f"{died}; what it had finished is kept, the run itself asks the rest of its share")
        else:
            self._tell(f"{died}; started again, what it had finished is kept")
            charge.n_starts += 1
            charge.worker.start()

    def _interrupt(self) -> None:
        self._was_interrupted = True
        self._tell(f"\n{STOPPING}")
        self._stop()

    def _stop(self) -> None:
        self._stopped_at = self._stopped_at or time.monotonic()
        for charge in self._charges:
            if charge.end is None:
                charge.worker.terminate()

    def _kill_who_hangs(self) -> None:
        if self._stopped_at is None or time.monotonic() - self._stopped_at < STOPPING_S:
            return
        self._kill()

    def _kill(self) -> None:
        for charge in self._charges:
            if charge.end is None:
                charge.worker.kill()
