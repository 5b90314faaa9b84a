"""Workers of a Ray cluster ask one run: they share no disk with it, every finished exchange comes by message.

Ray is an optional extra and slow to import, so it is imported by whoever uses it (:func:`_ray`).
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from evals.asking_end import AskingEnd
from evals.exchange_store import ToldStore
from evals.exit_code import CommandError, ExitCode
from evals.journal import Journal
from evals.memory import out_of_memory, perhaps_out_of_memory
from evals.progress import Watcher
from evals.run_request import RunRequest
from evals.shards.crew import Crew
from evals.shards.dealing import Shard
from evals.shards.shard_run import ask_pairs, shares_of
from evals.shards.told import Recorded, Teller, Told
from tasks.pairs import Pair

LOOK_EVERY_S = 0.25


class Mailbox:
    """Holds what one worker tells until it is taken; as an actor of its own it outlives the worker."""

    def __init__(self) -> None:
        self._told: list[Told] = []

    def put(self, told: Told) -> None:
        """Keep a message."""
        self._told.append(told)

    def take(self) -> list[Told]:
        """Return the messages since the last time, in order."""
        told, self._told = self._told, []
        return told


class RayWorker:
    """A worker that is a Ray task with a mailbox."""

    def __init__(self, request: RunRequest, shard: Shard, pairs: Sequence[Pair], journal: Journal) -> None:
        self.shard = shard
        self._ray = _ray()
        self._request, self._pairs, self._journal = request, pairs, journal
        self._mailbox = self._ray.remote(num_cpus=0)(Mailbox).remote()
        self.start()

    def start(self) -> None:
        """Start the task; what the journal holds by now is not asked again."""
        task = self._ray.remote(num_cpus=1, max_retries=0)(work_on_ray)
        self._task = task.remote(self._request, self.shard, self._pairs, self._journal.keys(), self._mailbox)

    def hear(self) -> list[Told]:
        """Return what it has told since."""
        heard: list[Told] = self._ray.get(self._mailbox.take.remote())
        return heard

    def has_ended(self) -> bool:
        """Return whether the task is over."""
        ready, _ = self._ray.wait([self._task], timeout=0)
        return bool(ready)

    def death(self, memory_bytes: int | None) -> str:
        """Return how the task died, with Ray's own words."""
        errors = self._ray.exceptions
        try:
            self._ray.get(self._task)
        except errors.RayError as error:
            words = " ".join(str(error).split())[:200]
            died = f"died ({type(error).__name__}: {words})"
            if isinstance(error, errors.OutOfMemoryError):
                return f"was stopped by Ray, {out_of_memory(memory_bytes, 'its node')} ({words})"
            if isinstance(error, MemoryError):
                return f"died: {out_of_memory(memory_bytes, 'it')}"
            if isinstance(error, errors.WorkerCrashedError):
                return f"{died}{perhaps_out_of_memory(memory_bytes)}"
            return died
        return "ended without a word"

    def terminate(self) -> None:
        """Stop it: Ray has no way in order, and what it finished has been told."""
        self.kill()

    def kill(self) -> None:
        """Stop it at once."""
        self._ray.cancel(self._task, force=True)


def work_on_ray(
    request: RunRequest, shard: Shard, pairs: Sequence[Pair], known: frozenset[str], mailbox: Any
) -> None:
    """Be a worker: the whole life of its task. The key of the endpoint comes from the node's environment."""
    ray = _ray()
    last: list[Any] = []

    def send(told: Told) -> None:
        last[:] = [mailbox.put.remote(told)]

    teller = Teller(send)
    with tempfile.TemporaryDirectory() as directory:
        store = ToldStore(
            known, lambda key, exchange, facts: teller.tell(Recorded(key=key, exchange=exchange, facts=facts))
        )
        end = ask_pairs(
            request, shard, pairs, store=store, log_dir=Path(directory), watcher=teller, tell=teller.say
        )
    teller.tell(end)
    ray.get(last)  # messages arrive in order: with the last one all are there


def run_on_ray(
    request: RunRequest, journal: Journal, watcher: Watcher, *, tell: Callable[[str], None]
) -> AskingEnd:
    """Let ``n_workers`` Ray tasks ask the run, keep what they finish in ``journal``, return what they came to.

    The cluster is the one of ``RAY_ADDRESS``; without it Ray starts workers on this machine.
    """
    ray = _ray()
    address = os.environ.get("RAY_ADDRESS")
    local = {} if address else {"num_cpus": request.settings.n_workers, "include_dashboard": False}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    with redirect_stdout(sys.stderr):  # Ray prints what it thinks of dead tasks; stdout belongs to --json
        ray.init(address=address, log_to_driver=False, logging_level="error", **local)
        try:
            workers = [RayWorker(request, shard, pairs, journal) for shard, pairs in shares_of(request)]
            return Crew(
                workers,
                watcher,
                tell=tell,
                pause=lambda _running: time.sleep(LOOK_EVERY_S),
                keep=lambda told: journal.append(told.key, told.exchange, told.facts),
            ).run()
        finally:
            ray.shutdown()


def _ray() -> Any:
    try:
        return import_module("ray")
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise CommandError(
            "--engine ray: Ray is not installed; install quantcheck[ray], or use --engine local",
            ExitCode.USAGE,
        ) from None
