"""The JSON schema of what report.json tells of single items and of response lengths."""

from reports.json_items import SIDE_COLUMNS
from reports.schema_values import (
    COUNT,
    LIMITS,
    MAYBE_NUMBER,
    MAYBE_TEXT,
    NUMBER,
    TEXT,
    Schema,
    list_of,
    maybe,
    object_of,
    sides_of,
)

_KINDS = {"score": MAYBE_NUMBER, "output_tokens": MAYBE_NUMBER, "answer": MAYBE_TEXT}
_SIDE = object_of({name: list_of(_KINDS.get(name, maybe(COUNT))) for name in SIDE_COLUMNS})
ITEMS: Schema = object_of(
    {"sample_id": list_of(TEXT), "category": list_of(MAYBE_TEXT), "baseline": _SIDE, "candidate": _SIDE},
    description="every item as columns: position i of sample_id, category, baseline.* and candidate.*"
    " is item i; null where a side has no response to it",
)
_POINT = {"type": "object", "properties": LIMITS["properties"] | {"n_responses": COUNT, "n_items": COUNT}}
LENGTHS: Schema = {
    "description": "accuracy by output tokens of the response, shortest first",
    "type": "array",
    "items": {
        "type": "object",
        "properties": dict.fromkeys(("low", "high", "middle"), NUMBER)
        | sides_of(maybe(_POINT))["properties"],
        "required": ["low", "high", "middle"],
    },
}
