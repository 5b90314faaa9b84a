"""From the verdicts of a probe's ways of delivery to its result, and from results to their relations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from tasks.vendor_contract.probe import Delivery, Demand, Probe, Replies
from verifiers.contract_evidence import ProbeStatus, ProbeVerdict, not_applicable, told

# A failure is conclusive; an error leaves open what a pass would say.
_RANK = (ProbeStatus.FAIL, ProbeStatus.ERROR, ProbeStatus.PASS, ProbeStatus.NOT_APPLICABLE)


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """What one probe showed. ``follows_from`` names the probe whose failure explains this one's, or ""."""

    probe: Probe
    demand: Demand
    verdicts: Mapping[Delivery, ProbeVerdict]
    follows_from: str = ""

    @property
    def status(self) -> ProbeStatus:
        """The worst of the ways of delivery."""
        found = {verdict.status for verdict in self.verdicts.values()}
        return next(status for status in _RANK if status in found)

    @property
    def evidence(self) -> str:
        """The evidence for :attr:`status`; where only one way of delivery showed it, which one."""
        shown = {d: v.evidence for d, v in self.verdicts.items() if v.status is self.status}
        first = next(iter(shown.values()))
        if len(shown) == len(self.verdicts) or Delivery.BOTH in shown:
            return first
        delivery = next(iter(shown))
        return f"{'streamed' if delivery is Delivery.STREAM else 'plain'} only: {first}"


def excused(verdict: ProbeVerdict, demand: Demand, replies: Replies) -> ProbeVerdict:
    """Return ``verdict``, or not applicable where an optional feature was properly refused."""
    if demand is not Demand.OPTIONAL or verdict.status is not ProbeStatus.FAIL:
        return verdict
    refusal = next((reply for reply in replies.values() if reply.is_reasoned_refusal), None)
    return not_applicable(f"not offered, {told(refusal)}") if refusal is not None else verdict


def related(results: Iterable[ProbeResult]) -> tuple[ProbeResult, ...]:
    """Return ``results`` with the relations between failures: each follows from the first it depends on."""
    found = tuple(results)
    by_name = {result.probe.name: result for result in found}
    causes = {name: _cause(result, by_name) for name, result in by_name.items()}
    return tuple(replace(result, follows_from=_root(result.probe.name, causes)) for result in found)


def _root(name: str, causes: Mapping[str, str]) -> str:
    """Return the end of the chain of causes that begins with ``name``, "" where it has none."""
    seen = {name}
    while (cause := causes[name]) and cause not in seen:
        seen.add(cause)
        name = cause
    return name if len(seen) > 1 else ""


def _cause(result: ProbeResult, by_name: Mapping[str, ProbeResult]) -> str:
    """Return the first probe whose failure explains every way in which this one fails."""
    bad = _bad_deliveries(result)
    if not bad:
        return ""
    candidates = [*_causes_of_all(result, by_name), *result.probe.depends_on]
    if all(result.verdicts[delivery].status is ProbeStatus.ERROR for delivery in bad):
        candidates.append("streaming")  # a broken stream explains that nothing was shown, not what was shown
    others = (by_name[name] for name in candidates if name in by_name and name != result.probe.name)
    return next((other.probe.name for other in others if _explains(_bad_deliveries(other), bad)), "")


def _causes_of_all(result: ProbeResult, by_name: Mapping[str, ProbeResult]) -> list[str]:
    """Return what all probes build on: an answer, and where only streams bring none, the stream itself."""
    first = by_name.get("answers")
    if first is None or _bad_deliveries(first) != {Delivery.STREAM}:
        return ["answers"]
    return [] if result.probe.name == "streaming" else ["streaming", "answers"]


def _explains(cause: frozenset[Delivery], effect: frozenset[Delivery]) -> bool:
    """Whether a failure in ``cause`` reaches ``effect``; what compares both ways fails with either."""
    return effect <= cause or (effect == {Delivery.BOTH} and bool(cause))


def _bad_deliveries(result: ProbeResult) -> frozenset[Delivery]:
    bad = (ProbeStatus.FAIL, ProbeStatus.ERROR)
    return frozenset(delivery for delivery, verdict in result.verdicts.items() if verdict.status in bad)
