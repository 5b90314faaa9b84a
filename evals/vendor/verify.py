"""Qualify one endpoint: survey it, ask the contract's probes, and put the criteria together."""

import asyncio
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from evals.endpoint import Endpoint, request_headers
from evals.endpoint_facts import EndpointFacts
from evals.probe_client import ProbeClient
from evals.probe_settings import ClientSettings
from evals.storage.run_directory import now_text
from evals.vendor.contract_run import ContractRun, run_contract
from evals.vendor.criteria import contract_criteria
from evals.vendor.evidence_file import EvidenceFile
from reports.vendor_report import CONTRACT, Standing, VendorCriterion, VendorReport
from tasks.vendor_contract.clauses import Clause, GivenData, clauses_of
from tasks.vendor_contract.outcome import ProbeResult
from tasks.vendor_contract.probe import Budgets
from tasks.vendor_contract.profiles import Profile

EVIDENCE_FILE = "evidence.jsonl"
PROGRESS_EVERY = 10


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What is asked of every endpoint: the profile, the budget, and what files add."""

    profile: Profile
    reply_tokens: int
    context_tokens: int | None = None  # as the user says; else as the endpoint says, else the profile's
    given: GivenData = field(default_factory=GivenData)
    client: ClientSettings = field(default_factory=ClientSettings)


@dataclass(frozen=True, kw_only=True)
class Qualification:
    """A report, and whether the endpoint answered anything at all."""

    report: VendorReport
    is_usable: bool


def verify_endpoint(
    contract: Contract, endpoint: Endpoint, facts: EndpointFacts, directory: Path
) -> Qualification:
    """Ask the contract's probes and write the evidence into ``directory``."""
    started, clock = now_text(), time.monotonic()
    context = contract.context_tokens or facts.context_tokens or contract.profile.context_tokens
    budgets = Budgets(reply=contract.reply_tokens, context_tokens=context)
    clauses = clauses_of(contract.profile, budgets, think_mode=endpoint.think_mode, given=contract.given)
    evidence = EvidenceFile(directory / EVIDENCE_FILE)
    ran = asyncio.run(_run(clauses, endpoint, contract.client, evidence))
    report = VendorReport(
        label=endpoint.label,
        base_url=endpoint.base_url,
        model=endpoint.model,
        profile=contract.profile.name,
        criteria=contract_criteria(ran.results),
        facts=facts.as_dict(),
        started=started,
        duration_s=round(time.monotonic() - clock, 3),
        n_requests=ran.n_requests,
    )
    return Qualification(report=report, is_usable=ran.is_usable)


def unreachable(profile: Profile, *, label: str, base_url: str, model: str, problem: str) -> Qualification:
    """Return the qualification of an endpoint that could not even be asked what it is."""
    criterion = VendorCriterion(
        name="endpoint",
        part=CONTRACT,
        group="basics",
        expectation="The endpoint can be reached and says what it serves.",
        standing=Standing.ERROR,
        evidence=problem,
    )
    report = VendorReport(
        label=label,
        base_url=base_url,
        model=model,
        profile=profile.name,
        criteria=(criterion,),
        started=now_text(),
    )
    return Qualification(report=report, is_usable=False)


async def _run(
    clauses: Iterable[Clause], endpoint: Endpoint, settings: ClientSettings, evidence: EvidenceFile
) -> ContractRun:
    asked = tuple(clauses)
    url = f"{endpoint.base_url}/chat/completions"
    progress = _Progress(len(asked))
    async with ProbeClient(url, request_headers(endpoint), settings) as client:
        return await run_contract(asked, client, endpoint, on_result=progress.count, on_exchange=evidence.add)


class _Progress:
    """Tells on stderr how many probes are through, a line for every few."""

    def __init__(self, n_probes: int) -> None:
        self._n_probes = n_probes
        self._n_done = 0

    def count(self, _result: ProbeResult) -> None:
        self._n_done += 1
        if self._n_done % PROGRESS_EVERY == 0 or self._n_done == self._n_probes:
            print(f"{self._n_done}/{self._n_probes} probes", file=sys.stderr)
