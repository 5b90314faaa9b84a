"""Hand-made replies to probes, in the shapes that :mod:`verifiers.contract_evidence` holds."""

from typing import Any

from verifiers.contract_evidence import ApiError, Evidence, Judge, ProbeReply, ProbeStatus, ReplyKind
from verifiers.response import Response, ToolCall, Usage

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
CITY = '{"city": "Paris"}'


def said(content: str | None = "OK", **more: Any) -> ProbeReply:
    """A plain reply to a request; ``more`` goes to the response, the shape of the reply apart."""
    shape = {name: more.pop(name) for name in ("n_choices", "fields", "is_stream", "is_done") if name in more}
    response = Response(content=content, **{"finish_reason": "stop", **more})
    fields = {"content"} if content else set()
    fields |= {"reasoning"} if response.reasoning else set()
    given = {"n_choices": 1, "fields": frozenset(fields), **shape}
    return ProbeReply(kind=ReplyKind.ANSWERED, status=200, response=response, **given)


def called(*calls: ToolCall, **more: Any) -> ProbeReply:
    return said(None, **{"tool_calls": calls, "finish_reason": "tool_calls", **more})


def call(name: str = "get_weather", arguments: str | None = CITY, number: int = 0, **more: Any) -> ToolCall:
    return ToolCall(**{"id": f"functions.{name}:{number}", "name": name, "arguments": arguments, **more})


def usage(prompt: int | None, completion: int | None, total: int | None = None, **more: Any) -> Usage:
    known = None if prompt is None or completion is None else prompt + completion
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        total_tokens=known if total is None else total,
        **more,
    )


def refused(
    message: str = "temperature must be non-negative, got -1.0.", status: int = 400, **more: Any
) -> ProbeReply:
    return ProbeReply(
        kind=ReplyKind.REFUSED,
        status=status,
        error=ApiError(message=message, **more),
        fault=f"HTTP {status}",
    )


def refused_without_object(status: int = 400) -> ProbeReply:
    return ProbeReply(kind=ReplyKind.REFUSED, status=status, fault=f'HTTP {status}: "Not Found"')


def broke(status: int = 500, message: str | None = "Internal server error", **more: Any) -> ProbeReply:
    error = None if message is None else ApiError(message=message)
    return ProbeReply(
        kind=ReplyKind.BROKEN, status=status, error=error, **{"fault": f"HTTP {status}", **more}
    )


def silent() -> ProbeReply:
    return ProbeReply(kind=ReplyKind.SILENT, fault="connection: refused")


HTML = broke(200, None, fault="HTTP 200 with HTML")
UNUSABLE = {
    "500": broke(),
    "502 html": broke(502, None),
    "html under 200": HTML,
    "error under 200": broke(200, "Engine is gone"),
    "429": broke(429, "slow down"),
    "401": refused("no key", 401),
    "404": refused("no such model", 404),
    "400": refused("bad request"),
    "400 without an object": refused_without_object(),
    "silence": silent(),
    "cut stream": broke(200, None, fault="ends without a finish reason", is_stream=True),
}


def status_of(judge: Judge, **replies: ProbeReply) -> ProbeStatus:
    """What ``judge`` says of replies named as the keywords are, underscores for blanks."""
    named = {name.replace("_", " "): reply for name, reply in replies.items()}
    return judge(Evidence(replies=named)).status


def evidence_of(judge: Judge, **replies: ProbeReply) -> str:
    named = {name.replace("_", " "): reply for name, reply in replies.items()}
    return judge(Evidence(replies=named)).evidence
