"""Say what of a parsed JSON document is not as its schema has it."""

from typing import Any

import jsonschema

from reports.json_text import endless_number

_SHOWN = 200  # characters: a whole list may stand where a number should


def schema_fault(schema: jsonschema.Draft202012Validator, document: Any) -> str | None:
    """Return where the document is wrong and what is there, ``None`` where nothing is.

    A number that is not finite is wrong everywhere: a schema takes it for a number, arithmetic does not.
    """
    if place := endless_number(document):
        return f"{place}: is no finite number"
    error = jsonschema.exceptions.best_match(schema.iter_errors(document))
    return None if error is None else f"{error.json_path}: {error.message[:_SHOWN]}"
