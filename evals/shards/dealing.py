"""Deal the responses of a run over shards: about the same work each, the longest first."""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tasks.pairs import Pair


@dataclass(frozen=True, kw_only=True)
class Shard:
    """The ``number``-th of ``n_shards`` shards; numbers count from 1."""

    number: int
    n_shards: int

    @property
    def name(self) -> str:
        """Its name in file names and messages."""
        return f"{self.number}-of-{self.n_shards}"


def share_of_connections(max_connections: int, shard: Shard) -> int:
    """Return how many requests a shard may have in flight: all shards together ``max_connections``, each at least 1."""
    each, left = divmod(max_connections, shard.n_shards)
    return max(each + (shard.number <= left), 1)


def all_pairs(sample_ids: Sequence[str], n_epochs: int) -> list[Pair]:
    """Return every response of a run, epoch by epoch."""
    return [
        Pair(sample_id=sample_id, epoch=epoch) for epoch in range(1, n_epochs + 1) for sample_id in sample_ids
    ]


def deal(pairs: Sequence[Pair], lengths: Mapping[str, float], n_shards: int) -> list[list[Pair]]:
    """Return the pairs of each shard, longest first.

    Each pair in turn, the longest first, goes to the shard with the least work so far (Graham 1969, LPT):
    no shard then has more than 4/3 of the best possible. ``lengths`` are expected output tokens by sample id;
    a sample it does not name counts as the mean of the others. The same arguments give the same shards
    everywhere; where nothing is known the pairs are dealt in turn.
    """
    mean = sum(lengths.values()) / len(lengths) if lengths else 1.0
    ordered = sorted(pairs, key=lambda pair: -lengths.get(pair.sample_id, mean))  # stable: epoch by epoch
    shards: list[list[Pair]] = [[] for _ in range(n_shards)]
    loads = [(0.0, number) for number in range(n_shards)]
    for pair in ordered:
        load, number = loads[0]
        shards[number].append(pair)
        heapq.heapreplace(loads, (load + max(lengths.get(pair.sample_id, mean), 1.0), number))
    return shards
