"""Read a run's manifest.json: what is known of a run besides its log, each value of the kind it has to be."""

from pathlib import Path
from typing import Any

import jsonschema

from reports.json_text import parse_json
from reports.log_members import LogError
from reports.schema_fault import schema_fault
from reports.schema_values import COUNT, NUMBER, TEXT, VERDICT, Schema, list_of, maybe, object_of

MANIFEST = "manifest.json"
TOGETHER = "named_together"  # of the endpoint: every server that some start of the run named beside others
_WAY_OUT = "restore it, or move it away to go by the log alone"
_OBJECT: Schema = {"type": "object"}
_TRUTH: Schema = {"type": "boolean"}
_REPLICA = object_of({"base_url": TEXT})
_SIZE = maybe(COUNT | {"maximum": 10**12})
_LOOK = object_of(
    {"verdict": VERDICT, "looks": list_of(COUNT), "stopped_early": _TRUTH}
    | dict.fromkeys(("look", "epochs", "max_epochs", "epochs_saved"), COUNT)
    | dict.fromkeys(("margin", "critical_value"), NUMBER)
    | {"delta": object_of(dict.fromkeys(("value", "low", "high", "confidence"), NUMBER))}
)
# A key may be absent, as older versions wrote some, and null, which is unknown. What a declaration of looks holds
# is checked where it is read (reports.declaration).
_KINDS: Schema = (
    dict.fromkeys(("n_items", "epochs", "expected"), _SIZE)
    | dict.fromkeys(("task", "label", "fingerprint", "git_revision"), maybe(TEXT))
    | dict.fromkeys(("started", "finished", "log", "dead"), maybe(TEXT))
    | dict.fromkeys(("spec", "versions", "sequential", "client"), maybe(_OBJECT))
    | {
        "endpoint": maybe(
            _OBJECT | {"properties": {"replicas": maybe(list_of(_REPLICA)), TOGETHER: maybe(list_of(TEXT))}}
        ),
        "max_error_rate": maybe({"type": "number", "minimum": 0, "maximum": 1}),
        "starts": maybe(list_of(object_of({"at": TEXT}))),
        "decision": maybe(_LOOK),
    }
)
_CHECK = jsonschema.Draft202012Validator(_OBJECT | {"properties": _KINDS})


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest, empty where there is none; raises :class:`LogError` for one that was damaged.

    The error names the key and what it holds: a run must not lose its looks or its size by a slip.
    """
    if not path.is_file():
        return {}
    try:
        manifest = parse_json(path.read_bytes())
    except (OSError, ValueError) as error:
        raise LogError(f"{path}: cannot be read ({error}); {_WAY_OUT}") from None
    if not isinstance(manifest, dict):
        raise LogError(f"{path}: is no JSON object; {_WAY_OUT}")
    if fault := schema_fault(_CHECK, manifest):
        raise LogError(f"{path}: {fault}; {_WAY_OUT}")
    return manifest
