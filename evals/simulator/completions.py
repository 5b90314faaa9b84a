"""Answer chat completion requests: check, play, misbehave as told, and keep the record."""

import asyncio
import contextlib
import hmac
import itertools
import time
from dataclasses import dataclass

import orjson
from aiohttp import web

from evals.simulator.answers import AnswerEntry
from evals.simulator.bend import bend_reply, bend_request
from evals.simulator.config import SimulatorConfig
from evals.simulator.endings import SPOILING, plain_events, stream_events
from evals.simulator.fault_kind import FaultKind
from evals.simulator.fault_responses import fault_response, refusal
from evals.simulator.faults import FaultPlan
from evals.simulator.ledger import Ledger, RequestKey
from evals.simulator.limits import check_model, check_request, room_left, thinks
from evals.simulator.outage import Outage
from evals.simulator.player import Player, Terms
from evals.simulator.refusals import RefusedError
from evals.simulator.reply import Played, Reply
from evals.simulator.request import ChatRequest, read_request
from evals.simulator.sending import Pace, cut_connection, send_events
from evals.simulator.truth import Truth
from evals.simulator.wire import Envelope, plain_json, stream_payloads

_FORCED = {FaultKind.FLOOD: Played.FLOOD, FaultKind.LOOP: Played.LOOP}
_HEADERS = {"X-Simulated": "quantcheck", "Cache-Control": "no-cache"}


@dataclass(kw_only=True)
class _Visit:
    """One attempt: which request it was found to be, and the HTTP status sent (0: none yet)."""

    key: RequestKey | None = None
    status: int = 0


@dataclass(frozen=True, kw_only=True)
class _Job:
    """A request that will be played."""

    chat: ChatRequest
    entry: AnswerEntry | None
    key: RequestKey
    faults: frozenset[FaultKind]


class Completions:
    """The chat completions of one simulated endpoint."""

    def __init__(self, config: SimulatorConfig) -> None:
        self.config = config
        self.truth = Truth.of(config.book, config.profile, seed=config.seed)
        self.ledger = Ledger(bodies=[] if config.record_bodies else None)
        self.outage = Outage()
        self._player = Player(
            profile=config.profile, truth=self.truth, seed=config.seed, token_scale=config.token_scale
        )
        self._plan = FaultPlan(rates=config.faults, seed=config.seed)
        self._numbers = itertools.count(1)
        slots = config.max_concurrency
        self._slots = asyncio.Semaphore(slots) if slots else contextlib.nullcontext()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one ``POST /v1/chat/completions``."""
        raw = await request.read()
        visit = _Visit()
        self.ledger.arrive(raw)
        try:
            response = await self._answer(request, raw, visit)
            visit.status = visit.status if request.transport is None else response.status
            return response
        except RefusedError as error:
            visit.status = error.status
            return refusal(error)
        except (asyncio.CancelledError, ConnectionError):
            self.ledger.abandoned += 1
            raise
        finally:
            self.ledger.leave(visit.key, visit.status)

    async def _answer(self, request: web.Request, raw: bytes, visit: _Visit) -> web.StreamResponse:
        self.outage.check()
        self.authorize(request)
        chat = read_request(raw)
        check_model(chat, self.config)
        entry = self.config.book.find(chat.key)
        visit.key = key = RequestKey(
            task=entry.task if entry else None,
            sample_id=entry.sample_id if entry else chat.key.text_digest[:16],
            seed=chat.sampling.seed,
        )
        faults = self._plan.draw(str(key), self.ledger.begin(key))
        self.ledger.faults.update(fault.value for fault in faults)
        check_request(chat, entry, self.config)
        if {FaultKind.CONNECT_RESET, FaultKind.CONNECT_CLOSE} & faults:
            cut_connection(request, reset=FaultKind.CONNECT_RESET in faults)
            return web.Response()
        answered = fault_response(faults, retry_after_s=self.config.retry_after_s)
        if answered is not None:
            return answered
        job = _Job(chat=bend_request(chat, faults), entry=entry, key=key, faults=faults)
        async with self._slots:
            return await self._play(request, job, visit)

    def authorize(self, request: web.Request) -> None:
        """Raise :class:`RefusedError` (401) unless the request brings the key that is set."""
        expected = self.config.api_key
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if expected is not None and not hmac.compare_digest(given.encode(), expected.encode()):
            raise RefusedError(401, "Unauthorized: the API key is missing or wrong")

    async def _play(self, request: web.Request, job: _Job, visit: _Visit) -> web.StreamResponse:
        if FaultKind.SLOW_START in job.faults:
            await asyncio.sleep(self.config.slow_start_s)
        streams = job.chat.stream and FaultKind.IGNORE_STREAM not in job.faults
        response = web.StreamResponse(headers=_HEADERS)
        response.content_type = "text/event-stream" if streams else "application/json"
        if not streams:
            await self._wait(self.config.first_token_s)
            reply = self._reply(job)
            await self._wait(reply.completion_tokens / (self.config.speed or float("inf")))
            body = orjson.dumps(plain_json(reply, self._envelope(job)))
            events = plain_events(body, job.faults)
            if not job.faults & SPOILING:
                response.content_length = len(body) + 4 * (FaultKind.KEEPALIVE_COMMENTS in job.faults)
            await response.prepare(request)
        else:
            response.charset = "utf-8"
            await response.prepare(request)
            await self._wait(self.config.first_token_s)
            reply = self._reply(job)
            events = stream_events(stream_payloads(reply, self._envelope(job)), job.faults)
        visit.status = response.status
        await send_events(request, response, events, self._pace(job.faults))
        if not job.faults & SPOILING:
            self.ledger.complete(job.key, reply.choices[0].played)
        return response

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await asyncio.sleep(seconds)

    def _reply(self, job: _Job) -> Reply:
        budget = room_left(job.chat, self.config)
        if job.chat.max_tokens is not None and FaultKind.MAX_TOKENS_IGNORED not in job.faults:
            budget = job.chat.max_tokens
        seed = job.chat.sampling.seed
        if seed is None or FaultKind.SEED_IGNORED in job.faults:
            seed = -next(self._numbers)
        forced = next((played for fault, played in _FORCED.items() if fault in job.faults), None)
        terms = Terms(seed=seed, budget=budget, thinks=thinks(job.chat, self.config), forced=forced)
        return bend_reply(self._player.play(job.chat, job.entry, terms), job.faults)

    def _envelope(self, job: _Job) -> Envelope:
        return Envelope(
            id=f"chatcmpl-simulated-{next(self._numbers)}",
            created=int(time.time()),
            model=self.config.served_model,
            reasoning_field=self.config.reasoning_field,
            tokens_per_frame=self.config.tokens_per_frame,
            include_usage=job.chat.include_usage,
            faults=job.faults,
            fingerprint=f"quantcheck-simulator-{self.config.profile.name}",
        )

    def _pace(self, faults: frozenset[FaultKind]) -> Pace:
        speed = self.config.speed
        return Pace(
            frames_per_s=speed / self.config.tokens_per_frame if speed else None,
            frames_per_write=self.config.frames_per_write,
            splits_characters=FaultKind.SPLIT_UTF8 in faults,
        )
