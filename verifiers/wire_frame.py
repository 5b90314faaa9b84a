"""The frame of a reply: the endpoint's own error words, the choices, and shapes that no completion has."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

_SHOWN_CHARACTERS = 300


class UnusableReplyError(Exception):
    """A reply that arrived with a good status and still holds no completion."""


class ErrorFrame(UnusableReplyError):
    """An error object where a completion was expected: HTTP 200 with an error body, or mid-stream.

    ``message`` is the server's own text; ``code`` and ``type`` are as sent, ``None`` where absent.
    """

    def __init__(self, message: str, code: str | int | None = None, type: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.type = type


class NoChoices(UnusableReplyError):
    """A completion object without a single choice."""


class MalformedReply(UnusableReplyError):
    """A JSON value of a shape that no completion has, for example a list or a bare string."""


def find_error(frame: Mapping[str, Any]) -> ErrorFrame | None:
    """The error that ``frame`` carries, whatever dialect it speaks, or ``None``.

    A top-level ``message``, ``detail`` or ``msg`` is read as an error only where there are no choices.
    """
    error = frame.get("error")
    if error:
        return _error_of(error, frame)
    if frame.get("choices"):
        return None
    for key in ("detail", "message", "msg", "error_msg", "errors"):
        words = frame.get(key)
        if words and isinstance(words, str | list):
            return _error_of(words, frame)
    status = frame.get("base_resp")
    if isinstance(status, Mapping) and status.get("status_code"):
        return _error_of(status, frame)
    return _error_of(frame, frame) if "error" in (frame.get("object"), frame.get("type")) else None


def indexed_choices(choices: object) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each choice with its index, its place in the list where the index is missing or senseless."""
    if not isinstance(choices, list):
        raise MalformedReply(f"choices: a JSON {type(choices).__name__}, {shown(choices)}; expected a list")
    for place, choice in enumerate(choices):
        index = object_fields(choice, "choice").get("index")
        yield (index if isinstance(index, int) and not isinstance(index, bool) else place), choice


def object_fields(value: object, subject: str) -> Mapping[str, Any]:
    """``value`` as the object it must be."""
    if not isinstance(value, Mapping):
        raise MalformedReply(f"{subject}: a JSON {type(value).__name__}, {shown(value)}; expected an object")
    return value


def shown(value: object) -> str:
    """``value`` as JSON, cut to what fits into an error message."""
    text = json_text(value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "..."


def json_text(value: object) -> str:
    """``value`` as JSON text; nesting beyond what Python can walk becomes ``"(nested too deeply)"``."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return '"(nested too deeply)"'


def _error_of(error: object, frame: Mapping[str, Any]) -> ErrorFrame:
    """Read an error given as an object, a list of them or plain words; ``frame`` fills in what it lacks."""
    if isinstance(error, list) and error and isinstance(error[0], Mapping):
        error = error[0]
    fields: Mapping[str, Any] = error if isinstance(error, Mapping) else {}
    words = error if isinstance(error, str) else _first(fields, "message", "msg", "detail", "status_msg")
    code = _first(fields, "code", "status_code", "status") or _first(frame, "code", "status_code", "status")
    kind = fields.get("type") or frame.get("type")
    return ErrorFrame(
        words if isinstance(words, str) else shown(words or error),
        code if isinstance(code, str | int) else None,
        kind if isinstance(kind, str) else None,
    )


def _first(fields: Mapping[str, Any], *names: str) -> Any:
    return next((fields[name] for name in names if fields.get(name)), None)
