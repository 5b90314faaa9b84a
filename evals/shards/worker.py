"""One worker process of this machine: asks its shard, and tells the process that started it how it goes."""

import os
import signal
from collections.abc import Sequence
from multiprocessing.connection import Connection

from evals.run_request import RunRequest
from evals.shards.dealing import Shard
from evals.shards.places import shard_directory
from evals.shards.shard_run import run_shard
from evals.shards.told import Teller, Told
from evals.told_process import Sender, stop_with_parent
from tasks.pairs import Pair

STDERR = "stderr.txt"  # in the shard's directory: the last words of a worker that crashes


def work(request: RunRequest, shard: Shard, pairs: Sequence[Pair], connection: Connection) -> None:
    """Be a worker: the whole life of its process."""
    os.setsid()  # Ctrl-C at the terminal reaches the parent alone, which then stops its workers in order
    stop_with_parent(signal.SIGTERM)
    directory = shard_directory(request.directory, shard)
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / STDERR).open("w") as file:
        os.dup2(file.fileno(), 2)
    send: Sender[Told] = Sender(connection)
    teller = Teller(send)
    teller.tell(run_shard(request, shard, pairs, teller, tell=teller.say))
    connection.close()
