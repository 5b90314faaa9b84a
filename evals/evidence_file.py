"""Write every exchange behind a contract's verdicts, so that each can be checked by hand."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from evals.contract_run import Exchange
from evals.journal import JournalError

MAX_TEXT = 4_000  # characters of one text of a request: prompts beyond the context and images are longer
MAX_REPLY = 40_000  # characters of a reply


def write_evidence(path: Path, exchanges: Iterable[Exchange]) -> None:
    """Write one row an exchange: the request as sent, the reply as it came; no header, so no key.

    Raises :class:`JournalError` where the disk refuses.
    """
    rows = [orjson.dumps(_row(exchange), option=orjson.OPT_APPEND_NEWLINE) for exchange in exchanges]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(rows))
    except OSError as error:
        raise JournalError(f"evidence {str(path)!r}: cannot be written ({error.strerror})") from error


def _row(exchange: Exchange) -> dict[str, Any]:
    raw = exchange.raw
    return {
        "probe": exchange.probe,
        "request": exchange.request,
        "delivery": exchange.delivery.value,
        "sent": shortened(exchange.body, MAX_TEXT),
        "status": raw.status,
        "ended": raw.ended.value,
        "detail": raw.detail or None,
        "received": shortened(raw.body.decode("utf-8", "replace"), MAX_REPLY),
        "attempts": raw.n_attempts,
        "duration_s": round(raw.duration_s, 3),
    }


def shortened(value: Any, limit: int) -> Any:
    """Return ``value`` with texts beyond ``limit`` characters cut, and integers that JSON readers lose as text."""
    if isinstance(value, str):
        text = value.encode("utf-8", "replace").decode()
        return text if len(text) <= limit else f"{text[:limit]}... ({len(text):,} characters)"
    if isinstance(value, dict):
        return {shortened(name, limit): shortened(part, limit) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(part, limit) for part in value]
    if type(value) is int and value.bit_length() > 63:
        return str(value)
    return value
