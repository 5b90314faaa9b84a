"""Write every exchange behind a contract's verdicts, so that each can be checked by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from evals.storage.journal import JournalError
from evals.vendor.contract_run import Exchange

MAX_TEXT = 4_000  # characters of one text of a request: prompts beyond the context and images are longer
MAX_REPLY = 40_000  # characters of a reply


class EvidenceFile:
    """Takes one row an exchange as it comes: the request as sent, the reply as it came; no header, so no key.

    What was asked stays on disk however the run ends. Raises :class:`JournalError` where the disk refuses.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._refusals_told():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")

    def add(self, exchange: Exchange) -> None:
        """Append ``exchange``."""
        row = orjson.dumps(exchange_row(exchange), option=orjson.OPT_APPEND_NEWLINE)
        with self._refusals_told(), self._path.open("ab") as file:
            file.write(row)

    @contextmanager
    def _refusals_told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise JournalError(
                f"evidence {str(self._path)!r}: cannot be written ({error.strerror}); name another --out"
            ) from error


def exchange_row(exchange: Exchange) -> dict[str, Any]:
    """Return an exchange as plain JSON values, its longest texts cut."""
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
