"""Send one probe's request and keep what came, whatever it was: refusals are evidence, not failures."""

import asyncio
import json
import random
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType
from typing import Any, Self

import aiohttp

from evals.probe_settings import ClientSettings
from evals.transport.failure import RETRYABLE_STATUS, Failure, FailureKind, network_words
from evals.transport.http_client import retry_after_seconds
from evals.transport.retry import EndpointHealth, send_with_retries

STILL_SENDING_S = 5.0
BYTES_A_TOKEN = 2_000  # a generous frame of a stream
SPARE_BYTES = 1_000_000
_DONE = re.compile(rb"data:\s*\[DONE\]\s*\Z")
_TAIL_BYTES = 64


class Ended(StrEnum):
    """How the bytes of a reply ended."""

    WHOLE = "whole"
    CUT = "cut"  # the connection broke within the body
    TIMEOUT = "timeout"  # silent when the time was up
    ENDLESS = "endless"  # more kept coming when the time, or all that was asked for, was long up
    UNREACHABLE = "unreachable"  # no reply at all


@dataclass(frozen=True, kw_only=True)
class RawReply:
    """One reply as it came. ``status`` is ``None`` where none came; ``detail`` says what broke, in words."""

    ended: Ended
    status: int | None = None
    body: bytes = b""
    detail: str = ""
    duration_s: float = 0.0
    n_attempts: int = 1
    retry_after_s: float | None = None


class ProbeClient:
    """The chat completions of one endpoint, asked with few connections and tried again on transport faults."""

    def __init__(self, url: str, headers: Mapping[str, str], settings: ClientSettings) -> None:
        self.n_requests = 0
        self._url = url
        self._headers = headers
        self._settings = settings
        self._slots = asyncio.Semaphore(settings.max_connections)
        self._health = EndpointHealth()
        self._rng = random.Random()  # jitter only: no result depends on it
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=30.0),
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._session.close()

    async def ask(self, body: Mapping[str, Any]) -> RawReply:
        """Post ``body`` and return the reply, after retries the last one; never raises on what comes."""
        sent = json.dumps(body).encode()  # not orjson: schemas of the user's may hold any integer
        limit = _byte_limit(body)
        replies: list[RawReply] = []

        async def send() -> RawReply:
            self.n_requests += 1
            reply = await self._attempt(sent, limit)
            replies.append(reply)
            fault = _transport_fault(reply, is_last=len(replies) >= self._settings.policy.max_attempts)
            if fault is not None:
                raise fault
            return reply

        async with self._slots:
            with suppress(Failure):  # the last reply says what it was
                await send_with_retries(
                    send, policy=self._settings.policy, health=self._health, rng=self._rng
                )
        return replace(replies[-1], n_attempts=len(replies))

    async def _attempt(self, body: bytes, limit: int) -> RawReply:
        started = time.perf_counter()
        received, status, retry_after = bytearray(), None, None
        last_at = started
        ended, detail = Ended.WHOLE, ""
        try:
            async with (
                asyncio.timeout(self._settings.timeout_s),
                self._session.post(
                    self._url, data=body, headers=self._headers, allow_redirects=False
                ) as http,
            ):
                status = http.status
                retry_after = retry_after_seconds(http.headers.get("Retry-After"), time.time())
                async for block in http.content.iter_any():
                    received += block
                    last_at = time.perf_counter()
                    if _DONE.search(received, max(0, len(received) - _TAIL_BYTES)):
                        break  # some servers keep a finished stream open
                    if len(received) > limit:
                        ended, detail = Ended.ENDLESS, f"still sending after {len(received):,} bytes"
                        break
        except TimeoutError:
            is_sending = bool(received) and time.perf_counter() - last_at < STILL_SENDING_S
            ended = Ended.ENDLESS if is_sending else Ended.TIMEOUT
            state = "still sending" if is_sending else "no end"
            detail = f"{state} after {self._settings.timeout_s:g} s"
        except (aiohttp.ClientError, OSError) as error:
            ended = Ended.UNREACHABLE if status is None else Ended.CUT
            detail = f"connection: {network_words(error)}"
        return RawReply(
            ended=ended,
            status=status,
            body=bytes(received),
            detail=detail,
            duration_s=time.perf_counter() - started,
            retry_after_s=retry_after,
        )


def _byte_limit(body: Mapping[str, Any]) -> int:
    budget = body.get("max_tokens")
    n_tokens = budget if isinstance(budget, int) and 0 < budget < 100_000 else 100_000
    return SPARE_BYTES + n_tokens * BYTES_A_TOKEN


def _transport_fault(reply: RawReply, *, is_last: bool) -> Failure | None:
    """Return the failure to retry: no connection, a cut reply, a busy or broken server; else ``None``."""
    is_status = reply.status is not None and (reply.status in RETRYABLE_STATUS or reply.status >= 500)
    is_unreachable = reply.ended is Ended.UNREACHABLE
    if not is_status and not is_unreachable and reply.ended is not Ended.CUT:
        return None
    return Failure(
        kind=FailureKind.SERVER,
        message=reply.detail or f"HTTP {reply.status}",
        status=reply.status,
        is_retryable=is_unreachable or reply.status == 429 or not is_last,
        is_rate_limit=reply.status == 429,
        retry_after_s=reply.retry_after_s,
    )
