"""Post to one endpoint with the retry policy of runs; replies are read whole or handed on as they come."""

import json
import random
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

import aiohttp
import orjson

from evals.transport.failure import Failure, frame_failure, network_words, server_failure
from evals.transport.http_client import read_refusal
from evals.transport.retry import EndpointHealth, RetryPolicy, send_with_retries
from evals.waits import Waits
from verifiers.wire_frame import find_error

_WORDS_BYTES = 2_000
Answer = TypeVar("Answer")


class Sink(Protocol):
    """Takes one reply block by block; made anew for every attempt."""

    def feed(self, block: bytes) -> None:
        """Take the next bytes; raise :class:`Failure` for a reply that is of no use."""

    def finish(self) -> None:
        """Take the end of the reply; raise :class:`Failure` where something is missing."""

    def abandon(self) -> None:
        """Drop what came: the attempt failed."""


class Caller:
    """One endpoint's pages: ``root`` is its URL without the version, ``model`` what requests name."""

    def __init__(
        self, base_url: str, model: str, headers: Mapping[str, str], *, waits: Waits, policy: RetryPolicy
    ) -> None:
        self.base_url, self.root, self.model = base_url, base_url.rsplit("/", 1)[0], model
        self.n_requests = 0
        self._headers, self._waits, self._policy = headers, waits, policy
        self._health = EndpointHealth()
        self._rng = random.Random()  # jitter only: no result depends on it
        timeout = aiohttp.ClientTimeout(total=waits.plain_s, sock_connect=waits.connect_s)
        # vLLM (uvicorn) closes a silent connection after 5 s: one kept longer fails when used
        connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=3.0)
        self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def json(self, url: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the object that a page answers; raise :class:`Failure`."""

        async def read(http: aiohttp.ClientResponse) -> dict[str, Any]:
            raw = await http.read()
            try:
                value = orjson.loads(raw)
            except json.JSONDecodeError as error:
                raise server_failure(f"reply is no JSON: {raw[:80]!r}") from error
            if not isinstance(value, dict):
                raise server_failure(f"reply is no JSON object: {raw[:80]!r}")
            _raise_error_of(value)
            return value

        return await self._call(url, body, read)

    async def stream(self, url: str, body: Mapping[str, Any], new_sink: Callable[[], Sink]) -> None:
        """Hand the reply to a sink as it comes; raise :class:`Failure`."""

        async def read(http: aiohttp.ClientResponse) -> None:
            sink, start = new_sink(), b""
            try:
                async for block in http.content.iter_any():
                    start = start or block[:_WORDS_BYTES]
                    sink.feed(block)
                sink.finish()
            except Failure:
                sink.abandon()
                _raise_told(start)
                raise
            except BaseException:
                sink.abandon()
                raise

        await self._call(url, body, read)

    async def _call(
        self,
        url: str,
        body: Mapping[str, Any],
        read: Callable[[aiohttp.ClientResponse], Awaitable[Answer]],
    ) -> Answer:
        payload = orjson.dumps(body)

        async def send() -> Answer:
            self.n_requests += 1
            try:
                async with self._session.post(
                    url, data=payload, headers=self._headers, allow_redirects=False
                ) as http:
                    if not 200 <= http.status < 300:
                        raise await read_refusal(http, self._headers)
                    return await read(http)
            except TimeoutError as error:
                raise server_failure(f"timeout: no whole reply in {self._waits.plain_s:g} s") from error
            except (aiohttp.ClientError, OSError) as error:
                raise server_failure(f"connection: {network_words(error)}") from error

        answer, _ = await send_with_retries(send, policy=self._policy, health=self._health, rng=self._rng)
        return answer


def _raise_told(start: bytes) -> None:
    """Raise the error that a whole short reply with status 200 tells of, where it is one."""
    try:
        value = orjson.loads(start)
    except json.JSONDecodeError:
        return
    if isinstance(value, dict):
        _raise_error_of(value)


def _raise_error_of(value: Mapping[str, Any]) -> None:
    error = find_error(value) if "error" in value else None
    if error is not None:
        raise frame_failure(error.message, error.code, error.type)
