"""Get one request answered: by which replica, over which connection, with how many tries."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from evals.endpoint import Endpoint, request_headers
from evals.fleet.pulse import has_pulse
from evals.fleet.replicas import Replica, ReplicaPool
from evals.transport.exchange import Attempt, Exchange, Reply
from evals.transport.failure import Failure
from evals.transport.http_client import Transport
from evals.transport.reply_limits import reply_limits
from evals.transport.retry import EndpointHealth, RetryPolicy, send_with_retries
from evals.transport.wire import WireRequest, encode_request, has_images
from evals.waits import Waits
from verifiers.response import Response


@dataclass(frozen=True, kw_only=True)
class Sending:
    """How requests are sent: patience, the key where it is not the environment's, and what is told of it.

    ``on_send`` is called before a request goes out, with whether it repeats a failed one; ``on_part`` once with
    what has come of a long reply, while it is still being written.
    """

    waits: Waits
    policy: RetryPolicy
    key: str | None
    load_image: Callable[[str], str]
    on_send: Callable[[bool], None]
    on_attempt: Callable[[Attempt], None]
    on_part: Callable[[WireRequest, Response], None]


class Dispatcher:
    """Requests of one run to one endpoint: they share connections, replicas and the endpoint's health."""

    def __init__(self, endpoint: Endpoint, sending: Sending) -> None:
        self.n_requests_sent = 0
        self._endpoint = endpoint
        self._sending = sending
        self._rng = random.Random()  # jitter, and which of equal replicas is asked: no result depends on it
        self._pool = ReplicaPool(endpoint.base_urls, rng=self._rng)
        self._health = EndpointHealth()
        self._transport: Transport | None = None
        self._pulse: asyncio.Task[bool] | None = None

    @property
    def n_chunks(self) -> int:
        """Number of streamed chunks received, also of replies that are still being written."""
        return self._transport.n_chunks if self._transport is not None else 0

    async def close(self) -> None:
        """Close the connections; a later request opens new ones."""
        if self._transport is not None:
            await self._transport.close()
            self._transport = None

    async def exchange(self, request: WireRequest) -> Exchange:
        """Return the reply with the failed attempts before it; raise the last :class:`Failure` where none came.

        An attempt after a failed one goes to another replica where one is ready.
        """
        headers = request_headers(self._endpoint, key=self._sending.key)
        asked: Replica | None = None

        async def send() -> Reply:
            nonlocal asked
            # encoded anew for each attempt: images must not stay in memory while a request waits
            body = await self._encoded(request)
            is_retry = asked is not None
            asked = self._pool.choose(after=asked)
            self.n_requests_sent += 1
            self._sending.on_send(is_retry)
            return await self._ask(asked, request, body, headers)

        try:
            reply, attempts = await send_with_retries(
                send,
                policy=self._sending.policy,
                health=self._health,
                rng=self._rng,
                on_retry=self._sending.on_attempt,
            )
        except Failure as failure:
            # A request that breaks the server each time looks like an outage too, once it is the last one left.
            if failure.is_outage:
                failure.is_endpoint_gone = not await self._has_pulse(headers)
            raise
        answered_by = (asked or self._pool.replicas[0]).base_url
        return Exchange(reply=reply, attempts=attempts, replica=answered_by, finished_at=time.time())

    async def _has_pulse(self, headers: dict[str, str]) -> bool:
        """Return whether anybody is there; requests that give up together ask once."""
        if self._pulse is None or self._pulse.done():
            self._pulse = asyncio.create_task(has_pulse(self._endpoint.base_urls, headers))
        return await asyncio.shield(self._pulse)

    async def _ask(
        self, replica: Replica, request: WireRequest, body: bytes, headers: dict[str, str]
    ) -> Reply:
        if self._transport is None:
            self._transport = Transport(self._sending.waits)
        transport = self._transport
        try:
            with self._pool.asking(replica):
                return await transport.send(
                    f"{replica.base_url}/{request.path}",
                    body,
                    headers,
                    stream=request.stream,
                    limits=reply_limits(request.body),
                    on_part=partial(self._sending.on_part, request),
                )
        except Failure as failure:
            if self._pool.is_fleet:
                failure.replica = replica.base_url
            if self._pool.has_other(replica):
                failure.retry_after_s = None  # this replica asks for time; another one takes over
            raise
        finally:
            if transport.n_chunks:
                self._health.spoke()

    async def _encoded(self, request: WireRequest) -> bytes:
        """Return the bytes to send; images are read and converted beside the event loop, streams go on."""
        load_image = self._sending.load_image
        if not request.is_whole and has_images(request.body):
            return await asyncio.to_thread(encode_request, request, load_image)
        return encode_request(request, load_image)
