"""Simulated endpoints that are checked in this process, and replies as real engines gave them."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from evals.endpoint import DEFAULT_KEY_VARIABLE, Endpoint
from evals.endpoint_facts import EndpointFacts
from evals.fleet.survey import survey
from evals.preflight.asker import Asked
from evals.preflight.check import Check, check_endpoint
from evals.preflight.plan import CheckPlan
from evals.simulator.config import SimulatorConfig
from evals.simulator.faults import parse_faults
from evals.simulator.server import serve_in_thread
from evals.transport.exchange import Reply
from evals.transport.failure import Failure, http_failure
from tasks.spec import Sampling, ThinkMode
from verifiers.response import Response

SAMPLING = Sampling(temperature=1.0, top_p=0.95)


def make_plan(
    base_url: str = "http://127.0.0.1:9/v1",
    model: str = "m",
    *,
    facts: EndpointFacts | None = None,
    sampling: Sampling = SAMPLING,
    think_mode: ThinkMode = ThinkMode.NONE,
    thinking: bool | None = None,
    extra_body: Mapping[str, Any] | None = None,
    **settings: Any,
) -> CheckPlan:
    endpoint = Endpoint(
        base_url=base_url,
        model=model,
        label="x",
        think_mode=think_mode,
        thinking=thinking,
        extra_body=extra_body or {},
    )
    facts = facts or EndpointFacts(models=(model,), engine="vllm", context_tokens=131_072)
    return CheckPlan(
        endpoint=endpoint,
        facts=facts,
        sampling=sampling,
        **{"timeout_s": 5.0, "retry_wait_s": 0.01, "wants_images": True, **settings},
    )


def make_asked(
    response: Response | None = None,
    *,
    failure: Failure | None = None,
    stream: bool = False,
    n_chunks: int = 0,
    ttft_s: float | None = None,
    duration_s: float = 1.0,
    **body: Any,
) -> Asked:
    """Return a request that was answered with ``response`` or ended in ``failure``."""
    if response is None:
        failure = failure or http_failure(500, "Internal server error", None)
        return Asked(body=body, stream=stream, failure=failure)
    reply = Reply(response=response, ttft_s=ttft_s, duration_s=duration_s, n_chunks=n_chunks)
    return Asked(body={"max_tokens": 64, **body}, stream=stream, reply=reply)


@pytest.fixture
def check_simulator() -> Callable[..., Check]:
    """Return a function that checks a simulated endpoint with faults, as a plan of choice would use it."""

    def check(*faults: str, plan: Mapping[str, Any] | None = None, **settings: Any) -> Check:
        with serve_in_thread(SimulatorConfig(faults=parse_faults(faults), **settings)) as running:
            facts = survey(running.base_url, api_key_env=DEFAULT_KEY_VARIABLE, headers={})
            return asyncio.run(
                check_endpoint(make_plan(running.base_url, running.model, facts=facts, **(plan or {})))
            )

    return check


@pytest.fixture(name="make_plan")
def make_plan_fixture() -> Callable[..., CheckPlan]:
    """Return :func:`make_plan`."""
    return make_plan


@pytest.fixture(name="make_asked")
def make_asked_fixture() -> Callable[..., Asked]:
    """Return :func:`make_asked`."""
    return make_asked
