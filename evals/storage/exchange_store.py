"""Where finished exchanges are looked up and kept: what the provider needs of a journal, and its kin."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import orjson

from evals.asking_end import FailedResponse
from evals.storage.journal_records import Place, read_body, read_places
from evals.transport.exchange import Exchange, exchange_from_dict
from tasks.request_failed import RequestFailed

NOT_ASKED = (
    "Cancelled: the run was stopped before this was asked"  # such a sample is no row: it was never asked
)


class ExchangeStore(Protocol):
    """Finished exchanges by request key."""

    def find(self, key: str) -> Exchange | None:
        """Return the recorded exchange, ``None`` where the request is still to be asked."""

    def append(self, key: str, exchange: Exchange, facts: Mapping[str, Any]) -> None:
        """Record a finished exchange."""


class RecordedExchanges:
    """The journal of another process, read as it stood when this was made; nothing of it is changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, Place] = {}
        if path.exists():
            with path.open("rb", buffering=0) as file:
                self._places = dict(read_places(file))

    def find(self, key: str) -> Exchange | None:
        """Return the recorded exchange, ``None`` where there is none that can be read."""
        place = self._places.get(key)
        if place is None:
            return None
        with self._path.open("rb", buffering=0) as file:
            body = read_body(file, place)
        return None if body is None else exchange_from_dict(orjson.loads(body)["exchange"])


class ShardStore:
    """What one worker writes to, its own journal, over what the run had before."""

    def __init__(self, own: ExchangeStore, before: RecordedExchanges) -> None:
        self._own, self._before = own, before

    def find(self, key: str) -> Exchange | None:
        """Return the exchange that either journal holds."""
        return self._own.find(key) or self._before.find(key)

    def append(self, key: str, exchange: Exchange, facts: Mapping[str, Any]) -> None:
        """Record a finished exchange in the worker's own journal."""
        self._own.append(key, exchange, facts)


class SettledStore:
    """A journal after workers have asked: what failed for them is not asked again.

    ``failures`` is what failed, by request key. Where ``is_stopped``, nothing new is asked at all.
    """

    def __init__(
        self, journal: ExchangeStore, failures: Mapping[str, FailedResponse], *, is_stopped: bool
    ) -> None:
        self._journal = journal
        self._failures = failures
        self._is_stopped = is_stopped

    def find(self, key: str) -> Exchange | None:
        """Return the recorded exchange; raise :class:`RequestFailed` for a request that is not to be asked."""
        found = self._journal.find(key)
        if found is None and key in self._failures:
            raise RequestFailed(self._failures[key].words)
        if found is None and self._is_stopped:
            raise RequestFailed(NOT_ASKED)
        return found

    def append(self, key: str, exchange: Exchange, facts: Mapping[str, Any]) -> None:
        """Record a finished exchange."""
        self._journal.append(key, exchange, facts)


class ToldStore:
    """The store of a worker without a disk: every exchange is passed on; what is ``known`` is not asked.

    Whoever has the known exchanges reads them itself: for this worker such a request is as good as cancelled.
    """

    def __init__(
        self, known: frozenset[str], pass_on: Callable[[str, Exchange, Mapping[str, Any]], None]
    ) -> None:
        self._known, self._pass_on = known, pass_on

    def find(self, key: str) -> Exchange | None:
        """Return nothing, for what is to be asked; raise :class:`RequestFailed` for what is known."""
        if key in self._known:
            raise RequestFailed(NOT_ASKED)
        return None

    def append(self, key: str, exchange: Exchange, facts: Mapping[str, Any]) -> None:
        """Pass a finished exchange on."""
        self._pass_on(key, exchange, facts)
