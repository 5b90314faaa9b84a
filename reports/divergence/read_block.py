"""Read a divergence.json back, to show it beside the accuracy deltas."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from reports.divergence.records import RecordError
from reports.divergence.schema import DIVERGENCE_SCHEMA
from reports.json_text import parse_json

NAME = "divergence.json"


def read_divergence(path: Path) -> Mapping[str, Any]:
    """Return the block in a file, or in the divergence.json of a directory; raises :class:`RecordError`."""
    file = path / NAME if path.is_dir() else path
    try:
        block = parse_json(file.read_bytes())
    except OSError as error:
        raise RecordError(
            f"{file}: cannot be read ({error.strerror or error}); write one: quantcheck divergence"
        ) from None
    except ValueError as error:
        raise RecordError(f"{file}: is no JSON ({error}); give a divergence.json") from None
    found = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(DIVERGENCE_SCHEMA).iter_errors(block)
    )
    if found is not None:
        raise RecordError(
            f"{file}: {found.json_path}: {found.message[:200]}; expected a divergence.json of this version"
        )
    return dict(block)
