"""Read the raw reply to a probe: answered, refused with or without a reason, broken, or silent."""

from typing import Any

import orjson

from evals.probe_client import Ended, RawReply
from evals.transport.event_stream import EventStream
from evals.transport.failure import RETRYABLE_STATUS
from verifiers.completion import CompletionAssembler, ErrorFrame, UnusableReplyError, read_completion
from verifiers.contract_evidence import ApiError, ProbeReply, ReplyKind, quoted
from verifiers.ending import Finish, finish_kind
from verifiers.response import Response

_DONE = b"[DONE]"
_BLANK = b"\xef\xbb\xbf \r\n\t"


def read_reply(raw: RawReply) -> ProbeReply:
    """Return what ``raw`` amounts to."""
    if raw.status is None:
        return ProbeReply(kind=ReplyKind.SILENT, fault=raw.detail)
    if raw.status != 200:
        return _read_failure(raw, raw.status)
    start = raw.body.lstrip(_BLANK)
    if not start:
        kind = ReplyKind.BROKEN if raw.ended is Ended.WHOLE else ReplyKind.SILENT
        return ProbeReply(kind=kind, status=200, fault=raw.detail or "HTTP 200 with an empty body")
    if start.startswith(b"<"):
        return _broken(raw, f"HTTP 200 with HTML (a proxy answers?): {_excerpt(raw.body)}")
    if start.startswith((b"{", b"[")):
        return _read_plain(raw, start)
    return _StreamReader(raw).read()


def _read_failure(raw: RawReply, status: int) -> ProbeReply:
    error = read_error(raw.body)
    is_refusal = 400 <= status < 500 and status not in RETRYABLE_STATUS
    return ProbeReply(
        kind=ReplyKind.REFUSED if is_refusal else ReplyKind.BROKEN,
        status=status,
        error=error,
        fault=f"HTTP {status}: {quoted(error.message) if error else _excerpt(raw.body)}",
    )


def read_error(body: bytes) -> ApiError | None:
    """Return the error object of OpenAI's form in ``body``, ``None`` where there is none."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        return None
    return ApiError(
        message=error["message"],
        kind=_text(error.get("type")),
        param=_text(error.get("param")),
        code=error["code"] if isinstance(error.get("code"), str | int) else None,
    )


def _read_plain(raw: RawReply, start: bytes) -> ProbeReply:
    try:
        value = orjson.loads(start)
        response = read_completion(value)
    except orjson.JSONDecodeError:
        return _broken(raw, raw.detail or f"the body is not JSON: {_excerpt(raw.body)}")
    except ErrorFrame as error:
        return _broken(raw, f"an error under HTTP 200: {quoted(error.message)}", _api_error(error))
    except UnusableReplyError as error:
        return _broken(raw, str(error))
    shape = _Shape()
    shape.add(value)
    return _finished(raw, response, shape, is_stream=False, is_done=False)


class _StreamReader:
    """Collects the events of one streamed reply."""

    def __init__(self, raw: RawReply) -> None:
        self._raw = raw
        self._assembler = CompletionAssembler()
        self._shape = _Shape()
        self._is_done = False

    def read(self) -> ProbeReply:
        """Return the reply, or what is wrong with its events."""
        events = EventStream()
        try:
            for data in events.feed(self._raw.body):
                self._take(data)
            for data in events.close():
                self._take(data)
        except orjson.JSONDecodeError:
            fault = self._raw.detail or "a frame of the stream is not JSON"
            return _broken(self._raw, fault, is_stream=True)
        except ErrorFrame as error:
            fault = f"an error within the stream: {quoted(error.message)}"
            return _broken(self._raw, fault, _api_error(error), is_stream=True)
        except UnusableReplyError as error:
            return _broken(self._raw, str(error), is_stream=True)
        return _finished(
            self._raw, self._assembler.finish(), self._shape, is_stream=True, is_done=self._is_done
        )

    def _take(self, data: bytes) -> None:
        if self._is_done:
            return
        if data == _DONE:
            self._is_done = True
            return
        chunk = orjson.loads(data)
        self._assembler.add(chunk)
        self._shape.add(chunk)


def _finished(
    raw: RawReply, response: Response, shape: "_Shape", *, is_stream: bool, is_done: bool
) -> ProbeReply:
    if raw.ended is Ended.ENDLESS:
        return _broken(raw, raw.detail, is_stream=is_stream)
    if response.finish_reason is None:
        detail = f" ({raw.detail})" if raw.detail else ""
        after = "[DONE]" if is_done else "its text"
        return _broken(
            raw, f"the reply ends after {after} without a finish reason{detail}", is_stream=is_stream
        )
    if finish_kind(response.finish_reason) is Finish.FAILED:
        return _broken(
            raw, f"the server gave up: finish reason {response.finish_reason!r}", is_stream=is_stream
        )
    return ProbeReply(
        kind=ReplyKind.ANSWERED,
        status=200,
        response=response,
        n_choices=len(shape.indices),
        fields=frozenset(shape.fields),
        is_stream=is_stream,
        is_done=is_done,
    )


def _broken(
    raw: RawReply, fault: str, error: ApiError | None = None, *, is_stream: bool = False
) -> ProbeReply:
    return ProbeReply(
        kind=ReplyKind.BROKEN,
        status=raw.status,
        error=error,
        fault=fault,
        is_stream=is_stream,
        is_endless=raw.ended is Ended.ENDLESS,
    )


class _Shape:
    """What a body or the chunks of a stream show of their form: choice indices and fields that held something."""

    def __init__(self) -> None:
        self.indices: set[int] = set()
        self.fields: set[str] = set()

    def add(self, frame: Any) -> None:
        """Take in one body or chunk of any shape."""
        choices = frame.get("choices") if isinstance(frame, dict) else None
        for place, choice in enumerate(choices if isinstance(choices, list) else ()):
            if isinstance(choice, dict):
                index = choice.get("index")
                self.indices.add(index if type(index) is int else place)
                self._add_fields(choice.get("message") or choice.get("delta"))

    def _add_fields(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        self.fields |= {name for name, value in message.items() if value and name != "role"}
        if isinstance(message.get("content"), list):
            self.fields.add("content[]")


def _api_error(error: ErrorFrame) -> ApiError:
    return ApiError(message=error.message, kind=error.type, code=error.code)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _excerpt(body: bytes) -> str:
    return quoted(body[:2000].decode("utf-8", "replace")) if body.strip() else "an empty body"
