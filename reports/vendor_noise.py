"""How far the official runs agree with each other: no vendor can be asked to agree with one of them more."""

from collections.abc import Sequence
from itertools import combinations

from reports import numbers
from reports.intervals import Estimate
from reports.tool_call_reference import Reference
from reports.tool_call_trigger import noise_floor
from reports.vendor_report import TOOL_CALLS, Figure, Standing, VendorCriterion

NAME = "reference_noise"


def noise_criterion(references: Sequence[Reference], vendor: Estimate | None) -> VendorCriterion | None:
    """Return what the official runs reach among themselves, beside the vendor's F1; ``None`` for a single run.

    It judges nothing: the pass line does. Its figure is that of the pair that agrees least.
    """
    found = [
        (f"{one.name} against {other.name}", estimate)
        for one, other in combinations(references, 2)
        for estimate in noise_floor((one, other))
    ]
    if not found:
        return None
    least = min((estimate for _, estimate in found), key=lambda estimate: estimate.value)
    shown = "; ".join(
        f"{pair}: {numbers.percent(estimate.value)} {numbers.percent_interval(estimate.interval)}"
        for pair, estimate in found
    )
    return VendorCriterion(
        name=NAME,
        part=TOOL_CALLS,
        group=TOOL_CALLS,
        expectation="The official runs against each other (trigger F1): what the official endpoint itself reaches.",
        standing=Standing.NOT_APPLICABLE,
        evidence=f"{shown}{_beside(vendor, least)}",
        figure=Figure(estimate=least),
    )


def _beside(vendor: Estimate | None, least: Estimate) -> str:
    if vendor is None:
        return ""
    if vendor.interval.high < least.interval.low:
        return "; this endpoint agrees less than the official runs do with each other, beyond both intervals"
    if vendor.value < least.value:
        return "; this endpoint agrees less, within the intervals"
    return "; this endpoint agrees no less"
