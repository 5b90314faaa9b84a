"""From what probes showed to the criteria of a vendor report."""

from collections.abc import Iterable

from reports.metrics import share_estimate
from reports.vendor_report import CONTRACT, Figure, Standing, VendorCriterion
from tasks.vendor_contract.outcome import ProbeResult
from tasks.vendor_contract.probe import Demand
from verifiers.contract_evidence import ProbeStatus


def contract_criteria(results: Iterable[ProbeResult]) -> tuple[VendorCriterion, ...]:
    """Return one criterion a probe, in order."""
    return tuple(_criterion(result) for result in results)


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
        figure=_figure(result),
        by_delivery={
            delivery.value: (Standing(verdict.status.value), verdict.evidence)
            for delivery, verdict in result.verdicts.items()
        },
    )


def _figure(result: ProbeResult) -> Figure | None:
    """Return the figure over all ways of delivery, ``None`` for probes that ask one thing only.

    All must be kept, unless the probe counts for information and judges nothing.
    """
    tallies = [verdict.tally for verdict in result.verdicts.values() if verdict.tally is not None]
    pass_line = None if result.status is ProbeStatus.NOT_APPLICABLE else 1.0
    kept, judged = sum(tally.kept for tally in tallies), sum(tally.judged for tally in tallies)
    estimate = share_estimate(kept, judged)
    return (
        None if estimate is None else Figure(estimate=estimate, pass_line=pass_line, kept=kept, judged=judged)
    )
