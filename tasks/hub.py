"""Which dataset on the Hugging Face hub, pinned to a commit."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class HubCopy:
    """A dataset on the hub, pinned to a commit (``None``: no commit is known; the newest is taken and named).

    ``gated``: needs a token and accepted terms.
    """

    repo: str
    config: str
    split: str
    revision: str | None
    gated: bool = False


def cached_copy(copy: HubCopy) -> Path | None:
    """Return where this machine keeps the dataset, ``None`` where it does not; asks no network, imports nothing.

    Two caches count: that of the hub's files (``HF_HUB_CACHE``), and that of the tables made of them
    (``HF_DATASETS_CACHE``).
    """
    home = Path(
        os.environ.get("HF_HOME")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    )
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    tables = Path(os.environ.get("HF_DATASETS_CACHE") or home / "datasets")
    snapshots = hub / f"datasets--{copy.repo.replace('/', '--')}" / "snapshots"
    found = [
        *([snapshots / copy.revision] if copy.revision else _folders(snapshots)),
        *_folders(tables / copy.repo.replace("/", "___").lower() / copy.config),
        *_folders(tables / copy.repo.replace("/", "___") / copy.config),
    ]
    return next((place for place in found if place.is_dir() and any(place.iterdir())), None)


def _folders(place: Path) -> list[Path]:
    return sorted(part for part in place.iterdir() if part.is_dir()) if place.is_dir() else []
