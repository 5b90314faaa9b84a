"""One recorded side: a directory with what the endpoint says of itself and one record a text."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.divergence.records import SCHEMA_VERSION, SUFFIX, RecordError, RecordReader
from reports.json_text import parse_json

MANIFEST = "side.json"
RECORDS = "records"
FLOOR = "floor"  # the same texts asked a second time


@dataclass(frozen=True, kw_only=True)
class Side:
    """A recorded side. ``facts`` are the endpoint's: label, model, engine, version, served path."""

    directory: Path
    facts: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Name of the checkpoint."""
        return str(self.facts.get("label") or self.directory.name)

    def keys(self, part: str = RECORDS) -> list[str]:
        """Return the keys of the texts that are recorded whole, in order."""
        return sorted(path.name.removesuffix(SUFFIX) for path in (self.directory / part).glob(f"*{SUFFIX}"))

    def reader(self, key: str, part: str = RECORDS) -> RecordReader:
        """Return the record of a text."""
        return RecordReader(record_path(self.directory, key, part))


def record_path(directory: Path, key: str, part: str = RECORDS) -> Path:
    """Return where the record of a text lies."""
    return directory / part / f"{key}{SUFFIX}"


def read_side(directory: Path) -> Side:
    """Return the side recorded in ``directory``; raise :class:`RecordError` where there is none."""
    path = directory / MANIFEST
    try:
        facts = parse_json(path.read_bytes())
    except OSError as error:
        raise RecordError(
            f"{directory}: holds no recorded side ({error.strerror or error}: {MANIFEST});"
            " give a URL, or the baseline or candidate directory of an earlier divergence"
        ) from None
    except ValueError as error:
        raise RecordError(f"{path}: is no JSON ({error}); record the side again") from None
    if not isinstance(facts, dict) or facts.get("schema") != SCHEMA_VERSION:
        raise RecordError(f"{path}: is not of version {SCHEMA_VERSION}; record the side again")
    return Side(directory=directory, facts=facts)
