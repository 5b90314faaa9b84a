"""One attempt at one request: send it, read the reply as it comes, and say exactly how it ended."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Self

import aiohttp
import orjson

from evals.event_stream import EventStream
from evals.exchange import Reply
from evals.failure import Failure, FailureKind, frame_failure, http_failure, network_words, server_failure
from verifiers.completion import CompletionAssembler, ErrorFrame, UnusableReplyError, read_completion
from verifiers.ending import Finish, finish_kind
from verifiers.response import Response

DRAIN_S = 0.5  # some servers keep a finished stream open
RESCHEDULE_EVERY_S = 1.0  # moving the idle deadline on every block would cost more than reading the block


@dataclass(frozen=True, kw_only=True)
class Waits:
    """How long a request may be silent, in seconds; there is no limit on its whole duration.

    ``first_byte_s`` is for a streamed reply in the server's queue, ``idle_s`` between two blocks of a
    stream, ``plain_s`` for a whole reply without streaming: a thinking answer may take an hour.
    """

    connect_s: float = 60.0
    first_byte_s: float = 3600.0
    idle_s: float = 600.0
    plain_s: float = 7200.0


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

    async def send(self, url: str, body: bytes, headers: Mapping[str, str], *, stream: bool) -> Reply:
        """Post ``body`` (JSON) and return the finished reply; raise :class:`Failure` otherwise.

        A reply counts as finished only with a finish reason: a stream that merely ends is a failure.
        """
        started = time.perf_counter()
        if stream:
            # llama.cpp closes a connection after a stream without saying so: the next request would break on it
            headers = {**headers, "Connection": "close"}
        wait = self._waits.first_byte_s if stream else self._waits.plain_s
        try:
            async with asyncio.timeout(wait) as deadline:
                async with self._session.post(url, data=body, headers=headers, allow_redirects=False) as http:
                    if http.status != 200:
                        raise await _refusal(http)
                    return await self._read(http, started, deadline)
        except TimeoutError as error:
            waited = time.perf_counter() - started
            raise server_failure(f"timeout: silent for too long, {waited:.0f} s after the request") from error
        except (aiohttp.ClientError, OSError) as error:
            raise server_failure(f"connection: {network_words(error)}") from error

    async def _read(self, http: aiohttp.ClientResponse, started: float, deadline: asyncio.Timeout) -> Reply:
        reader = _ReplyReader(started)
        now = asyncio.get_running_loop().time
        moved_at = -RESCHEDULE_EVERY_S
        async for block in http.content.iter_any():
            before = reader.n_chunks
            reader.feed(block)
            self.n_chunks += reader.n_chunks - before
            if reader.is_done:
                await _drain(http)
                break
            if reader.is_stream and now() - moved_at > RESCHEDULE_EVERY_S:
                moved_at = now()
                deadline.reschedule(moved_at + self._waits.idle_s)
        return reader.finish()


async def _drain(http: aiohttp.ClientResponse) -> None:
    """Read the end of a reply that said it is done, so that its connection can be used again."""
    with suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(DRAIN_S):
            await http.content.read()


class _ReplyReader:
    """Turn the bytes of one reply into a :class:`Reply`, whichever of the two forms the server chose."""

    def __init__(self, started: float) -> None:
        self.is_stream: bool | None = None
        self.is_done = False
        self.n_chunks = 0
        self._started = started
        self._plain: list[bytes] = []
        self._events = EventStream()
        self._assembler = CompletionAssembler()
        self._first_token_at: float | None = None

    def feed(self, block: bytes) -> None:
        """Take the next block of bytes; the first decides what the server sends, whatever its headers say."""
        if self.is_stream is None and (start := block.lstrip(b"\xef\xbb\xbf \r\n\t")):
            self.is_stream = not start.startswith((b"{", b"<", b"["))
        if not self.is_stream:
            self._plain.append(block)
            return
        for data in self._events.feed(block):
            if self._take_event(data):
                return

    def _take_event(self, data: bytes) -> bool:
        """Take one event; return whether it was the last."""
        if data == b"[DONE]":
            self.is_done = True
            return True
        try:
            chunk = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise server_failure(f"a frame of the stream is not JSON: {_excerpt(data)}") from error
        if self._add(chunk):
            self.n_chunks += 1
            if self._first_token_at is None:
                self._first_token_at = time.perf_counter()
        return False

    def _add(self, chunk: Any) -> bool:
        try:
            return self._assembler.add(chunk)
        except ErrorFrame as error:
            raise frame_failure(error.message, error.code) from error
        except UnusableReplyError as error:
            raise server_failure(str(error)) from error

    def finish(self) -> Reply:
        """Return the reply, or raise the :class:`Failure` that its end stands for."""
        if self.is_stream:
            for data in self._events.close():
                self._take_event(data)
            return self._reply(self._assembler.finish())
        return self._reply(_read_plain(b"".join(self._plain)))

    def _reply(self, response: Response) -> Reply:
        now = time.perf_counter()
        if response.finish_reason is None:
            ended = "ended with [DONE] but" if self.is_done else "ended"
            raise server_failure(f"incomplete: the reply {ended} without a finish reason")
        if finish_kind(response.finish_reason) is Finish.FAILED:
            raise server_failure(f"aborted: finish reason {response.finish_reason!r}")
        first = self._first_token_at
        return Reply(
            response=response,
            ttft_s=None if first is None else first - self._started,
            duration_s=now - self._started,
            n_chunks=self.n_chunks,
        )


def _read_plain(body: bytes) -> Response:
    text = body.strip()
    if not text:
        raise server_failure("the reply is empty")
    if text.startswith(b"<"):
        raise server_failure(f"the reply is HTML, not JSON (a proxy answers?): {_excerpt(text)}")
    try:
        return read_completion(orjson.loads(text.removeprefix(b"\xef\xbb\xbf")))
    except orjson.JSONDecodeError as error:
        raise server_failure(f"the reply is not JSON: {_excerpt(text)}") from error
    except ErrorFrame as error:
        raise frame_failure(error.message, error.code) from error
    except UnusableReplyError as error:
        raise server_failure(str(error)) from error


async def _refusal(http: aiohttp.ClientResponse) -> Failure:
    text = await http.text(errors="replace")
    words = _error_words(text) or http.reason or ""
    if 300 <= http.status < 400:
        return Failure(
            kind=FailureKind.CONFIGURATION,
            message=f"HTTP {http.status}: redirected to {http.headers.get('Location')!r}; use that as the base URL",
            status=http.status,
            is_retryable=False,
        )
    return http_failure(http.status, words, retry_after_seconds(http.headers.get("Retry-After"), time.time()))


def _error_words(text: str) -> str:
    """Return what an error body says, in the server's own words; HTML and plain text as they are."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return " ".join(text.split())
    if not isinstance(value, dict):
        return " ".join(text.split())
    error = value.get("error", value)
    if isinstance(error, dict):
        return str(error.get("message") or error.get("detail") or error)
    return str(error)


def retry_after_seconds(header: str | None, now: float) -> float | None:
    """Return the wait that a ``Retry-After`` header asks for, given in seconds or as a date (RFC 9110 10.2.3)."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - now)
    except (TypeError, ValueError):
        return None


def _excerpt(data: bytes) -> str:
    text = " ".join(data[:160].decode("utf-8", "replace").split())
    return repr(text[:120])
