"""One worker process of this machine: asks its shard, and tells the process that started it how it goes."""

import os
import signal
import threading
from collections.abc import Sequence
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait

from evals.run_request import RunRequest
from evals.shards.dealing import Shard
from evals.shards.places import shard_directory
from evals.shards.shard_run import run_shard
from evals.shards.told import Teller, Told
from tasks.pairs import Pair

STDERR = "stderr.txt"  # in the shard's directory: the last words of a worker that crashes


def work(request: RunRequest, shard: Shard, pairs: Sequence[Pair], connection: Connection) -> None:
    """Be a worker: the whole life of its process."""
    os.setsid()  # Ctrl-C at the terminal reaches the parent alone, which then stops its workers in order
    _stop_with_parent()
    directory = shard_directory(request.directory, shard)
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / STDERR).open("w") as file:
        os.dup2(file.fileno(), 2)

    def send(told: Told) -> None:
        try:
            connection.send(told)
        except OSError:
            return  # nobody hears it any more; the answers are in the journal

    teller = Teller(send)
    teller.tell(run_shard(request, shard, pairs, teller, tell=teller.say))
    connection.close()


def _stop_with_parent() -> None:
    """Stop this process in order once its parent is gone: nobody would take over what it asks."""
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="parent-watch").start()
