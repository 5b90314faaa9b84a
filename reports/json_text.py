"""Parse JSON that others wrote: fast where it is strict, still readable where it holds NaN."""

import json
from typing import Any

import orjson


def parse_json(data: bytes) -> Any:
    """Return the parsed value; Inspect writes NaN and Infinity, which strict JSON (and orjson) refuses.

    Raises
    ------
    ValueError
        The text is no JSON at all, is not UTF-8, or is nested beyond what can be parsed.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
