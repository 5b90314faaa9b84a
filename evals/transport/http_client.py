"""One attempt at one request: send it, read the reply as it comes, and say exactly how it ended."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Self

import aiohttp
import orjson

from evals.transport.exchange import Reply
from evals.transport.failure import (
    Failure,
    FailureKind,
    http_failure,
    network_words,
    one_line,
    server_failure,
)
from evals.transport.reply_limits import NO_BUDGET, ReplyLimits, read_at_most
from evals.transport.reply_reader import ReplyReader, endless
from evals.waits import Waits
from verifiers.response import Response
from verifiers.wire_frame import find_error

DRAIN_S = 0.5  # some servers keep a finished stream open
RESCHEDULE_EVERY_S = 1.0  # moving the idle deadline on every block would cost more than reading the block
PART_CHUNKS = 512  # of a stream, when what has come of it is shown: enough to see that it says nothing
DRAIN_BYTES = 1024**2  # and some do not stop at all
MAX_REFUSAL_BYTES = 64 * 1024  # of an error page; words beyond are not repeated anyway
MIN_SECRET_LENGTH = 8  # a shorter header value may be a word of the message


class Transport:
    """An HTTP session. Requests share its connections and nothing else."""

    def __init__(self, waits: Waits) -> None:
        self.n_chunks = 0  # of all replies, for live progress
        self._waits = waits
        # vLLM (uvicorn) and llama.cpp close a silent connection after 5 s: one kept longer fails when used
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=3.0)
        self._session = aiohttp.ClientSession(
            connector=connector,
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=waits.connect_s),
            auto_decompress=True,
            read_bufsize=2**18,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await self._session.close()

    async def send(
        self,
        url: str,
        body: bytes,
        headers: Mapping[str, str],
        *,
        stream: bool,
        limits: ReplyLimits = NO_BUDGET,
        on_part: Callable[[Response], None] = lambda _part: None,
    ) -> Reply:
        """Post ``body`` (JSON) and return the finished reply; raise :class:`Failure` otherwise.

        ``on_part`` is shown once what has come of a long stream: its whole may take an hour.

        A reply counts as finished only with a finish reason: a stream that merely ends is a failure, and so
        is one beyond its ``limits``. One that breaks after its finish reason is whole, and flagged; so is a
        reply in the form that was not asked for.
        """
        reader = ReplyReader(started := time.perf_counter(), limits)
        if stream:
            # llama.cpp closes a connection after a stream without saying so: the next request would break on it
            headers = {**headers, "Connection": "close"}
        wait = self._waits.first_byte_s if stream else self._waits.plain_s
        try:
            async with asyncio.timeout(wait) as deadline:
                async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as http:
                    if not 200 <= http.status < 300:  # some gateways answer 201
                        raise await read_refusal(http, headers)
                    reply = await self._read(http, reader, deadline, limits.writing_s, on_part)
            return reply if reader.is_stream == stream else _in_other_form(reply, asked_stream=stream)
        except TimeoutError as error:
            if reader.is_finished:
                return reader.finish(was_cut=True)
            waited = time.perf_counter() - started
            if reader.is_stream and waited >= self._waits.first_byte_s + limits.writing_s:
                raise endless(f"still not done after {waited:,.0f} s") from error
            raise server_failure(f"timeout: silent for too long, {waited:.0f} s after the request") from error
        except (aiohttp.ClientError, OSError) as error:
            if reader.is_finished:
                return reader.finish(was_cut=True)
            raise server_failure(f"connection: {network_words(error)}") from error

    async def _read(
        self,
        http: aiohttp.ClientResponse,
        reader: ReplyReader,
        deadline: asyncio.Timeout,
        writing_s: float,
        on_part: Callable[[Response], None],
    ) -> Reply:
        now = asyncio.get_running_loop().time
        end_at = now() + self._waits.first_byte_s + writing_s
        every_s = min(RESCHEDULE_EVERY_S, self._waits.idle_s / 4)
        moved_at = -every_s
        n_events, event_at = 0, now()
        is_part_shown = False
        async for block in http.content.iter_any():
            before = reader.n_chunks
            reader.feed(block)
            self.n_chunks += reader.n_chunks - before
            if reader.is_done:
                reply = reader.finish()
                await _drain(http)
                return reply
            if reader.is_stream and now() - moved_at > every_s:
                moved_at = now()
                if reader.n_events > n_events:
                    n_events, event_at = reader.n_events, moved_at
                idle_at = moved_at + self._waits.idle_s + every_s
                deadline.reschedule(min(idle_at, event_at + self._waits.first_byte_s, end_at))
                if not is_part_shown and reader.n_chunks >= PART_CHUNKS:
                    is_part_shown = True
                    on_part(reader.part())
        return reader.finish()


def _in_other_form(reply: Reply, *, asked_stream: bool) -> Reply:
    flag = "stream_ignored" if asked_stream else "streamed_unasked"
    response = replace(reply.response, flags=(*reply.response.flags, flag))
    return replace(reply, response=response)


async def _drain(http: aiohttp.ClientResponse) -> None:
    """Read the end of a reply that said it is done, so that its connection can be used again."""
    with suppress(TimeoutError, aiohttp.ClientError, OSError):
        async with asyncio.timeout(DRAIN_S):
            await read_at_most(http, DRAIN_BYTES)


async def read_refusal(http: aiohttp.ClientResponse, sent: Mapping[str, str]) -> Failure:
    """Return the failure that a refused request stands for, in the server's own words but without secrets."""
    text = (await read_at_most(http, MAX_REFUSAL_BYTES)).decode("utf-8", "replace")
    words = without_secrets(_error_words(text), sent) or http.reason or ""
    if 300 <= http.status < 400:
        return Failure(
            kind=FailureKind.CONFIGURATION,
            message=f"HTTP {http.status}: redirected to {http.headers.get('Location')!r}; use that as the base URL",
            status=http.status,
            is_retryable=False,
        )
    return http_failure(http.status, words, retry_after_seconds(http.headers.get("Retry-After"), time.time()))


def without_secrets(words: str, sent: Mapping[str, str]) -> str:
    """Return a server's words without the key or another header value that it repeats: they are logged."""
    for name, value in sent.items():
        secret = value.removeprefix("Bearer ")
        if len(secret) >= MIN_SECRET_LENGTH and name != "Content-Type":
            words = words.replace(secret, "***")
    return words


def _error_words(text: str) -> str:
    """Return what an error body says, in the server's own words; HTML and plain text as they are."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return one_line(text)
    error = find_error(value) if isinstance(value, dict) else None
    return one_line(error.message if error is not None else text)


def retry_after_seconds(header: str | None, now: float) -> float | None:
    """Return the wait that a ``Retry-After`` header asks for, given in seconds or as a date (RFC 9110 10.2.3)."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(header)
        return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)
    except (TypeError, ValueError, OverflowError):
        return None
