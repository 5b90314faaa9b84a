"""Where shards of a run lie, and how the run takes over what they asked."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from evals.shards.dealing import Shard
from evals.storage.journal import Journal, JournalError

JOURNAL = "journal.zst"  # of the run, and of each shard in its own directory
_SHARDS = ".shards"  # hidden: whoever looks for logs of runs finds the run's alone
_LENGTHS = "lengths.json"


def shards_directory(directory: Path) -> Path:
    """Return where the shards of the run in ``directory`` lie."""
    return directory / _SHARDS


def shard_directory(directory: Path, shard: Shard) -> Path:
    """Return where one shard keeps its journal and its log."""
    return shards_directory(directory) / shard.name


def absorb_shards(directory: Path, journal: Journal) -> int:
    """Take over what every shard of the run has asked and return how many responses that brought.

    Raises :class:`JournalError` where a shard is still at work.
    """
    paths = sorted(shards_directory(directory).glob(f"*/{JOURNAL}"))
    return sum(journal.absorb(path) for path in paths)


def settled_lengths(directory: Path, found: Mapping[str, float]) -> dict[str, float]:
    """Return the expected lengths that this run is dealt by: those of whichever shard came first.

    Shards started one by one, on different machines, must deal alike: the first writes down what it found,
    and the file appears whole or not at all.
    """
    path = shards_directory(directory) / _LENGTHS
    partial = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            partial.write_text(json.dumps(found), encoding="utf-8")
            try:
                os.link(partial, path)
            except FileExistsError:
                pass  # another shard was first
            finally:
                partial.unlink()
        settled = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise JournalError(
            f"run directory {str(directory)!r}: {path.name} cannot be used ({error}); remove {path}"
        ) from error
    return {str(name): float(length) for name, length in settled.items()}
