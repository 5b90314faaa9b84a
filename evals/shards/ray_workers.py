"""Workers of a Ray cluster ask one run: they share no disk with it, every finished exchange comes by message.

Ray is an optional extra and slow to import, so it is imported by whoever uses it (:func:`_ray`).
"""

import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

from evals.asking_end import AskingEnd
from evals.exit_code import CommandError, ExitCode
from evals.memory import out_of_memory, perhaps_out_of_memory
from evals.progress import Watcher
from evals.run_request import RunRequest
from evals.shards.crew import Crew
from evals.shards.dealing import Shard
from evals.shards.death import MOST_WORDS
from evals.shards.shard_run import ask_pairs, shares_of
from evals.shards.told import Recorded, Teller, Told
from evals.storage.exchange_store import ToldStore
from evals.storage.journal import Journal
from tasks.pairs import Pair

LOOK_EVERY_S = 0.25
_WITHOUT_A_WORD = "was told to stop by somebody else, or ended without a word"
REACHED_WITHIN_S = 15.0  # a cluster; Ray itself tries for minutes


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
    """A worker that is a Ray task with a mailbox; it is dead where either is.

    A mailbox that dies takes with it what was not yet taken from it: that is asked again.
    """

    def __init__(self, request: RunRequest, shard: Shard, pairs: Sequence[Pair], journal: Journal) -> None:
        self.shard = shard
        self._ray = _ray()
        self._request, self._pairs, self._journal = request, pairs, journal
        self.start()

    def start(self) -> None:
        """Start the task; what the journal holds by now is not asked again."""
        self._lost_mailbox: Exception | None = None
        self._mailbox = self._ray.remote(num_cpus=0)(Mailbox).remote()
        task = self._ray.remote(num_cpus=1, max_retries=0)(work_on_ray)
        self._task = task.remote(self._request, self.shard, self._pairs, self._journal.keys(), self._mailbox)

    def hear(self) -> list[Told]:
        """Return what it has told since."""
        try:
            heard: list[Told] = self._ray.get(self._mailbox.take.remote())
        except self._ray.exceptions.RayError as error:
            self._lost_mailbox = error
            self.kill()
            return []
        return heard

    def has_ended(self) -> bool:
        """Return whether the task is over, or nobody can hear it any more."""
        ready, _ = self._ray.wait([self._task], timeout=0)
        return bool(ready) or self._lost_mailbox is not None

    def death(self, memory_bytes: int | None) -> str:
        """Return how the task or its mailbox died, with Ray's own words."""
        error = self._lost_mailbox
        try:
            if error is None:
                self._ray.get(self._task)
        except self._ray.exceptions.RayError as raised:
            error = raised
        return _WITHOUT_A_WORD if error is None else self._words_of(error, memory_bytes)

    def _words_of(self, error: Exception, memory_bytes: int | None) -> str:
        errors = self._ray.exceptions
        words = " ".join(str(error).split())[:MOST_WORDS]
        if isinstance(error, errors.OutOfMemoryError):
            return f"was stopped by Ray: {out_of_memory(memory_bytes, 'its node')} ({words})"
        if isinstance(error, MemoryError):
            return f"died: {out_of_memory(memory_bytes, 'it')}"
        guess = perhaps_out_of_memory(memory_bytes) if isinstance(error, errors.WorkerCrashedError) else ""
        return f"died ({type(error).__name__}: {words}){guess}"

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
    with redirect_stdout(sys.stderr):  # Ray prints what it thinks of dead tasks; stdout belongs to --json
        _connect(ray, request.settings.n_workers)
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


def _connect(ray: Any, n_workers: int) -> None:
    """Join the cluster of ``RAY_ADDRESS``, else start Ray here; raise :class:`CommandError` where none is."""
    address = os.environ.get("RAY_ADDRESS")
    local = {} if address else {"num_cpus": n_workers, "include_dashboard": False}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
    found = f"Ray cluster {address!r}:" if address else "Ray on this machine:"
    way_out = "start it, mend RAY_ADDRESS, or unset it to start Ray on this machine"
    try:
        _reach(address or "")
        ray.init(address=address, log_to_driver=False, logging_level="error", **local)
    except OSError as error:
        words = error.strerror or error
        raise CommandError(
            f"{found} cannot be reached ({words}); {way_out}", ExitCode.ENDPOINT_OR_DATA
        ) from error
    except (ValueError, RuntimeError) as error:  # no address, another version of Ray
        words = " ".join(str(error).split())[:MOST_WORDS]
        raise CommandError(
            f"{found} cannot be used ({words}); {way_out}", ExitCode.ENDPOINT_OR_DATA
        ) from error


def _reach(address: str) -> None:
    """Raise :class:`OSError` where nobody listens at a host and port; any other address is for Ray to read."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=REACHED_WITHIN_S).close()


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
