"""The HTTP surface of the simulated endpoint: its routes, and what it tells about itself."""

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from aiohttp import web

from evals.simulator.completions import Completions
from evals.simulator.fault_responses import json_response, refusal
from evals.simulator.outage import OutageMode
from evals.simulator.prefill import Prefill
from evals.simulator.refusals import RefusedError, bad_value

_MAX_BODY_BYTES = 512 * 1024 * 1024
_MAX_OUTAGE_S = 86_400
SIMULATED_VERSION = "0.32.0+simulated"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _models_json(completions: Completions) -> dict[str, Any]:
    config = completions.config
    model = {
        "id": config.served_model,
        "object": "model",
        "created": 0,
        "owned_by": config.tokens.engine,
        "root": f"simulated/{config.profile.name}",
        "parent": None,
        "max_model_len": config.max_model_len,
    }
    return {"object": "list", "data": [model]}


async def _read_outage(request: web.Request) -> tuple[float, OutageMode]:
    try:
        body = orjson.loads(await request.read())
    except orjson.JSONDecodeError as error:
        raise RefusedError(400, f"The body is not JSON: {error}") from error
    body = body if isinstance(body, dict) else {}
    seconds, mode = body.get("seconds"), body.get("mode", OutageMode.HTTP_503.value)
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds <= _MAX_OUTAGE_S:
        raise bad_value(f"seconds must be a number from 0 to {_MAX_OUTAGE_S}.", "seconds", seconds)
    if mode not in list(OutageMode):
        raise bad_value(f"mode must be one of {', '.join(OutageMode)}.", "mode", mode)
    return float(seconds), OutageMode(mode)


def build_app(completions: Completions) -> web.Application:
    """Return the application that serves ``completions``."""

    @web.middleware
    async def refuse(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except RefusedError as error:
            return refusal(error)

    async def models(request: web.Request) -> web.Response:
        completions.outage.check()
        completions.authorize(request)
        return json_response(_models_json(completions))

    async def version(_: web.Request) -> web.Response:
        return json_response({"version": SIMULATED_VERSION, "simulated": True})

    async def health(_: web.Request) -> web.Response:
        completions.outage.check()
        return web.Response()

    async def truth(_: web.Request) -> web.Response:
        return json_response(completions.truth.as_json())

    async def requests(_: web.Request) -> web.Response:
        return json_response(completions.ledger.as_json())

    async def reset(_: web.Request) -> web.Response:
        completions.ledger.reset()
        return json_response({"simulated": True})

    async def outage(request: web.Request) -> web.Response:
        seconds, mode = await _read_outage(request)
        completions.outage.start(seconds, mode)
        return json_response({"simulated": True, "seconds": seconds, "mode": mode.value})

    app = web.Application(client_max_size=_MAX_BODY_BYTES, middlewares=[refuse])
    app.router.add_post("/v1/chat/completions", completions.handle)
    app.router.add_get("/v1/models", models)
    app.router.add_get("/version", version)
    app.router.add_get("/health", health)
    app.router.add_get("/simulation/truth", truth)
    app.router.add_get("/simulation/requests", requests)
    app.router.add_post("/simulation/reset", reset)
    app.router.add_post("/simulation/outage", outage)
    Prefill(completions).add_routes(app)
    return app
