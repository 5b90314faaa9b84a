"""A journal in object storage: parts that only ever add to it, by the spool that wrote them.

An object cannot be appended to, and putting the whole journal again at every interval would cost the square
of its length. A part's name is its place: ``journal/<writer>/<stream>/<offset>.zst``. Each spool has a name of
its own as a writer, so that two machines that make one run at a time overwrite nothing of each other.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evals.storage.journal_records import read_places
from evals.storage.object_store import ObjectStore

PART_BYTES = 64 * 2**20
_NAME = re.compile(r"journal/([0-9a-f]+)/([A-Za-z0-9-]+)/(\d{15})\.zst")


@dataclass(frozen=True, kw_only=True)
class Part:
    """One part: which bytes of which writer's stream it holds, and its name below the run."""

    name: str
    writer: str
    stream: str
    offset: int


def read_parts(names: Iterable[str]) -> list[Part]:
    """Return the parts among the names below a run, in the order of their streams' bytes."""
    found = [
        Part(name=match[0], writer=match[1], stream=match[2], offset=int(match[3]))
        for name in names
        if (match := _NAME.fullmatch(name))
    ]
    return sorted(found, key=lambda part: (part.writer, part.stream, part.offset))


def put_parts(
    store: ObjectStore, below: str, journal: Path, *, writer: str, stream: str, begin: int
) -> Iterator[int]:
    """Put the whole records that the journal holds from ``begin`` on; yield the offset reached after each part.

    A record that is being written is left for the next time: where a crash tears it, it is cut off here, and
    other bytes follow in its place.
    """
    with journal.open("rb", buffering=0) as file:
        ends = (place.body_start + place.n_body_bytes for _, place in read_places(file, start=begin))
        last = max(ends, default=begin)
        while begin < last:
            content = os.pread(file.fileno(), min(PART_BYTES, last - begin), begin)
            store.write(f"{below}/journal/{writer}/{stream}/{begin:015d}.zst", content)
            begin += len(content)
            yield begin


def assemble(store: ObjectStore, below: str, parts: Iterable[Part], path: Path) -> None:
    """Write the journal that the parts of one stream make up."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for part in parts:
            file.seek(part.offset)
            file.write(store.read(f"{below}/{part.name}"))
