"""From the bytes of one reply to what was said: streamed or plain, whatever was asked and the headers say."""

import json
import time
from dataclasses import replace
from typing import Any

import orjson

from evals.transport.event_stream import BYTE_ORDER_MARK, EventStream
from evals.transport.exchange import Reply
from evals.transport.failure import Failure, frame_failure, server_failure
from evals.transport.reply_limits import NO_BUDGET, ReplyLimits
from verifiers.completion import CompletionAssembler, ErrorFrame, UnusableReplyError, read_completion
from verifiers.ending import Finish, finish_kind
from verifiers.response import Response

_EVENT_STARTS = tuple(b":deir")  # a comment, or one of the fields data, event, id and retry
CHECKED_EVERY_BYTES = 256 * 1024  # of a stream, how much text is held
_INVISIBLE = BYTE_ORDER_MARK + b" \t\r\n"


class ReplyReader:
    """Takes the blocks of one reply as they come; ``started`` is when its request was sent (perf_counter).

    A reply beyond ``limits`` never ends. Every method raises :class:`evals.transport.failure.Failure` where the reply
    turns out to be none.
    """

    def __init__(self, started: float, limits: ReplyLimits = NO_BUDGET) -> None:
        self.is_stream: bool | None = None  # None: not a visible byte yet
        self.is_done = False
        self.n_chunks = 0
        self.n_events = 0
        self._started = started
        self._limits = limits
        self._n_bytes = 0
        self._check_at = CHECKED_EVERY_BYTES
        self._plain: list[bytes] = []
        self._events = EventStream()
        self._assembler = CompletionAssembler()
        self._first_token_at: float | None = None
        self._has_odd_text = False

    def feed(self, block: bytes) -> None:
        """Take the next block of bytes; the first visible one decides which of the two forms it is."""
        if self.is_stream is None and (start := block.lstrip(_INVISIBLE)):
            self.is_stream = start[0] in _EVENT_STARTS
            if self.is_stream:
                block = b"".join(self._plain) + block
        self._n_bytes += len(block)
        if not self.is_stream:
            self._plain.append(block)
            if self._n_bytes > self._limits.plain_bytes:
                raise endless(f"more than {self._limits.plain_bytes:,} bytes of a plain reply")
            return
        for data in self._events.feed(block):
            self._take_event(data)
            if self.is_done:
                return
        self._check_size()

    @property
    def is_finished(self) -> bool:
        """Whether a stream has given its finish reason: what may follow is usage, never text."""
        return bool(self.is_stream) and self._assembler.finish().finish_reason is not None

    def part(self) -> Response:
        """Return what has come of a stream so far."""
        return self._assembler.finish()

    def finish(self, *, was_cut: bool = False) -> Reply:
        """Return the reply; ``was_cut`` says that the connection broke after the finish reason."""
        if not self.is_stream:
            response = self._read_plain(b"".join(self._plain))
        else:
            if not (self.is_done or was_cut):
                for data in self._events.close():
                    self._take_event(data)
            response = self._assembler.finish()
        if was_cut:
            response = replace(response, flags=(*response.flags, "cut_after_finish"))
        if self._has_odd_text:
            response = with_whole_characters(response)
        return self._reply(response)

    def _take_event(self, data: bytes) -> None:
        if data == b"[DONE]":
            self.is_done = True
            return
        if not data:
            return  # an event without data is a keep-alive
        self.n_events += 1
        if self.n_events > self._limits.events:
            self._give_up(f"{self._limits.events:,} events of a stream, far more than the budget's tokens")
            return
        try:
            carried = self._assembler.add(self._parsed(data, "a frame of the stream"))
        except ErrorFrame as error:
            raise frame_failure(error.message, error.code, error.type) from error
        except UnusableReplyError as error:
            raise server_failure(str(error)) from error
        if carried:
            self.n_chunks += 1
            if self._first_token_at is None:
                self._first_token_at = time.perf_counter()

    def _check_size(self) -> None:
        """Give up a stream that says too much: as sent, in one event, or as text, which is not counted each time."""
        if self._events.n_held > self._limits.plain_bytes:
            self._give_up(f"more than {self._limits.plain_bytes:,} bytes of one event")
        elif self._n_bytes > self._limits.sent_bytes:
            self._give_up(f"more than {self._limits.sent_bytes:,} bytes of a stream")
        elif self._n_bytes > self._check_at:
            self._check_at = self._n_bytes + CHECKED_EVERY_BYTES
            if self._assembler.n_held() > self._limits.characters:
                self._give_up(
                    f"more than {self._limits.characters:,} characters, far more than the budget's tokens"
                )

    def _give_up(self, words: str) -> None:
        """Raise that the reply never ends; what follows a finish reason is nobody's, and the reply is whole."""
        if not self.is_finished:
            raise endless(words)
        self.is_done = True

    def _parsed(self, data: bytes, subject: str) -> Any:
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass
        # Not JSON to the letter, yet sent: half a surrogate pair where a proxy cut a sign in two, or NaN.
        self._has_odd_text = True
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise server_failure(f"{subject} is not JSON: {_excerpt(data)}") from error

    def _read_plain(self, body: bytes) -> Response:
        text = body.strip(_INVISIBLE)
        if not text:
            raise server_failure("the reply is empty")
        if text.startswith(b"<"):
            raise server_failure(f"the reply is HTML, not JSON (a proxy answers?): {_excerpt(text)}")
        try:
            return read_completion(self._parsed(text, "the reply"))
        except ErrorFrame as error:
            raise frame_failure(error.message, error.code, error.type) from error
        except UnusableReplyError as error:
            raise server_failure(str(error)) from error

    def _reply(self, response: Response) -> Reply:
        if response.finish_reason is None:
            ended = "ended with [DONE] but" if self.is_done else "ended"
            raise server_failure(f"incomplete: the reply {ended} without a finish reason")
        if finish_kind(response.finish_reason) is Finish.FAILED:
            raise server_failure(f"aborted: finish reason {response.finish_reason!r}")
        first = self._first_token_at
        return Reply(
            response=response,
            ttft_s=None if first is None else first - self._started,
            duration_s=time.perf_counter() - self._started,
            n_chunks=self.n_chunks,
        )


def endless(words: str) -> Failure:
    """Return the failure of a reply that never ends; asking again would only take as long."""
    failure = server_failure(f"the reply never ends: {words}")
    failure.is_retryable = False
    return failure


def with_whole_characters(response: Response) -> Response:
    """Return ``response`` with halves of surrogate pairs joined, and U+FFFD for a half that stands alone.

    Such text cannot be written as UTF-8: without this, one response could not be journalled.
    """
    return replace(
        response,
        content=_whole(response.content),
        reasoning=_whole(response.reasoning),
        refusal=_whole(response.refusal),
        finish_reason=_whole(response.finish_reason),
        tool_calls=tuple(
            replace(call, id=_whole(call.id), name=_whole(call.name), arguments=_whole(call.arguments))
            for call in response.tool_calls
        ),
    )


def _whole(text: str | None) -> str | None:
    return None if text is None else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _excerpt(data: bytes) -> str:
    text = " ".join(data[:160].decode("utf-8", "replace").split())
    return repr(text[:120])
