"""Dealing a run: every response once, work about even, the longest first, alike everywhere."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.shards import shard_run
from evals.shards.dealing import Shard, all_pairs, deal, share_of_connections
from tasks.pairs import Pair

LENGTHS = st.dictionaries(st.sampled_from("abcdefghij"), st.floats(1, 1e5), max_size=10)
SAMPLES = st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=10, unique=True)


def load(pairs, lengths):
    mean = sum(lengths.values()) / len(lengths) if lengths else 1.0
    return sum(lengths.get(pair.sample_id, mean) for pair in pairs)


@given(samples=SAMPLES, epochs=st.integers(1, 5), lengths=LENGTHS, n=st.integers(1, 7))
def test_every_response_is_dealt_once_and_work_is_even(samples, epochs, lengths, n):
    pairs = all_pairs(samples, epochs)
    shards = deal(pairs, lengths, n)
    assert len(shards) == n
    assert sorted(pair for shard in shards for pair in shard) == sorted(pairs)
    longest = max(load([pair], lengths) for pair in pairs)
    loads = [load(shard, lengths) for shard in shards]
    assert max(loads) <= min(loads) + longest + 1e-6  # what LPT promises
    for shard in shards:
        sizes = [load([pair], lengths) for pair in shard]
        assert sizes == sorted(sizes, reverse=True)


def test_the_same_run_is_dealt_alike_whoever_deals():
    pairs = all_pairs(["b", "a", "c"], 3)
    lengths = {"a": 10.0, "b": 10.0, "c": 30.0}
    first = deal(pairs, lengths, 2)
    assert first == deal(list(pairs), dict(reversed(lengths.items())), 2)
    assert [pair.text for pair in first[0]][:2] == ["c/1", "c/3"]


def test_without_expectations_pairs_are_dealt_in_turn():
    shards = deal(all_pairs(["a", "b", "c"], 2), {}, 2)
    assert [[pair.text for pair in shard] for shard in shards] == [
        ["a/1", "c/1", "b/2"],
        ["b/1", "a/2", "c/2"],
    ]


@pytest.mark.parametrize(("number", "name"), [(1, "1-of-4"), (4, "4-of-4")])
def test_a_shard_has_a_name(number, name):
    assert Shard(number=number, n_shards=4).name == name


@pytest.mark.parametrize("max_connections", [1, 2, 3, 17, 64, 4096])
@pytest.mark.parametrize("n_shards", [1, 2, 3, 16])
def test_shards_share_the_connections_of_the_run(max_connections, n_shards):
    shares = [
        share_of_connections(max_connections, Shard(number=number, n_shards=n_shards))
        for number in range(1, n_shards + 1)
    ]
    assert max(shares) - min(shares) <= 1 and min(shares) >= 1
    assert sum(shares) == max(max_connections, n_shards)


def test_there_are_no_more_workers_than_connections(monkeypatch):
    pair = Pair(sample_id="a", epoch=1)
    monkeypatch.setattr(shard_run, "deal_run", lambda _request, n_shards: [[pair]] * n_shards)
    request = SimpleNamespace(settings=SimpleNamespace(n_workers=3, max_connections=2))
    assert [shard.name for shard, _ in shard_run.shares_of(request)] == ["1-of-2", "2-of-2"]
