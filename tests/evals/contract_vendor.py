"""The embedded endpoint as a vendor of its own kind, asked the contract of a profile."""

import asyncio
from collections.abc import Iterable

from evals.endpoint import Endpoint
from evals.probe_client import ProbeClient
from evals.probe_settings import ClientSettings
from evals.simulator.config import SimulatorConfig
from evals.simulator.faults import parse_faults
from evals.simulator.profile import Lengths, Profile
from evals.simulator.server import serve
from evals.transport.retry import RetryPolicy
from evals.vendor.contract_run import ContractRun, Exchange, run_contract
from tasks.vendor_contract.clauses import GivenData, clauses_of
from tasks.vendor_contract.outcome import ProbeResult
from tasks.vendor_contract.probe import Budgets
from tasks.vendor_contract.profiles import PROFILES
from verifiers.contract_evidence import ProbeStatus

CONTEXT = 4096
SHORT = Profile(name="short", answer=Lengths(median=10), chat=Lengths(median=60, sigma=0.3))
IMPATIENT = RetryPolicy(outage_s=2.0, cold_s=0.3, max_attempts=3, base_wait_s=0.01, max_wait_s=0.05)
BAD = (ProbeStatus.FAIL, ProbeStatus.ERROR)


def ask_vendor(
    profile: str,
    *faults: str,
    given: GivenData | None = None,
    timeout_s: float = 5.0,
    exchanges: list[Exchange] | None = None,
) -> ContractRun:
    """The contract of ``profile`` on an endpoint that keeps it but for ``faults``."""
    kept = [] if exchanges is None else exchanges
    return asyncio.run(_ask(profile, faults, given, timeout_s, kept))


async def _ask(
    name: str, faults: Iterable[str], given: GivenData | None, timeout_s: float, exchanges: list[Exchange]
) -> ContractRun:
    profile = PROFILES[name]
    config = SimulatorConfig(
        profile=SHORT,
        faults=parse_faults(faults),
        max_model_len=CONTEXT,
        immutable_sampling=profile.has_fixed_sampling,
    )
    settings = ClientSettings(timeout_s=timeout_s, policy=IMPATIENT)
    async with serve(config) as running:
        endpoint = Endpoint(
            base_url=running.base_url, model=running.model, label="vendor", think_mode=profile.think_mode
        )
        budgets = Budgets(reply=2000, context_tokens=CONTEXT)
        clauses = clauses_of(profile, budgets, think_mode=profile.think_mode, given=given)
        url = f"{running.base_url}/chat/completions"
        async with ProbeClient(url, {"Content-Type": "application/json"}, settings) as client:
            return await run_contract(clauses, client, endpoint, on_exchange=exchanges.append)


def bad(run: ContractRun) -> list[ProbeResult]:
    """The results that are no pass and apply."""
    return [result for result in run.results if result.status in BAD]


def roots(run: ContractRun) -> set[str]:
    """The probes that are broken of themselves."""
    return {result.probe.name for result in bad(run) if not result.follows_from}
