"""Render a vendor qualification as JUnit XML: one suite a group, one case a criterion."""

from reports.criteria import Criterion, Status
from reports.junit import render_junit
from reports.vendor_report import Standing, VendorCriterion, VendorReport

_STATUSES = {
    Standing.PASS: Status.MET,
    Standing.FAIL: Status.FAILED,
    Standing.ERROR: Status.INVALID,
    Standing.NOT_APPLICABLE: Status.MET,
}


def render_vendor_junit(report: VendorReport) -> str:
    """Return the XML document; advice is a warning in a case that passes."""
    return render_junit(
        [_criterion(found) for found in report.criteria],
        name=f"quantcheck verify: {report.label} as {report.profile}",
    )


def _criterion(found: VendorCriterion) -> Criterion:
    status = _STATUSES[found.standing]
    if found.is_advisory and status is not Status.MET:
        status = Status.WARNED
    text = f"{found.expectation} Found: {found.evidence}"
    return Criterion(
        task=f"{found.part}: {found.group}" if found.group != found.part else found.part,
        name=found.name,
        status=status,
        text=text + (f" (follows from {found.follows_from})" if found.follows_from else ""),
    )
