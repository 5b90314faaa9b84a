"""A run that lies in object storage: made in a local directory, the spool, and kept in the store.

The journal must be local: it is appended to and locked. What the store holds is taken over before the run;
what the run adds is put there while it goes on and at its end.
"""

import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path

from evals.shards.places import JOURNAL, shards_directory
from evals.storage.journal import Journal
from evals.storage.journal_parts import assemble, put_parts, read_parts
from evals.storage.object_store import ObjectStore, Stored
from evals.storage.run_directory import read_notes, write_json

STATE = ".store.json"
LOGS = "*.eval"
_SMALL = ("manifest.json", "summary.json")
_RUN = "run"  # the stream of the run's own journal; a shard's is called as the shard


@dataclass(kw_only=True)
class SpoolState:
    """What this spool has put and taken: its name as a writer, bytes put by stream, parts taken, files by name.

    Of a file: how it was here (size and time) and the store's tag of it, when both were the same.
    """

    writer: str = field(default_factory=lambda: secrets.token_hex(6))
    streams: dict[str, int] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)
    files: dict[str, list[str]] = field(default_factory=dict)


class Spool:
    """The local side of one run in the store: ``directory`` here is ``below`` there."""

    def __init__(self, store: ObjectStore, root: Path, directory: Path) -> None:
        self.directory = directory
        self.below = directory.relative_to(root).as_posix()
        self._store = store
        self._state = _read_state(directory / STATE)

    @property
    def url(self) -> str:
        """Where the run lies in the store."""
        return f"{self._store.url}/{self.below}"

    def fetch(self) -> None:
        """Take over what the store holds and this spool does not, and see that it can be written."""
        self._store.write(f"{self.below}/journal/{self._state.writer}/begun", b"")
        found = {
            name.removeprefix(f"{self.below}/"): info for name, info in self._store.find(self.below).items()
        }
        for name, info in found.items():
            if name in _SMALL or name.endswith(".eval"):
                self._fetch_file(name, info)
        self._fetch_journals(list(found))
        self._keep_state()

    def push(self, *, with_logs: bool) -> None:
        """Put what is new here: journals and manifest, at the end the logs and the summary as well."""
        for stream, journal in self._journals():
            begin = min(self._state.streams.get(stream, 0), journal.stat().st_size)
            for end in put_parts(
                self._store, self.below, journal, writer=self._state.writer, stream=stream, begin=begin
            ):
                self._state.streams[stream] = end
        names = (
            [*_SMALL, *(path.name for path in sorted(self.directory.glob(LOGS)))] if with_logs else _SMALL[:1]
        )
        for name in names:
            self._push_file(name)
        if with_logs:
            self._remove_what_is_gone()
        self._keep_state()

    def _fetch_file(self, name: str, info: Stored) -> None:
        path = self.directory / name
        known = self._state.files.get(name)
        if path.exists() and known is not None and known[1] == info.tag:
            return
        self._store.get(f"{self.below}/{name}", path)
        self._state.files[name] = [_as_it_is(path), info.tag]

    def _fetch_journals(self, names: list[str]) -> None:
        """Take over the journals that other spools have put; each stream that has grown is read as a whole."""
        parts = [part for part in read_parts(names) if part.writer != self._state.writer]
        with tempfile.TemporaryDirectory(dir=_made(self.directory), prefix=".fetch-") as temporary:
            for number, (_, stream) in enumerate(groupby(parts, key=lambda part: (part.writer, part.stream))):
                own = list(stream)
                if all(part.name in self._state.taken for part in own):
                    continue
                fetched = Path(temporary) / f"{number}.zst"
                assemble(self._store, self.below, own, fetched)
                with Journal(self.directory / JOURNAL) as journal:
                    journal.absorb(fetched)
                fetched.unlink()
                self._state.taken += [part.name for part in own if part.name not in self._state.taken]

    def _journals(self) -> Iterator[tuple[str, Path]]:
        """Yield every journal of the run with its name as a stream: its own, and those of shards."""
        if (self.directory / JOURNAL).exists():
            yield _RUN, self.directory / JOURNAL
        for path in sorted(shards_directory(self.directory).glob(f"*/{JOURNAL}")):
            yield path.parent.name, path

    def _push_file(self, name: str) -> None:
        path = self.directory / name
        known = self._state.files.get(name)
        if not path.exists() or (known is not None and known[0] == _as_it_is(path)):
            return
        there = f"{self.below}/{name}"
        as_it_was = _as_it_is(path)
        self._store.put(path, there)
        self._state.files[name] = [as_it_was, self._store.info(there).tag]

    def _remove_what_is_gone(self) -> None:
        """Remove logs that a whole run has superseded here, and journals of shards that it has taken over."""
        for name in [name for name in self._state.files if not (self.directory / name).exists()]:
            self._store.delete(f"{self.below}/{name}")
            del self._state.files[name]
        here = {stream for stream, _ in self._journals()}
        for stream in [stream for stream in self._state.streams if stream not in here]:
            own = f"{self.below}/journal/{self._state.writer}/{stream}"
            for name in self._store.find(own):
                self._store.delete(name)
            del self._state.streams[stream]

    def _keep_state(self) -> None:
        write_json(self.directory / STATE, asdict(self._state))


def _as_it_is(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def _read_state(path: Path) -> SpoolState:
    """Return the state kept here; without one this spool is a new writer, and takes over everything."""
    try:
        return SpoolState(**read_notes(path))
    except TypeError:  # of another version
        return SpoolState()
