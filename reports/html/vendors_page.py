"""Render several vendors as one page: the table, where they differ, and each in depth."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from reports import numbers
from reports.html.page import render_page
from reports.html.vendor_page import as_sentence, vendor_card
from reports.html.vendor_parts import UNMET, VERDICT_ROLES, figure_row, role_of, share_forests
from reports.vendor_lines import standing_words
from reports.vendor_report import Standing, VendorCriterion, VendorReport, VendorVerdict
from reports.vendor_table import VendorRow, cells, columns

_WORST_FIRST = (VendorVerdict.NOT_QUALIFIED, VendorVerdict.INCOMPLETE, VendorVerdict.QUALIFIED)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One criterion that some vendor does not meet: the mark of every vendor, empty where it was not asked."""

    name: str
    group: str
    expectation: str
    marks: tuple[tuple[str, str], ...]


def render_vendors_html(
    reports: Sequence[VendorReport], rows: Sequence[VendorRow], links: Sequence[str | None]
) -> str:
    """Return the page of several vendors in the order given.

    ``rows`` are their lines of the table, ``links`` lead to the own page of each where there is one.
    """
    cards = [
        vendor_card(report, place, link)
        for place, (report, link) in enumerate(zip(reports, links, strict=True), start=1)
    ]
    worst = _worst(reports)
    return render_page(
        "vendors.html.jinja",
        title=f"{len(reports)} vendors",
        role=VERDICT_ROLES[worst],
        verdict=_verdict_words(reports),
        sentence=_sentence(reports),
        cards=cards,
        heads=columns(rows),
        lines=[cells(row, rows) for row in rows],
        forests=_forests(reports),
        differences=list(_differences(reports)),
    )


def page_link(page: Path, directory: Path) -> str | None:
    """Return the way from ``directory`` to a page as a relative URL, ``None`` where none lies there."""
    try:
        if not page.is_file():
            return None
        relative = os.path.relpath(page.resolve(), directory.resolve())
    except (OSError, ValueError):  # a name no file can have
        return None
    prefix = "" if relative.startswith("..") else "./"
    return prefix + quote(os.fsencode(relative.replace(os.sep, "/")))


def _worst(reports: Sequence[VendorReport]) -> VendorVerdict:
    found = {report.verdict for report in reports}
    return next((verdict for verdict in _WORST_FIRST if verdict in found), VendorVerdict.INCOMPLETE)


def _verdict_words(reports: Sequence[VendorReport]) -> str:
    n_qualified = sum(report.verdict is VendorVerdict.QUALIFIED for report in reports)
    return f"{n_qualified} of {len(reports)} qualified"


def _sentence(reports: Sequence[VendorReport]) -> str:
    told = []
    for verdict in reversed(_WORST_FIRST):
        labels = [report.label for report in reports if report.verdict is verdict]
        if labels:
            told.append(f"{verdict.value.replace('_', ' ')}: {', '.join(labels)}")
    return as_sentence("; ".join(told))


def _differences(reports: Sequence[VendorReport]) -> list[Difference]:
    """Return the criteria that any vendor fails or that could not be judged, in the order asked."""
    by_vendor = [{criterion.name: criterion for criterion in report.criteria} for report in reports]
    names = dict.fromkeys(name for criteria in by_vendor for name in criteria)
    found = []
    for name in names:
        asked = [criteria[name] for criteria in by_vendor if name in criteria]
        if any(one.standing in UNMET for one in asked):
            found.append(
                Difference(
                    name=name,
                    group=asked[0].group,
                    expectation=asked[0].expectation,
                    marks=tuple(_mark(criteria.get(name)) for criteria in by_vendor),
                )
            )
    return found


def _mark(criterion: VendorCriterion | None) -> tuple[str, str]:
    if criterion is None:
        return "", numbers.UNKNOWN
    if criterion.standing is Standing.NOT_APPLICABLE:
        return "", numbers.UNKNOWN
    return role_of(criterion), standing_words(criterion)


def _forests(reports: Sequence[VendorReport]) -> list[tuple[str, list[Markup]]]:
    """Return a plot for each figure by which vendors are sorted, with the pass line of each."""
    plots = []
    for name, title in (("trigger_f1", "Trigger F1"), ("schema_accuracy", "Schema accuracy")):
        rows = [
            figure_row(report.label, found.figure.estimate, found.figure.pass_line, role_of(found))
            for report in reports
            for found in report.criteria
            if found.name == name and found.figure is not None
        ]
        plots.append((title, share_forests(rows, name.replace("_", "-"), title)))
    return [(title, plot) for title, plot in plots if plot]
