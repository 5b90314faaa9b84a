"""Put a reply on the wire: one JSON object, or the payloads of a stream of server-sent events."""

import itertools
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

import orjson

from evals.simulator.call_deltas import call_deltas, call_json
from evals.simulator.fault_kind import FaultKind
from evals.simulator.reasoning_field import REASONING_FIELDS
from evals.simulator.reply import Choice, Reply

DONE = b"[DONE]"


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """What every object of one response repeats, how text is cut into chunks, and the faults of the wire."""

    id: str
    created: int
    model: str
    reasoning_field: str = "reasoning"
    tokens_per_frame: int = 1
    include_usage: bool = False
    faults: frozenset[FaultKind] = frozenset()
    fingerprint: str = "quantcheck-simulator"

    def chunk(self, choices: list[dict[str, Any]], **more: Any) -> bytes:
        """Return one stream payload."""
        head = {
            "id": self.id,
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
        }
        return orjson.dumps({**head, "choices": choices, **more})

    def delta(
        self, index: int, delta: dict[str, Any], finish_reason: str | None = None, **more: Any
    ) -> bytes:
        """Return one stream payload that carries ``delta`` of the choice ``index``."""
        choice = {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self.chunk([choice], **more)

    def content(self, text: str | None) -> dict[str, Any]:
        """Return ``text`` as the content of a message or delta."""
        is_list = FaultKind.CONTENT_PARTS in self.faults and text is not None
        return {"content": [{"type": "text", "text": text}] if is_list else text}

    def reasoning(self, text: str | None) -> dict[str, Any]:
        """Return ``text`` under the name or names that reasoning goes by here."""
        if FaultKind.REASONING_DETAILS in self.faults:
            details = [{"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}]
            return {"reasoning_details": details if text is not None else []}
        fields = REASONING_FIELDS if FaultKind.BOTH_REASONING in self.faults else (self.reasoning_field,)
        return dict.fromkeys(fields, text)


def usage_json(reply: Reply, faults: frozenset[FaultKind] = frozenset()) -> dict[str, Any] | None:
    """Return the token counts of ``reply``; ``None`` where the server does not give them."""
    if FaultKind.USAGE_MISSING in faults:
        return None
    if FaultKind.USAGE_ZERO in faults:
        return {"prompt_tokens": 0, "total_tokens": 0, "completion_tokens": 0}
    is_inflated = FaultKind.USAGE_PROMPT_INFLATED in faults
    prompt_tokens = reply.prompt_tokens * 4 // 3 + 1 if is_inflated else reply.prompt_tokens
    total = prompt_tokens + reply.completion_tokens
    return {
        "prompt_tokens": prompt_tokens,
        "total_tokens": total + 7 if FaultKind.USAGE_WRONG in faults else total,
        "completion_tokens": reply.completion_tokens,
        "prompt_tokens_details": None,
        "completion_tokens_details": {"reasoning_tokens": reply.reasoning_tokens},
    }


def _message(choice: Choice, envelope: Envelope) -> dict[str, Any]:
    content = "".join(choice.content) or None
    if content is None and choice.finish_reason == "stop" and FaultKind.CONTENT_NULL not in envelope.faults:
        content = ""
    message = {
        "role": "assistant",
        **envelope.content(content),
        **envelope.reasoning("".join(choice.reasoning) or None),
    }
    if choice.calls or FaultKind.TOOL_EMPTY_DELTAS in envelope.faults:
        message["tool_calls"] = [call_json(call, envelope.faults) for call in choice.calls]
    return message


def plain_json(reply: Reply, envelope: Envelope) -> dict[str, Any]:
    """Return the body of a response that is not streamed."""
    choices = [
        {
            "index": index,
            "message": _message(choice, envelope),
            "logprobs": None,
            "finish_reason": choice.finish_reason,
        }
        for index, choice in enumerate(reply.choices)
    ]
    body = {
        "id": envelope.id,
        "object": "chat.completion",
        "created": envelope.created,
        "model": envelope.model,
        "system_fingerprint": envelope.fingerprint,
        "choices": choices,
    }
    usage = usage_json(reply, envelope.faults)
    return body if usage is None else {**body, "usage": usage}


def _text_payloads(
    envelope: Envelope, index: int, tokens: Sequence[str], *, is_reasoning: bool
) -> Iterator[bytes]:
    """Yield one payload for each group of tokens; the bytes around the text are made once, not each time."""
    mark = "\x00"
    delta = envelope.reasoning(mark) if is_reasoning else envelope.content(mark)
    quoted_mark = orjson.dumps(mark)
    around = envelope.delta(index, delta).split(quoted_mark)
    step = envelope.tokens_per_frame
    for start in range(0, len(tokens), step):
        yield orjson.dumps(tokens[start] if step == 1 else "".join(tokens[start : start + step])).join(around)


def _choice_payloads(
    choice: Choice, envelope: Envelope, index: int, closing: dict[str, Any]
) -> Iterator[bytes]:
    """Yield one choice from its role to its finish reason; ``closing`` goes onto the finish chunk."""
    yield envelope.delta(index, {"role": "assistant", "content": ""})
    yield from _text_payloads(envelope, index, choice.reasoning, is_reasoning=True)
    yield from _text_payloads(envelope, index, choice.content, is_reasoning=False)
    for delta in call_deltas(choice.calls, envelope.faults):
        yield envelope.delta(index, {"tool_calls": delta})
    if choice.calls and FaultKind.TOOL_FINISH_TWICE in envelope.faults:
        yield envelope.delta(index, {}, choice.finish_reason)
    yield envelope.delta(index, {}, choice.finish_reason, **closing)


def _in_step(streams: list[Iterator[bytes]]) -> Iterator[bytes]:
    if len(streams) == 1:
        return streams[0]
    rows = itertools.zip_longest(*streams)
    return (payload for row in rows for payload in row if payload is not None)


def _with_usage(payload: bytes, usage: dict[str, Any] | None) -> bytes:
    return orjson.dumps({**orjson.loads(payload), "usage": usage})


def _noted(payloads: Iterator[bytes], usage: dict[str, Any], faults: Set[FaultKind]) -> Iterator[bytes]:
    """Yield ``payloads`` with the usage that some servers put on chunks before the last."""
    if FaultKind.USAGE_NULL_FIRST in faults:
        yield from (_with_usage(payload, None) for payload in payloads)
    elif FaultKind.USAGE_EVERY_CHUNK in faults:
        for number, payload in enumerate(payloads):
            so_far = min(number, usage["completion_tokens"])
            total = usage["prompt_tokens"] + so_far
            yield _with_usage(payload, {**usage, "completion_tokens": so_far, "total_tokens": total})
    else:
        yield from payloads


def stream_payloads(reply: Reply, envelope: Envelope) -> Iterator[bytes]:
    """Yield the payload of every event: the choices in step, usage if asked for, ``[DONE]``."""
    faults = envelope.faults
    usage = usage_json(reply, faults) if envelope.include_usage else None
    is_on_finish = FaultKind.USAGE_ON_FINISH in faults
    closing = {"usage": usage} if usage is not None and is_on_finish else {}
    streams = [
        _choice_payloads(choice, envelope, index, closing) for index, choice in enumerate(reply.choices)
    ]
    if FaultKind.EMPTY_CHOICES_FIRST in faults:
        yield envelope.chunk([])
    yield from _noted(_in_step(streams), usage, faults) if usage is not None else _in_step(streams)
    if FaultKind.FINISH_NULL_THEN_EOF in faults:
        return
    if usage is not None and not is_on_finish:
        yield envelope.chunk([], usage=usage)
    if FaultKind.NO_DONE not in faults:
        yield DONE
