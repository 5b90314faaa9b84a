"""A crew passes on to whoever watches what its workers tell."""

from evals.asking_end import AskingEnd
from evals.interrupts import STOPPING
from evals.shards.crew import Crew
from evals.shards.dealing import Shard
from evals.shards.death import death_of
from evals.shards.told import Finished, Said, Sent


class Told:
    """A worker that has told everything by the time it is first heard; each life of it tells its own."""

    shard = Shard(number=1, n_shards=1)

    def __init__(self, *lives):
        self._lives = list(lives)
        self._told = self._lives.pop(0)

    def start(self):
        self._told = self._lives.pop(0)

    def hear(self):
        told, self._told = self._told, []
        return told

    def death(self, memory_bytes):
        return death_of(0, "", memory_bytes)

    def has_ended(self):
        return True


class Watched:
    """Notes what it hears."""

    def __init__(self):
        self.heard = []

    def sent(self, is_retry):
        self.heard.append(is_retry)

    def finished(self, outcome):
        self.heard.append(outcome)

    def close(self):
        """Nothing to close."""


def test_what_is_being_written_is_told_too():
    watched = Watched()
    worker = Told([Sent(is_retry=False), Sent(is_retry=True), Finished(outcome="correct"), AskingEnd()])
    Crew([worker], watched, tell=lambda _line: None, pause=lambda _workers: None).run()
    assert watched.heard == [False, True, "correct"]


def test_a_worker_that_somebody_told_to_stop_is_replaced_as_one_that_died():
    """It ends in order, as after SIGTERM, though nobody interrupted the run."""
    lines = []
    stopping = Said(line=f"\n{STOPPING}")
    first = [Sent(is_retry=False), stopping, AskingEnd(n_requests_sent=1, was_interrupted=True)]
    second = [Sent(is_retry=False), Sent(is_retry=True), AskingEnd(n_requests_sent=2, n_retries=1)]
    crew = Crew([Told(first, second)], Watched(), tell=lines.append, pause=lambda _workers: None)
    end = crew.run()
    assert (end.was_interrupted, end.n_requests_sent, end.n_retries) == (False, 3, 1)
    assert lines == [
        "note: worker 1-of-1 was told to stop by somebody else (SIGTERM); started again, what it had finished is kept"
    ]
