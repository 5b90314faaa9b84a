"""Ask one shard of a run: the same requests under the same seeds as the whole run, kept in a journal of its own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evals.asking_end import AskingEnd
from evals.client_load import ClientLoad
from evals.evaluation import Evaluation, task_of
from evals.progress import Watcher
from evals.run_request import RunRequest, describe_run
from evals.shards.dealing import Shard, all_pairs, deal, share_of_connections
from evals.shards.expected_lengths import expected_lengths
from evals.shards.places import JOURNAL, settled_lengths, shard_directory
from evals.storage.exchange_store import ExchangeStore, RecordedExchanges, ShardStore
from evals.storage.journal import Journal
from tasks.pairs import Pair


def deal_run(request: RunRequest, n_shards: int) -> list[list[Pair]]:
    """Return the pairs of each shard of a run, the same for every process that shares its directory."""
    sample_ids = [item.sample_id for item in request.items]
    found = expected_lengths(request.settings.runs_dir, request.spec.task, sample_ids)
    lengths = settled_lengths(request.directory, found)
    return deal(all_pairs(sample_ids, request.spec.epochs), lengths, n_shards)


def shares_of(request: RunRequest) -> Iterator[tuple[Shard, list[Pair]]]:
    """Yield the shard of each worker of a run with its pairs; a shard without any needs no worker.

    No more workers than connections: each would have one, and the endpoint would see more than it should.
    """
    n_workers = min(request.settings.n_workers, request.settings.max_connections)
    for number, pairs in enumerate(deal_run(request, n_workers), start=1):
        if pairs:
            yield Shard(number=number, n_shards=n_workers), pairs


def run_shard(
    request: RunRequest, shard: Shard, pairs: Sequence[Pair], watcher: Watcher, *, tell: Callable[[str], None]
) -> AskingEnd:
    """Ask ``pairs`` and keep the answers in the shard's own journal.

    What the run or an earlier try of this shard has is not asked again. Raises
    :class:`evals.storage.journal.JournalError` where its directory cannot be used.
    """
    directory = shard_directory(request.directory, shard)
    with Journal(directory / JOURNAL) as journal:
        store = ShardStore(journal, RecordedExchanges(request.directory / JOURNAL))
        end = ask_pairs(request, shard, pairs, store=store, log_dir=directory, watcher=watcher, tell=tell)
        journal.return_if_lost()
    return end


def ask_pairs(
    request: RunRequest,
    shard: Shard,
    pairs: Sequence[Pair],
    *,
    store: ExchangeStore,
    log_dir: Path,
    watcher: Watcher,
    tell: Callable[[str], None],
) -> AskingEnd:
    """Ask ``pairs`` with this shard's part of ``max_connections`` and return what that came to."""
    settings = request.settings
    n_connections = share_of_connections(settings.max_connections, shard)
    own_request = replace(request, settings=replace(settings, max_connections=n_connections))
    evaluation = Evaluation(own_request, store=store, log_dir=log_dir)
    load = ClientLoad()
    task = task_of(request, {**describe_run(request, {}), "shard": shard.name}, pairs)
    evaluation.run(task, watcher, tell=tell)
    return evaluation.end(load)
