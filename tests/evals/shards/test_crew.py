"""A crew passes on to whoever watches what its workers tell."""

from evals.asking_end import AskingEnd
from evals.shards.crew import Crew
from evals.shards.dealing import Shard
from evals.shards.told import Finished, Sent


class Told:
    """A worker that has told everything by the time it is first heard."""

    shard = Shard(number=1, n_shards=1)

    def __init__(self, *told):
        self._told = list(told)

    def hear(self):
        told, self._told = self._told, []
        return told

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
    worker = Told(Sent(is_retry=False), Sent(is_retry=True), Finished(outcome="correct"), AskingEnd())
    Crew([worker], watched, tell=lambda _line: None, pause=lambda _workers: None).run()
    assert watched.heard == [False, True, "correct"]
