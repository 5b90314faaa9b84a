"""What the pages of vendor qualifications show of one vendor, as values for their templates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from reports import numbers
from reports.html.drawing import NARROW, WIDE
from reports.html.forest import Axis, ForestRow, forest_plot
from reports.intervals import Estimate
from reports.vendor_lines import FigureRow, figure_rows, pass_line_text, standing_words
from reports.vendor_report import Standing, VendorCriterion, VendorReport, VendorVerdict

SHARES = Axis(label="percent", is_difference=False)
ROLES = {
    Standing.PASS: "pass",
    Standing.FAIL: "regression",
    Standing.ERROR: "invalid",
    Standing.NOT_APPLICABLE: "idle",
}
UNMET = (Standing.FAIL, Standing.ERROR)
VERDICT_ROLES = {
    VendorVerdict.QUALIFIED: "pass",
    VendorVerdict.NOT_QUALIFIED: "regression",
    VendorVerdict.INCOMPLETE: "invalid",
}
_GROUP_ROLES = {"pass": "pass", "FAIL": "regression", "not judged": "invalid"}  # by a row's verdict
_DELIVERIES = {"stream": "streamed", "plain": "plain", "both": "streamed and plain"}


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one way of delivery showed; ``way`` is empty where there is only one to tell."""

    way: str
    role: str
    mark: str
    evidence: str


@dataclass(frozen=True, kw_only=True)
class Judged:
    """One criterion with everything behind its mark; ``figure`` and ``pass_line`` are empty without one."""

    name: str
    role: str
    mark: str
    expectation: str
    seen: tuple[Seen, ...]
    advice: str
    follows_from: str
    followers: str
    figure: str
    pass_line: str


@dataclass(frozen=True, kw_only=True)
class GroupTable:
    """The criteria of one group. ``anchor`` is unique on the page; ``unmet`` are broken or not judged.

    ``row`` is its line among the figures, ``None`` where its criteria have figures of their own.
    """

    anchor: str
    name: str
    row: FigureRow | None
    role: str
    criteria: tuple[Judged, ...]
    unmet: tuple[str, ...]


def judged(report: VendorReport, criteria: Sequence[VendorCriterion]) -> tuple[Judged, ...]:
    """Return criteria of ``report`` as the page shows them, each with the names of those that follow from it."""
    return tuple(_judged(report, criterion) for criterion in criteria)


def roots(report: VendorReport, *standings: Standing, is_advisory: bool = False) -> tuple[Judged, ...]:
    """Return the criteria that stand so and explain themselves."""
    found = report.standing(*standings, is_advisory=is_advisory)
    names = {criterion.name for criterion in report.criteria}
    return judged(report, [criterion for criterion in found if criterion.follows_from not in names])


def group_tables(report: VendorReport, anchor: str) -> tuple[GroupTable, ...]:
    """Return every criterion that was asked, by group in order."""
    rows = {row.name: row for row in figure_rows(report)}
    groups: dict[str, list[VendorCriterion]] = {}
    for criterion in report.criteria:
        groups.setdefault(criterion.group, []).append(criterion)
    return tuple(
        GroupTable(
            anchor=f"{anchor}-group-{place}",
            name=name,
            row=(row := rows.get(name)),
            role=_GROUP_ROLES.get(row.verdict, "idle") if row is not None else "idle",
            criteria=judged(report, criteria),
            unmet=tuple(one.name for one in criteria if one.standing in UNMET and not one.is_advisory),
        )
        for place, (name, criteria) in enumerate(groups.items(), start=1)
    )


def figures_of(report: VendorReport) -> tuple[Judged, ...]:
    """Return the criteria that have a figure, in order."""
    return judged(report, [criterion for criterion in report.criteria if criterion.figure is not None])


def share_forests(rows: Sequence[ForestRow], name: str, what: str) -> list[Markup]:
    """Return a plot of shares with their intervals for a page and for a phone; none without rows."""
    if not rows:
        return []
    label = f"{what}: " + "; ".join(f"{row.label} {row.text}" for row in rows)
    return [
        forest_plot(rows, f"{name}-{width}", width=width, label=label, axis=SHARES)
        for width in (WIDE, NARROW)
    ]


def figure_row(label: str, found: Estimate, pass_line: float | None, role: str) -> ForestRow:
    """Return one share as a line of a plot."""
    interval = found.interval
    return ForestRow(
        label=label,
        value=found.value,
        low=interval.low,
        high=interval.high,
        edge=pass_line,
        text=f"{numbers.percent(found.value, 1)} {numbers.percent_interval(interval)}",
        role="muted" if role == "idle" else role,
    )


def criterion_rows(report: VendorReport) -> list[ForestRow]:
    """Return a line of the plot for each criterion that has a figure."""
    return [
        figure_row(found.name, found.figure.estimate, found.figure.pass_line, role_of(found))
        for found in report.criteria
        if found.figure is not None
    ]


def role_of(criterion: VendorCriterion) -> str:
    """Return the role that colours a criterion; advice warns and does not condemn."""
    is_warning = criterion.is_advisory and criterion.standing is Standing.FAIL
    return "inconclusive" if is_warning else ROLES[criterion.standing]


def _judged(report: VendorReport, criterion: VendorCriterion) -> Judged:
    figure = criterion.figure
    shown = ""
    if figure is not None:
        count = (
            f" ({figure.kept:,} of {figure.judged:,})" if figure.kept is not None and figure.judged else ""
        )
        shown = f"{numbers.percent(figure.estimate.value)} {numbers.percent_interval(figure.estimate.interval)}{count}"
    return Judged(
        name=criterion.name,
        role=role_of(criterion),
        mark=standing_words(criterion),
        expectation=criterion.expectation,
        seen=tuple(_seen(criterion)),
        advice=criterion.advice,
        follows_from=criterion.follows_from,
        followers=", ".join(one.name for one in report.criteria if one.follows_from == criterion.name),
        figure=shown,
        pass_line=pass_line_text(figure) if figure is not None else "",
    )


def _seen(criterion: VendorCriterion) -> Iterator[Seen]:
    """Yield what was seen each way of delivery; once where both showed the same."""
    ways = criterion.by_delivery
    if not ways or len(set(ways.values())) == 1:
        standing = next(iter(ways.values()))[0] if ways else criterion.standing
        evidence = next(iter(ways.values()))[1] if ways else criterion.evidence
        yield Seen(way=" and ".join(map(_way, ways)), role=ROLES[standing], mark="", evidence=evidence)
        return
    for way, (standing, evidence) in ways.items():
        mark = standing.value.replace("_", " ") if standing is not Standing.ERROR else "not judged"
        yield Seen(way=_way(way), role=ROLES[standing], mark=mark, evidence=evidence)


def _way(delivery: str) -> str:
    return _DELIVERIES.get(delivery, delivery)
