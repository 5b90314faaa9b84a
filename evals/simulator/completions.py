"""Answer chat completion requests: let in or refuse, misbehave as told, and keep the record."""

import asyncio
import contextlib
import hmac
from collections.abc import Set
from dataclasses import dataclass

from aiohttp import web

from evals.simulator.admission import admit, as_refused, faults_of_body
from evals.simulator.bend import bend_request
from evals.simulator.config import SimulatorConfig
from evals.simulator.fault_kind import FaultKind
from evals.simulator.fault_responses import fault_response, refusal
from evals.simulator.faults import FaultPlan
from evals.simulator.ledger import Ledger, RequestKey
from evals.simulator.limits import check_request
from evals.simulator.outage import Outage
from evals.simulator.player import Player
from evals.simulator.refusals import RefusedError
from evals.simulator.sending import cut_connection
from evals.simulator.stage import Job, Stage
from evals.simulator.truth import Truth

_CUT = (FaultKind.CONNECT_RESET, FaultKind.CONNECT_CLOSE)


@dataclass(kw_only=True)
class _Visit:
    """One attempt: the faults of its body, the request found, the HTTP status sent (0: none yet)."""

    faults: Set[FaultKind]
    key: RequestKey | None = None
    status: int = 0

    def start(self, status: int) -> None:
        self.status = status


class Completions:
    """The chat completions of one simulated endpoint."""

    def __init__(self, config: SimulatorConfig) -> None:
        self.config = config
        self.truth = Truth.of(config.book, config.profile, seed=config.seed)
        self.ledger = Ledger(bodies=[] if config.record_bodies else None)
        self.outage = Outage()
        player = Player(
            profile=config.profile, truth=self.truth, seed=config.seed, token_scale=config.token_scale
        )
        self._stage = Stage(config, player)
        self._plan = FaultPlan(rates=config.faults, seed=config.seed)
        slots = config.max_concurrency
        self._slots = asyncio.Semaphore(slots) if slots else contextlib.nullcontext()

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer one ``POST /v1/chat/completions``."""
        raw = await request.read()
        visit = _Visit(faults=faults_of_body(raw, self._plan))
        self.ledger.arrive(raw)
        try:
            return await self._answer(request, raw, visit)
        except RefusedError as error:
            refused = as_refused(error, visit.faults)
            visit.start(refused.status)
            return refusal(refused)
        except (asyncio.CancelledError, ConnectionError):
            self.ledger.abandoned += 1
            raise
        finally:
            self.ledger.leave(visit.key, visit.status)

    def authorize(self, request: web.Request) -> None:
        """Raise :class:`RefusedError` (401) unless the request brings the key that is set."""
        expected = self.config.api_key
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if expected is not None and not hmac.compare_digest(given.encode(), expected.encode()):
            raise RefusedError(401, "Unauthorized: the API key is missing or wrong")

    async def _answer(self, request: web.Request, raw: bytes, visit: _Visit) -> web.StreamResponse:
        self.outage.check()
        self.authorize(request)
        chat = admit(raw, visit.faults, self.config)
        entry = self.config.book.find(chat.key)
        visit.key = key = RequestKey(
            task=entry.task if entry else None,
            sample_id=entry.sample_id if entry else chat.key.text_digest[:16],
            seed=chat.sampling.seed,
            stream=chat.stream,
        )
        faults = self._plan.draw(str(key), self.ledger.begin(key), stream=chat.stream)
        self.ledger.faults.update(fault.value for fault in faults)
        check_request(chat, entry, self.config)
        if faults.intersection(_CUT):
            cut_connection(request, reset=FaultKind.CONNECT_RESET in faults)
            return web.Response()
        answered = fault_response(faults, retry_after_s=self.config.retry_after_s)
        if answered is not None:
            visit.start(answered.status)
            return answered
        job = Job(chat=bend_request(chat, faults), entry=entry, faults=faults)
        async with self._slots:
            response, played = await self._stage.perform(request, job, on_start=visit.start)
        if not job.is_spoiled:
            self.ledger.complete(key, played)
        return response
