"""Play a request that was let in: wait as long as a model would, and send what it says."""

import asyncio
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass

import orjson
from aiohttp import web

from evals.simulator.answers import AnswerEntry
from evals.simulator.bend import bend_reply
from evals.simulator.config import SimulatorConfig
from evals.simulator.endings import SPOILING, plain_events, stream_events
from evals.simulator.fault_kind import FaultKind
from evals.simulator.limits import room_left, thinks
from evals.simulator.player import Player, Terms
from evals.simulator.reply import Played, Reply
from evals.simulator.request import ChatRequest
from evals.simulator.sending import Pace, send_events
from evals.simulator.wire import Envelope, plain_json, stream_payloads

_FORCED = {FaultKind.FLOOD: Played.FLOOD, FaultKind.LOOP: Played.LOOP}
_HEADERS = {"X-Simulated": "quantcheck", "Cache-Control": "no-cache"}


@dataclass(frozen=True, kw_only=True)
class Job:
    """A request as the server takes it, the sample it asks for, and the faults that strike it."""

    chat: ChatRequest
    entry: AnswerEntry | None
    faults: frozenset[FaultKind]

    @property
    def is_spoiled(self) -> bool:
        """Whether a fault keeps the client from the whole reply."""
        return bool(self.faults & SPOILING)


class Stage:
    """Where replies are played."""

    def __init__(self, config: SimulatorConfig, player: Player) -> None:
        self._config = config
        self._player = player
        self._numbers = itertools.count(1)

    async def perform(
        self, request: web.Request, job: Job, *, on_start: Callable[[int], None]
    ) -> tuple[web.StreamResponse, Played]:
        """Answer ``request``; ``on_start`` is told the HTTP status once it is on its way.

        Returns the response sent and how its first choice was meant. Raises ``ConnectionError`` or is
        cancelled when the client goes away.
        """
        if FaultKind.SLOW_START in job.faults:
            await asyncio.sleep(self._config.slow_start_s)
        is_stream = job.chat.stream and FaultKind.IGNORE_STREAM not in job.faults
        send = self._stream if is_stream else self._plain
        response = web.StreamResponse(headers=_HEADERS)
        played = await send(request, response, job, on_start)
        return response, played

    async def _stream(
        self, request: web.Request, response: web.StreamResponse, job: Job, on_start: Callable[[int], None]
    ) -> Played:
        response.content_type, response.charset = "text/event-stream", "utf-8"
        await response.prepare(request)
        on_start(response.status)
        await asyncio.sleep(self._config.first_token_s)
        reply = self._reply(job)
        events = stream_events(stream_payloads(reply, self._envelope(job)), job.faults)
        await send_events(request, response, events, self._pace(job))
        return reply.choices[0].played

    async def _plain(
        self, request: web.Request, response: web.StreamResponse, job: Job, on_start: Callable[[int], None]
    ) -> Played:
        reply = self._reply(job)
        speed = self._config.speed
        await asyncio.sleep(self._config.first_token_s + (reply.completion_tokens / speed if speed else 0.0))
        response.content_type = "application/json"
        await response.prepare(request)
        on_start(response.status)
        body = orjson.dumps(plain_json(reply, self._envelope(job)))
        await send_events(request, response, plain_events(body, job.faults), self._pace(job))
        return reply.choices[0].played

    def _reply(self, job: Job) -> Reply:
        budget = room_left(job.chat, self._config)
        if job.chat.max_tokens is not None and FaultKind.MAX_TOKENS_IGNORED not in job.faults:
            budget = job.chat.max_tokens
        seed = job.chat.sampling.seed
        if seed is None or FaultKind.SEED_IGNORED in job.faults:
            seed = -next(self._numbers)
        forced = next((played for fault, played in _FORCED.items() if fault in job.faults), None)
        if FaultKind.IMAGE_IGNORED in job.faults and job.entry is not None and job.entry.n_images:
            forced = Played.WRONG
        terms = Terms(seed=seed, budget=budget, thinks=thinks(job.chat, self._config), forced=forced)
        return bend_reply(self._player.play(job.chat, job.entry, terms), job.faults)

    def _envelope(self, job: Job) -> Envelope:
        return Envelope(
            id=f"chatcmpl-simulated-{next(self._numbers)}",
            created=int(time.time()),
            model=self._config.served_model,
            reasoning_field=self._config.reasoning_field,
            tokens_per_frame=self._config.tokens_per_frame,
            include_usage=job.chat.include_usage,
            faults=job.faults,
            fingerprint=f"quantcheck-simulator-{self._config.profile.name}",
        )

    def _pace(self, job: Job) -> Pace:
        speed = self._config.speed
        return Pace(
            frames_per_s=speed / self._config.tokens_per_frame if speed and job.chat.stream else None,
            frames_per_write=self._config.frames_per_write,
            splits_anywhere=FaultKind.SPLIT_UTF8 in job.faults,
        )
