"""Faults that answer instead of the model: error statuses, and a 200 that is none."""

import datetime
import email.utils
from collections.abc import Callable, Set
from typing import Any

import orjson
from aiohttp import web

from evals.simulator.fault_kind import FaultKind
from evals.simulator.refusals import RefusedError, context_exceeded, error_body

_HTML = "<html><head><title>{title}</title></head><body><center><h1>{title}</h1></center></body></html>\n"


def json_response(body: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Return ``body`` as a JSON response."""
    return web.Response(
        body=orjson.dumps(body), status=status, content_type="application/json", headers=headers or {}
    )


def refusal(error: RefusedError) -> web.Response:
    """Return what a refused request is answered."""
    return json_response(error.as_json(), status=error.status)


def _failure(status: int, message: str) -> Callable[[int], web.Response]:
    return lambda _: json_response(error_body(status, f"{message} (simulated)"), status=status)


def _html(status: int, title: str) -> Callable[[int], web.Response]:
    return lambda _: web.Response(text=_HTML.format(title=title), status=status, content_type="text/html")


def _too_many(retry_after: str | None) -> web.Response:
    body = error_body(429, "Too many requests (simulated)")
    return json_response(body, status=429, headers={"Retry-After": retry_after} if retry_after else None)


def _too_many_until(retry_after_s: int) -> web.Response:
    # HTTP dates have whole seconds: the next one on, or a date could lie in the past when it arrives.
    when = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=retry_after_s + 1)
    return _too_many(email.utils.format_datetime(when, usegmt=True))


def _no_choices(_: int) -> web.Response:
    head = {"id": "chatcmpl-simulated", "object": "chat.completion", "created": 0, "model": "simulated"}
    return json_response({**head, "choices": []})


def _engine_gone() -> dict[str, Any]:
    return error_body(500, "Engine is gone (simulated)")


_ANSWERS: dict[FaultKind, Callable[[int], web.Response]] = {
    FaultKind.HTTP_400_CONTEXT: lambda _: refusal(context_exceeded(131_072, 300, 131_072)),
    FaultKind.HTTP_401: _failure(401, "Unauthorized"),
    FaultKind.HTTP_403: _failure(403, "Forbidden"),
    FaultKind.HTTP_404: _failure(404, "The model does not exist"),
    FaultKind.HTTP_408: _failure(408, "Request timeout"),
    FaultKind.HTTP_409: _failure(409, "Conflict"),
    FaultKind.HTTP_422: _failure(422, "Unprocessable request"),
    FaultKind.HTTP_425: _failure(425, "Too early"),
    FaultKind.HTTP_429: lambda retry_after_s: _too_many(str(retry_after_s)),
    FaultKind.HTTP_429_DATE: _too_many_until,
    FaultKind.HTTP_429_BARE: lambda _: _too_many(None),
    FaultKind.HTTP_429_GARBAGE: lambda _: _too_many("soon"),
    FaultKind.HTTP_500: _failure(500, "Internal server error"),
    FaultKind.HTTP_502_HTML: _html(502, "502 Bad Gateway"),
    FaultKind.HTTP_503: _failure(503, "Service unavailable"),
    FaultKind.HTTP_504: lambda _: web.Response(status=504),
    FaultKind.HTTP_529: _failure(529, "Overloaded"),
    FaultKind.OK_ERROR_BODY: lambda _: json_response(_engine_gone()),
    FaultKind.OK_ERROR_TEXT: lambda _: json_response({"error": "Engine is gone (simulated)"}),
    FaultKind.OK_ERROR_FLAT: lambda _: json_response({"object": "error", **_engine_gone()["error"]}),
    FaultKind.OK_NO_CHOICES: _no_choices,
    FaultKind.OK_HTML: _html(200, "Welcome"),
    FaultKind.OK_EMPTY: lambda _: web.Response(status=200),
}


def fault_response(faults: Set[FaultKind], *, retry_after_s: int) -> web.Response | None:
    """Return the response that one of ``faults`` gives in the model's place, ``None`` where none does."""
    return next((answer(retry_after_s) for fault, answer in _ANSWERS.items() if fault in faults), None)
