"""Ask an endpoint the probes of a contract and judge what it answers."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evals.endpoint import Endpoint, thinking_parameters
from evals.probe_client import ProbeClient, RawReply
from evals.probe_reply import read_reply
from evals.transport.whole_request import merge
from tasks.spec import digest
from tasks.vendor_contract.clauses import Clause
from tasks.vendor_contract.outcome import ProbeResult, excused, related
from tasks.vendor_contract.probe import Ask, Delivery, Probe
from verifiers.contract_evidence import Evidence, ProbeReply, ProbeStatus, ProbeVerdict, nothing_shown

FIRST = "answers"  # where this probe gets no usable reply at all, no other is worth asking


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """One request as sent and its reply as it came, with the first probe that asked for it."""

    probe: str
    request: str
    delivery: Delivery
    body: Mapping[str, Any]
    raw: RawReply


@dataclass(frozen=True, kw_only=True)
class ContractRun:
    """Every probe's result in the order asked."""

    results: tuple[ProbeResult, ...]
    n_requests: int
    is_usable: bool


class _Asker:
    """Sends requests, equal ones once, and hands on every exchange."""

    def __init__(
        self, client: ProbeClient, endpoint: Endpoint, on_exchange: Callable[[Exchange], None]
    ) -> None:
        self._client = client
        self._on_exchange = on_exchange
        self._endpoint = endpoint
        self._replies: dict[str, asyncio.Task[ProbeReply]] = {}

    async def reply(self, probe: Probe, ask: Ask, *, stream: bool) -> ProbeReply:
        """Return the reply to ``ask``."""
        body = request_body(ask, self._endpoint, stream=stream)
        key = digest({"body": body, "draw": ask.draw})
        if key not in self._replies:
            self._replies[key] = asyncio.ensure_future(self._send(probe, ask, body, stream=stream))
        return await self._replies[key]

    async def _send(self, probe: Probe, ask: Ask, body: Mapping[str, Any], *, stream: bool) -> ProbeReply:
        raw = await self._client.ask(body)
        delivery = Delivery.STREAM if stream else Delivery.PLAIN
        self._on_exchange(Exchange(probe=probe.name, request=ask.name, delivery=delivery, body=body, raw=raw))
        return read_reply(raw)


async def run_contract(
    clauses: Sequence[Clause],
    client: ProbeClient,
    endpoint: Endpoint,
    *,
    on_result: Callable[[ProbeResult], None] = lambda _result: None,
    on_exchange: Callable[[Exchange], None] = lambda _exchange: None,
) -> ContractRun:
    """Return what every probe shows; the first one alone where it shows that nothing is answered."""
    asker = _Asker(client, endpoint, on_exchange)

    async def run(clause: Clause) -> ProbeResult:
        result = await _run_probe(clause, asker)
        on_result(result)
        return result

    first = next((clause for clause in clauses if clause.probe.name == FIRST), clauses[0])
    opening = await run(first)
    is_usable = any(verdict.status is not ProbeStatus.ERROR for verdict in opening.verdicts.values())
    if is_usable:
        others = await asyncio.gather(*(run(clause) for clause in clauses if clause is not first))
    else:
        others = [_not_asked(clause, opening) for clause in clauses if clause is not first]
    place = {clause.probe.name: number for number, clause in enumerate(clauses)}
    results = sorted([opening, *others], key=lambda result: place[result.probe.name])
    return ContractRun(
        results=related(results),
        n_requests=client.n_requests,
        is_usable=is_usable,
    )


def request_body(ask: Ask, endpoint: Endpoint, *, stream: bool) -> dict[str, Any]:
    """Return the whole body of ``ask``: model, the switch for thinking, and how it is delivered."""
    switch = thinking_parameters(endpoint.think_mode, thinking=ask.thinking, effort=ask.effort)
    body = merge({"model": endpoint.model, **ask.body}, merge(switch, endpoint.extra_body))
    if stream:
        return {**body, "stream": True, "stream_options": {"include_usage": True}}
    return {**body, "stream": False}


async def _run_probe(clause: Clause, asker: _Asker) -> ProbeResult:
    probe = clause.probe
    verdicts = await asyncio.gather(*(_judge(clause, asker, delivery) for delivery in probe.deliveries))
    return ProbeResult(
        probe=probe, demand=clause.demand, verdicts=dict(zip(probe.deliveries, verdicts, strict=True))
    )


async def _judge(clause: Clause, asker: _Asker, delivery: Delivery) -> ProbeVerdict:
    probe = clause.probe
    if delivery is Delivery.BOTH:
        replies = await _both_ways(probe, asker)
    else:
        replies = await _one_way(probe, asker, stream=delivery is Delivery.STREAM)
    return excused(probe.judge(Evidence(replies=replies)), clause.demand, replies)


async def _one_way(probe: Probe, asker: _Asker, *, stream: bool) -> dict[str, ProbeReply]:
    asked = await asyncio.gather(*(asker.reply(probe, ask, stream=stream) for ask in probe.asks))
    replies = {ask.name: reply for ask, reply in zip(probe.asks, asked, strict=True)}
    further = probe.follow_up(replies) if probe.follow_up is not None else None
    if further is not None:
        replies[further.name] = await asker.reply(probe, further, stream=stream)
    return replies


async def _both_ways(probe: Probe, asker: _Asker) -> dict[str, ProbeReply]:
    plain, streamed = await asyncio.gather(
        _one_way(probe, asker, stream=False), _one_way(probe, asker, stream=True)
    )
    return {
        **{f"{name}, {Delivery.PLAIN}": reply for name, reply in plain.items()},
        **{f"{name}, {Delivery.STREAM}": reply for name, reply in streamed.items()},
    }


def _not_asked(clause: Clause, opening: ProbeResult) -> ProbeResult:
    verdict = nothing_shown(f"not asked: the endpoint answers nothing ({opening.evidence})")
    return replace(
        opening,
        probe=clause.probe,
        demand=clause.demand,
        verdicts=dict.fromkeys(clause.probe.deliveries, verdict),
    )
