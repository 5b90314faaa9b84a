"""Why an attempt at a request failed, and whether trying again can help."""

import errno
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import partial
from typing import Self

from reports.replica_mark import at_replica

RETRYABLE_STATUS = frozenset({408, 409, 425, 429})
_REFUSALS_OF_ONE = frozenset(
    {None, 400, 413, 422}
)  # None: refused by an error object in a reply with status 200
MAX_WORDS = 400  # characters of a server's reply worth repeating to a person

# What `code` or `type` of an error object say where the HTTP status says nothing (it is 200, or a stream has
# begun), in lower case without separators: the words of OpenAI, vLLM, SGLang and vendors.
_REFUSED_WORDS = frozenset(
    {"invalidrequesterror", "badrequest", "badrequesterror", "invalidapikey", "invalidparameter"}
    | {"contextlengthexceeded", "exceedcontextsizeerror", "stringabovemaxlength", "unsupportedvalue"}
    | {"authenticationerror", "unauthorized", "permissiondenied", "permissionerror", "permissiondeniederror"}
    | {"modelnotfound", "notfounderror", "invalidauthenticationerror", "unprocessableentityerror"}
)
_RATE_LIMIT_WORDS = frozenset(
    {"ratelimitexceeded", "ratelimiterror", "ratelimitreachederror", "toomanyrequests"}
)


class FailureKind(StrEnum):
    """Whose fault a failure is."""

    SERVER = "server"  # the endpoint broke, or the network to it
    CONFIGURATION = "configuration"  # the endpoint refuses what we ask: settings, not samples
    CLIENT = "client"  # our own machine: disk, memory, a bug
    CHECKPOINT = "checkpoint"  # the model says nothing, whatever it is asked


@dataclass(kw_only=True, eq=False)  # not frozen: Python itself sets the traceback of an exception
class Failure(Exception):
    """One failed attempt. ``message`` holds the server's own words; ``retry_after_s`` what it asked for.

    ``replica`` is the base URL that failed, where it is one of several. ``is_outage``: it was given up since
    nobody has been answered for as long as an outage is waited for; ``is_endpoint_gone``: and no server of the
    endpoint answers anything at all.
    """

    kind: FailureKind
    message: str
    status: int | None = None
    is_retryable: bool = True
    is_rate_limit: bool = False
    retry_after_s: float | None = None
    replica: str | None = None
    is_outage: bool = False
    is_endpoint_gone: bool = False

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}" + (at_replica(self.replica) if self.replica else "")

    @property
    def way_on(self) -> str:
        """What to do after a run was stopped by it, ``""`` where nobody can say."""
        if self.is_endpoint_gone:
            return "nothing answers at the endpoint: bring it back and run the same command again"
        if self.kind is FailureKind.CONFIGURATION:
            return "change what the endpoint refuses (quantcheck check names it), then run again"
        return ""

    @property
    def stop_words(self) -> str:
        """Why a run was stopped by it, and the way on."""
        return "; ".join(part for part in (f"stopped: {self}", self.way_on) if part)

    def __reduce__(self) -> tuple[Callable[[], Self], tuple[()]]:
        """Let it travel between processes: an exception is copied by its positional arguments, we have none."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return partial(type(self), **values), ()

    def stops_run(self, *, is_whole_request: bool) -> bool:
        """Whether it is no use to go on: our own machine is at fault, the endpoint is gone or refuses everybody.

        A prompt is refused for settings that all of a run share. A whole request brings its own: where it is
        refused for what it says, another may well be taken; without a key or the model none is.
        """
        if self.kind is FailureKind.CONFIGURATION and is_whole_request:
            return self.status not in _REFUSALS_OF_ONE
        return self.kind is not FailureKind.SERVER or self.is_endpoint_gone


def server_failure(message: str, *, status: int | None = None) -> Failure:
    """Return a fault of the server or the wire that a retry may mend."""
    return Failure(kind=FailureKind.SERVER, message=one_line(message), status=status)


def http_failure(status: int, words: str, retry_after_s: float | None) -> Failure:
    """Return the failure that an HTTP status other than 200 stands for.

    408, 409, 425, 429 and 5xx may pass; every other status says that the request itself is refused, and
    so will every further one be: 400 (context length, parameters), 401, 403, 404, 413, 422, redirects.
    """
    message = f"HTTP {status}: {one_line(words)}"
    if status in RETRYABLE_STATUS or status >= 500:
        return Failure(
            kind=FailureKind.SERVER,
            message=message,
            status=status,
            is_rate_limit=status == 429 or (status == 503 and retry_after_s is not None),
            retry_after_s=retry_after_s,
        )
    return Failure(kind=FailureKind.CONFIGURATION, message=message, status=status, is_retryable=False)


def frame_failure(message: str, code: object, kind: object = None) -> Failure:
    """Return the failure that an ``error`` object inside a reply with HTTP 200 stands for.

    A ``code`` that is an HTTP status counts as that status; else the words of ``code`` and ``kind`` decide.
    """
    status = int(code) if isinstance(code, (int, str)) and str(code).isdecimal() else None
    if status is not None and 400 <= status < 600:
        return http_failure(status, message, None)
    words = {_bare(value) for value in (code, kind) if isinstance(value, str)}
    if words & _REFUSED_WORDS:
        return Failure(
            kind=FailureKind.CONFIGURATION, message=f"refused: {one_line(message)}", is_retryable=False
        )
    failure = server_failure(f"error in the reply: {message}")
    failure.is_rate_limit = bool(words & _RATE_LIMIT_WORDS)
    return failure


def _bare(word: str) -> str:
    return "".join(char for char in word.lower() if char.isalnum())


def one_line(text: str) -> str:
    """Return ``text`` as one line of at most ``MAX_WORDS`` characters."""
    return " ".join(text.split())[:MAX_WORDS]


def network_words(error: Exception) -> str:
    """Return what went wrong on the network in a few words, without the client library's decoration."""
    cause = getattr(error, "os_error", None) or error
    number = getattr(cause, "errno", None)
    if isinstance(number, int) and number in errno.errorcode and not isinstance(cause, socket.gaierror):
        return os.strerror(number)
    words = getattr(cause, "strerror", None) or str(cause) or type(error).__name__
    return str(words)
