"""One request and its reply as they happened: what is journalled, graded and reported."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from verifiers.response import Response, ToolCall, Usage


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One failed try: what went wrong, how long it took and how long was waited after it, in seconds.

    ``replica`` is the one that failed, where there are several.
    """

    failure: str
    status: int | None
    duration_s: float
    waited_s: float
    replica: str | None = None


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One finished reply. Times in seconds from sending the request that succeeded.

    ``ttft_s`` is the time to the first generated token (reasoning counts), ``None`` without streaming.
    ``n_chunks`` counts the streamed frames that carried generated text: about the number of tokens.
    """

    response: Response
    ttft_s: float | None
    duration_s: float
    n_chunks: int


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A reply with every failed attempt before it, the replica that gave it, and when (Unix time)."""

    reply: Reply
    attempts: tuple[Attempt, ...]
    replica: str
    finished_at: float

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values for the journal and the log."""
        plain: dict[str, Any] = orjson.loads(orjson.dumps(asdict(self)))
        return plain


def exchange_from_dict(value: Mapping[str, Any]) -> Exchange:
    """Return the exchange that :meth:`Exchange.as_dict` wrote."""
    reply = dict(value["reply"])
    response = dict(reply.pop("response"))
    response["tool_calls"] = tuple(ToolCall(**call) for call in response["tool_calls"])
    response["flags"] = tuple(response["flags"])
    response["usage"] = Usage(**response["usage"]) if response["usage"] else None
    return Exchange(
        reply=Reply(response=Response(**response), **reply),
        attempts=tuple(Attempt(**attempt) for attempt in value["attempts"]),
        replica=value["replica"],
        finished_at=value["finished_at"],
    )
