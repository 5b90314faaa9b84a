"""The lines of a vendor qualification that every rendering shares: rows of figures, findings, what was kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports import numbers
from reports.vendor_report import (
    CONTRACT,
    Figure,
    Standing,
    VendorCriterion,
    VendorReport,
    VendorVerdict,
    reason,
)

_WORDS = {
    Standing.PASS: "pass",
    Standing.FAIL: "FAIL",
    Standing.ERROR: "not judged",
    Standing.NOT_APPLICABLE: "does not apply",
}
FOR_INFORMATION = "for information"  # a figure without a pass line
_WORST_FIRST = (Standing.FAIL, Standing.ERROR, Standing.PASS, Standing.NOT_APPLICABLE)
_SHOWN_FOLLOWERS = 6


@dataclass(frozen=True, kw_only=True)
class FigureRow:
    """One line of the table of criteria."""

    name: str
    figure: str
    interval: str
    pass_line: str
    verdict: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A criterion that is not met, with what follows from it."""

    name: str
    expectation: str
    evidence: str
    advice: str
    followers: str


def headline(report: VendorReport) -> str:
    """Return the verdict, on whom, and as what."""
    return f"{verdict_words(report.verdict)} - {report.label} as {report.profile}"


def verdict_words(verdict: VendorVerdict) -> str:
    """Return the verdict as people read it."""
    return verdict.value.replace("_", " ").upper()


def verdict_sentence(report: VendorReport) -> str:
    """Return what decided the verdict."""
    return reason(report)


def about(report: VendorReport) -> str:
    """Return what was asked, when and at what cost, in one line."""
    facts = report.facts
    engine = " ".join(str(facts[name]) for name in ("engine", "version") if facts.get(name))
    context = f"context {facts['context_tokens']:,}" if facts.get("context_tokens") else ""
    told = [part for part in (engine, context, facts.get("quantization")) if part]
    cost = f"{report.n_requests:,} requests in {report.duration_s:.0f} s"
    parts = (f"{report.model} at {report.base_url}", *map(str, told), cost, report.started)
    return "; ".join(part for part in parts if part)


def figure_rows(report: VendorReport) -> list[FigureRow]:
    """Return one row for each group of the contract, then one for each criterion that has a figure."""
    groups: dict[str, list[VendorCriterion]] = {}
    for criterion in report.criteria:
        if criterion.part == CONTRACT and not criterion.is_advisory:
            groups.setdefault(criterion.group, []).append(criterion)
    rows = [_group_row(name, criteria) for name, criteria in groups.items()]
    return rows + [
        _figure_row(criterion, criterion.figure)
        for criterion in report.criteria
        if criterion.figure is not None
    ]


def findings(report: VendorReport, *standings: Standing, is_advisory: bool = False) -> list[Finding]:
    """Return the criteria that stand so and explain themselves, each with those that follow from it."""
    found = report.standing(*standings, is_advisory=is_advisory)
    names = {criterion.name for criterion in report.criteria}
    roots = [criterion for criterion in found if criterion.follows_from not in names]
    return [
        Finding(
            name=criterion.name,
            expectation=criterion.expectation,
            evidence=criterion.evidence,
            advice=criterion.advice,
            followers=_followers(report, criterion.name),
        )
        for criterion in roots
    ]


def kept_lines(report: VendorReport) -> Iterator[tuple[str, str]]:
    """Yield each group with the names of its criteria that are met."""
    groups: dict[str, list[str]] = {}
    for criterion in report.criteria:
        if criterion.standing is Standing.PASS:
            groups.setdefault(criterion.group, []).append(criterion.name)
    yield from ((name, ", ".join(names)) for name, names in groups.items())


def idle_lines(report: VendorReport) -> Iterator[tuple[str, str]]:
    """Yield the name of each criterion that judges nothing, with that it does so, and the reason."""
    for criterion in report.criteria:
        if criterion.standing is Standing.NOT_APPLICABLE:
            yield f"{criterion.name} {_idle_word(criterion)}", criterion.evidence


def standing_words(criterion: VendorCriterion) -> str:
    """Return how an endpoint stands to a criterion, in words."""
    if criterion.standing is Standing.NOT_APPLICABLE:
        return _idle_word(criterion)
    return _WORDS[criterion.standing] + (" (advice)" if criterion.is_advisory else "")


def _idle_word(criterion: VendorCriterion) -> str:
    is_figure = criterion.figure is not None and criterion.figure.pass_line is None
    return FOR_INFORMATION if is_figure else _WORDS[Standing.NOT_APPLICABLE]


def _group_row(name: str, criteria: Sequence[VendorCriterion]) -> FigureRow:
    standings = [criterion.standing for criterion in criteria]
    n_judged = len(standings) - standings.count(Standing.NOT_APPLICABLE)
    worst = next(standing for standing in _WORST_FIRST if standing in standings)
    return FigureRow(
        name=name,
        figure=f"{standings.count(Standing.PASS)} of {n_judged}",
        interval=numbers.UNKNOWN,
        pass_line="all",
        verdict=_WORDS[worst],
    )


def _figure_row(criterion: VendorCriterion, figure: Figure) -> FigureRow:
    value = numbers.percent(figure.estimate.value)
    count = f" ({figure.kept:,} of {figure.judged:,})" if figure.kept is not None and figure.judged else ""
    return FigureRow(
        name=criterion.name,
        figure=f"{value}{count}",
        interval=numbers.percent_interval(figure.estimate.interval),
        pass_line=pass_line_text(figure),
        verdict=standing_words(criterion),
    )


def pass_line_text(figure: Figure) -> str:
    """Return what passes, in a few words."""
    return (
        numbers.limit(figure.pass_line) if figure.pass_line is not None else figure.limit or numbers.UNKNOWN
    )


def _followers(report: VendorReport, name: str) -> str:
    names = [criterion.name for criterion in report.criteria if criterion.follows_from == name]
    more = f" and {len(names) - _SHOWN_FOLLOWERS} more" if len(names) > _SHOWN_FOLLOWERS else ""
    return ", ".join(names[:_SHOWN_FOLLOWERS]) + more
