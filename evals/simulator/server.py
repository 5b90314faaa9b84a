"""Run the simulated endpoint on 127.0.0.1: in an event loop, or in a thread of its own."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from aiohttp import web

from evals.simulator.app import build_app
from evals.simulator.completions import Completions
from evals.simulator.config import SimulatorConfig
from evals.simulator.ledger import Ledger
from evals.simulator.truth import Truth

HOST = "127.0.0.1"
_SHUTDOWN_S = 0.5
_BEFORE_CLOSING_S = 0.05  # so that the answer to the request for an outage still gets out


class PortError(OSError):
    """The port cannot be served."""


class _Listener:
    """The port of one application, which can be closed for a while and opened again."""

    def __init__(self, app: web.Application, port: int) -> None:
        self.runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=_SHUTDOWN_S
        )
        self.port = port
        self.pause: asyncio.Task[None] | None = None
        self._site: web.TCPSite | None = None

    async def start(self) -> None:
        await self.runner.setup()
        try:
            await self._open()
        except OSError as error:
            problem = (
                f"{HOST}:{self.port}: {error.strerror or error}; choose another port, or 0 for a free one"
            )
            raise PortError(problem) from error
        self.port = self.runner.addresses[0][1]

    async def _open(self) -> None:
        self._site = web.TCPSite(self.runner, HOST, self.port)
        await self._site.start()

    def close_port(self, seconds: float) -> None:
        self.pause = asyncio.get_running_loop().create_task(self._close_for(seconds))

    async def _close_for(self, seconds: float) -> None:
        await asyncio.sleep(_BEFORE_CLOSING_S)
        if self._site is not None:
            await self._site.stop()
        for connection in self.runner.server.connections if self.runner.server else ():
            if connection.transport is not None:
                connection.transport.abort()
        await asyncio.sleep(seconds)
        await self._open()

    async def stop(self) -> None:
        if self.pause is not None:
            self.pause.cancel()
        await self.runner.cleanup()


@dataclass(frozen=True, kw_only=True)
class Running:
    """A simulated endpoint that accepts requests; ``base_url`` ends in ``/v1``."""

    base_url: str
    model: str
    truth: Truth
    ledger: Ledger


@contextlib.asynccontextmanager
async def serve(config: SimulatorConfig) -> AsyncIterator[Running]:
    """Serve ``config`` for as long as the context lasts; raise :class:`PortError` where the port is taken."""
    completions = Completions(config)
    listener = _Listener(build_app(completions), config.port)
    completions.outage.close_port = listener.close_port
    try:
        await listener.start()
        yield Running(
            base_url=f"http://{HOST}:{listener.port}/v1",
            model=config.served_model,
            truth=completions.truth,
            ledger=completions.ledger,
        )
    finally:
        await listener.stop()


@contextlib.contextmanager
def serve_in_thread(config: SimulatorConfig) -> Iterator[Running]:
    """Serve ``config`` from a thread of its own, for callers without an event loop."""
    loop, stack = asyncio.new_event_loop(), contextlib.AsyncExitStack()
    thread = threading.Thread(target=loop.run_forever, name="simulator", daemon=True)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(stack.enter_async_context(serve(config)), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
