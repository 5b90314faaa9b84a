"""The vendor contract as an Inspect task: a sample is a probe, its score the verdict, the log its evidence.

``quantcheck verify`` qualifies a vendor; this shows the same probes in ``inspect view``. All probes of an epoch
are asked together, as they are there: equal requests are sent once, and a failure names what it follows from.
"""

import asyncio
import math
from dataclasses import dataclass, field, replace
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from evals.endpoint import Endpoint, request_headers
from evals.fleet.survey import survey
from evals.probe_client import ProbeClient
from evals.probe_settings import ClientSettings
from evals.provider import EndpointAPI
from evals.vendor.contract_run import Exchange, run_contract
from evals.vendor.evidence_file import exchange_row
from tasks.scorers import accuracy_as_served
from tasks.spec import SpecError, ThinkMode
from tasks.vendor_contract.clauses import Clause, GivenData, clauses_of
from tasks.vendor_contract.outcome import ProbeResult
from tasks.vendor_contract.probe import Budgets
from tasks.vendor_contract.profiles import Profile
from verifiers.contract_evidence import ProbeStatus

RESULT = "probe_result"  # in a sample's metadata: what its probe showed
ANY_CONTEXT = 4096  # to name every probe before the endpoint has told its context length
_SCORES = {ProbeStatus.PASS: 1.0, ProbeStatus.FAIL: 0.0}


@dataclass(frozen=True, kw_only=True)
class ContractTerms:
    """What is asked: the profile, what files add, the budget of a reply, and the context where the user says it."""

    profile: Profile
    given: GivenData = field(default_factory=GivenData)
    reply_tokens: int = 4096
    context_tokens: int | None = None
    client: ClientSettings = field(default_factory=ClientSettings)

    def clauses(self, think_mode: ThinkMode, context_tokens: int | None) -> tuple[Clause, ...]:
        """Return the probes for an endpoint of that context length."""
        budgets = Budgets(reply=self.reply_tokens, context_tokens=context_tokens)
        return clauses_of(self.profile, budgets, think_mode=think_mode, given=self.given)


def contract_task(terms: ContractTerms) -> Task:
    """Return the task: one sample a probe, in the order of the report."""
    clauses = terms.clauses(terms.profile.think_mode, terms.context_tokens or ANY_CONTEXT)
    samples = [
        Sample(
            id=clause.probe.name,
            input=clause.probe.expectation,
            target=ProbeStatus.PASS.value,
            metadata={
                "group": clause.probe.group.value,
                "demand": clause.demand.value,
                "advice": clause.probe.advice,
            },
        )
        for clause in clauses
    ]
    return Task(
        name="vendor_contract",
        dataset=MemoryDataset(samples, name=f"vendor contract, {terms.profile.name}"),
        solver=ask_contract(terms),
        scorer=probe_scorer(),
        metadata={"profile": terms.profile.name},
    )


class _Epoch:
    """The probes of one epoch, asked once for all of its samples."""

    def __init__(self, terms: ContractTerms, endpoint: Endpoint) -> None:
        self._terms = terms
        self._endpoint = endpoint
        self.exchanges: list[Exchange] = []
        self._asking: asyncio.Task[dict[str, ProbeResult]] | None = None

    async def results(self) -> dict[str, ProbeResult]:
        """Return every probe's result by its name."""
        if self._asking is None:
            self._asking = asyncio.ensure_future(self._ask())
        return await asyncio.shield(self._asking)

    async def _ask(self) -> dict[str, ProbeResult]:
        endpoint, terms = self._endpoint, self._terms
        facts = await asyncio.to_thread(
            survey,
            endpoint.base_url,
            api_key_env=endpoint.api_key_env,
            headers=endpoint.headers,
            model=endpoint.model,
        )
        context = terms.context_tokens or facts.context_tokens or terms.profile.context_tokens
        clauses = terms.clauses(endpoint.think_mode, context)
        url = f"{endpoint.base_url}/chat/completions"
        async with ProbeClient(url, request_headers(endpoint), terms.client) as client:
            ran = await run_contract(clauses, client, endpoint, on_exchange=self.exchanges.append)
        return {result.probe.name: result for result in ran.results}


@solver
def ask_contract(terms: ContractTerms) -> Solver:
    """Ask all probes once an epoch, and give each sample what its own probe showed."""
    epochs: dict[int, _Epoch] = {}

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate  # a probe needs the status and the bytes of its replies
        if state.epoch not in epochs:
            epochs[state.epoch] = _Epoch(terms, _endpoint(terms.profile))
        epoch = epochs[state.epoch]
        result = (await epoch.results()).get(str(state.sample_id))
        exchanges = [exchange_row(one) for one in epoch.exchanges if one.probe == state.sample_id]
        state.metadata[RESULT] = None if result is None else _shown(result) | {"exchanges": exchanges}
        state.output.completion = "not asked" if result is None else f"{result.status}: {result.evidence}"
        return state

    return solve


@scorer(metrics=[accuracy_as_served()], name="probe")
def probe_scorer() -> Scorer:
    """Score 1 for a pass and 0 for a failure; what does not apply or was not shown is missing, never 0."""

    async def score(state: TaskState, target: Target) -> Score:
        del target  # a pass, always
        found = state.metadata.get(RESULT)
        if found is None:
            words = "not asked: the endpoint does not tell its context length; give -T context_tokens=N"
            return Score(value=math.nan, answer=ProbeStatus.NOT_APPLICABLE.value, explanation=words)
        status = ProbeStatus(found["verdict"])
        return Score(
            value=_SCORES.get(status, math.nan),
            answer=status.value,
            explanation=found["evidence"],
            metadata={name: found[name] for name in ("by_delivery", "follows_from")},
        )

    return score


def _endpoint(profile: Profile) -> Endpoint:
    api = get_model().api
    if not isinstance(api, EndpointAPI):
        raise SpecError(
            f"vendor_contract: the model's provider is {type(api).__name__}; use --model endpoint/MODEL"
        )
    endpoint = api.endpoint
    if endpoint.think_mode is ThinkMode.NONE:
        return replace(endpoint, think_mode=profile.think_mode)
    return endpoint


def _shown(result: ProbeResult) -> dict[str, Any]:
    return {
        "verdict": result.status.value,
        "evidence": result.evidence,
        "follows_from": result.follows_from or None,
        "by_delivery": {
            delivery.value: {"verdict": verdict.status.value, "evidence": verdict.evidence}
            for delivery, verdict in result.verdicts.items()
        },
    }
