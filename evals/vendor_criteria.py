"""From what probes showed to the criteria of a vendor report."""

from collections.abc import Iterable

from reports.intervals import Estimate, Limits, critical_value, wilson
from reports.vendor_report import CONTRACT, Figure, Standing, VendorCriterion
from tasks.vendor_contract.outcome import ProbeResult
from tasks.vendor_contract.probe import Demand
from verifiers.contract_evidence import ProbeVerdict, Tally

CONFIDENCE = 0.95


def contract_criteria(results: Iterable[ProbeResult]) -> tuple[VendorCriterion, ...]:
    """Return one criterion a probe, in order."""
    return tuple(_criterion(result) for result in results)


def share_figure(kept: int, judged: int, *, pass_line: float | None) -> Figure:
    """Return the figure of ``kept`` of ``judged`` (at least one), with Wilson's interval."""
    limits: Limits = wilson(kept / judged, judged, critical_value(CONFIDENCE))
    interval = limits.interval(CONFIDENCE, "wilson")
    estimate = Estimate(value=kept / judged, interval=interval)
    return Figure(estimate=estimate, pass_line=pass_line, kept=kept, judged=judged)


def _criterion(result: ProbeResult) -> VendorCriterion:
    probe = result.probe
    return VendorCriterion(
        name=probe.name,
        part=CONTRACT,
        group=probe.group.value,
        expectation=probe.expectation,
        standing=Standing(result.status.value),
        evidence=result.evidence,
        advice=probe.advice,
        is_advisory=result.demand is Demand.ADVISORY,
        follows_from=result.follows_from,
        figure=_figure(result.verdicts.values()),
        by_delivery={
            delivery.value: (Standing(verdict.status.value), verdict.evidence)
            for delivery, verdict in result.verdicts.items()
        },
    )


def _figure(verdicts: Iterable[ProbeVerdict]) -> Figure | None:
    """Return the figure over all ways of delivery, ``None`` for probes that ask one thing only."""
    tallies: list[Tally] = [verdict.tally for verdict in verdicts if verdict.tally is not None]
    judged = sum(tally.judged for tally in tallies)
    if not judged:
        return None
    return share_figure(sum(tally.kept for tally in tallies), judged, pass_line=1.0)
