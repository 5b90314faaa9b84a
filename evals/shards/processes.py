"""Several processes of this machine ask one run."""

from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait

from evals.asking_end import AskingEnd
from evals.progress import Watcher
from evals.run_request import RunRequest
from evals.shards.crew import Crew
from evals.shards.dealing import Shard
from evals.shards.death import death_of
from evals.shards.places import shard_directory
from evals.shards.shard_run import shares_of
from evals.shards.told import Told
from evals.shards.worker import STDERR, work
from evals.told_process import ToldProcess
from tasks.pairs import Pair


class ProcessWorker:
    """A worker that is a process; what it finishes is in its shard's journal."""

    def __init__(self, request: RunRequest, shard: Shard, pairs: Sequence[Pair]) -> None:
        self.shard = shard
        self._request, self._pairs = request, pairs
        self.start()

    def start(self) -> None:
        """Start the process; what an earlier one finished is in the shard's journal."""
        arguments = (self._request, self.shard, self._pairs)
        self._process: ToldProcess[Told] = ToldProcess(work, arguments, name=f"shard {self.shard.name}")

    def hear(self) -> list[Told]:
        """Return what it has told since; a message that its death cut off is lost, not what it asked."""
        return self._process.hear()

    def has_ended(self) -> bool:
        """Return whether the process is gone."""
        return self._process.exit_code is not None

    def death(self, memory_bytes: int | None) -> str:
        """Return how the process died, with the last line it wrote."""
        return death_of(self._process.exit_code or 0, self._last_words(), memory_bytes)

    def terminate(self) -> None:
        """Ask it to stop in order."""
        self._process.terminate()

    def kill(self) -> None:
        """Stop it at once."""
        self._process.kill()

    def leave(self) -> None:
        """Wait until it is gone after its last word, so that no process outlives the run."""
        self._process.leave()

    def sources(self) -> Iterator[Connection | int]:
        """Yield what becomes ready when it tells something or dies."""
        return self._process.sources()

    def _last_words(self) -> str:
        path = shard_directory(self._request.directory, self.shard) / STDERR
        lines = path.read_text(errors="replace").split("\n") if path.exists() else []
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


def run_processes(request: RunRequest, watcher: Watcher, *, tell: Callable[[str], None]) -> AskingEnd:
    """Let ``n_workers`` processes ask the run and return what they came to.

    A worker that dies is started again where it stopped (:data:`evals.shards.crew.MOST_STARTS` times in all).
    Ctrl-C stops all of them in order, and so does what is fatal to one: the endpoint refuses the settings of
    all. What they finish lies in their shards' journals (:func:`evals.shards.places.absorb_shards`).
    """
    workers = [ProcessWorker(request, shard, pairs) for shard, pairs in shares_of(request)]

    def pause(running: Sequence[object]) -> None:
        at_work = [worker for worker in workers if worker in running]
        wait([source for worker in at_work for source in worker.sources()], timeout=1.0)

    end = Crew(workers, watcher, tell=tell, pause=pause).run()
    for worker in workers:
        worker.leave()
    return end
