"""Ask an endpoint short questions, each within its time, and keep every answer and every failure."""

import asyncio
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import orjson

from evals.endpoint import Endpoint, request_headers
from evals.transport.exchange import Reply
from evals.transport.failure import Failure, server_failure
from evals.transport.http_client import Transport
from evals.transport.reply_limits import ReplyLimits, reply_limits
from evals.transport.whole_request import merge
from evals.waits import Waits
from verifiers.response import Response
from verifiers.thinking_switch import without_switch

ATTEMPTS = 4  # one fault in a hundred must not pass for a broken server
RETRY_WAIT_S = 0.4  # before the second attempt; doubled before each further one
IN_FLIGHT = 4
_MAX_WAIT_S = 10.0


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request and how it ended: ``reply`` and ``failure``, exactly one of them set.

    ``failed`` holds the failures of attempts before the last.
    """

    body: Mapping[str, Any]
    stream: bool
    reply: Reply | None = None
    failure: Failure | None = None
    failed: tuple[Failure, ...] = field(default=())

    @property
    def response(self) -> Response:
        """The response, an empty one that never finished where the request failed."""
        return self.reply.response if self.reply is not None else Response()

    @property
    def is_answered(self) -> bool:
        """Whether a finished reply came."""
        return self.reply is not None

    @property
    def text(self) -> str:
        """Reasoning and content together: everything that was generated as text."""
        return (self.response.reasoning or "") + (self.response.content or "")

    @property
    def words(self) -> str:
        """What the server or the network said of the failure, on one line."""
        return " ".join(self.failure.message.split())[:160] if self.failure is not None else ""

    @property
    def is_refused(self) -> bool:
        """Whether the server said no to what was asked, so that asking again cannot help."""
        return self.failure is not None and not self.failure.is_retryable


class Asker:
    """Asks one endpoint. ``asked`` holds every request in the order in which they ended."""

    def __init__(self, endpoint: Endpoint, *, timeout_s: float, retry_wait_s: float = RETRY_WAIT_S) -> None:
        self.asked: list[Asked] = []
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._retry_wait_s = retry_wait_s
        self._transport = Transport(
            Waits(connect_s=timeout_s, first_byte_s=timeout_s, idle_s=timeout_s, plain_s=timeout_s)
        )
        self._slots = asyncio.Semaphore(IN_FLIGHT)
        self._rng = random.Random()  # jitter only

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._transport.close()

    async def ask(
        self,
        content: Any,
        *,
        max_tokens: int,
        stream: bool,
        switch: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> Asked:
        """Send one user message; ``switch`` replaces the endpoint's own way of switching thinking."""
        body = {
            "model": self._endpoint.model,
            "messages": [{"role": "user", "content": content}],
            "max_tokens": max_tokens,
            **{name: value for name, value in fields.items() if value is not None},
        }
        extra = self._endpoint.extra_body
        if switch is None:
            body |= merge(self._endpoint.thinking_parameters(), extra)
        else:
            body |= merge(without_switch(extra), switch)
        async with self._slots:
            asked = await self._send(body, stream=stream)
        self.asked.append(asked)
        return asked

    async def _send(self, body: Mapping[str, Any], *, stream: bool) -> Asked:
        streaming = (
            {"stream": True, "stream_options": {"include_usage": True}} if stream else {"stream": False}
        )
        raw = orjson.dumps({**body, **streaming})
        failed: list[Failure] = []
        try:
            async with asyncio.timeout(self._timeout_s):
                while True:
                    try:
                        reply = await self._post(raw, reply_limits(body), stream=stream)
                        return Asked(body=body, stream=stream, reply=reply, failed=tuple(failed))
                    except Failure as failure:
                        if not failure.is_retryable or len(failed) + 1 >= ATTEMPTS:
                            return Asked(body=body, stream=stream, failure=failure, failed=tuple(failed))
                        failed.append(failure)
                        await asyncio.sleep(self._wait(failure, len(failed)))
        except TimeoutError:
            late = server_failure(f"timeout: no whole reply in {self._timeout_s:g} s")
            return Asked(
                body=body, stream=stream, failure=failed[-1] if failed else late, failed=tuple(failed)
            )

    async def _post(self, raw: bytes, limits: ReplyLimits, *, stream: bool) -> Reply:
        url = f"{self._endpoint.base_url}/chat/completions"
        headers = request_headers(self._endpoint)
        return await self._transport.send(url, raw, headers, stream=stream, limits=limits)

    def _wait(self, failure: Failure, n_failed: int) -> float:
        if failure.retry_after_s is not None:
            return min(failure.retry_after_s, _MAX_WAIT_S)
        return self._rng.uniform(0.5, 1.0) * self._retry_wait_s * 2.0 ** (n_failed - 1)
