"""Render the qualification of one vendor as one self-contained HTML page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reports.html.page import render_page
from reports.html.vendor_parts import (
    UNMET,
    VERDICT_ROLES,
    GroupTable,
    Judged,
    criterion_rows,
    figures_of,
    group_tables,
    roots,
    share_forests,
)
from reports.vendor_figures import FigureLine, figure_lines, reason_lines
from reports.vendor_lines import about, verdict_sentence, verdict_words
from reports.vendor_report import Standing, VendorReport

EVIDENCE_FILE = "evidence.jsonl"


@dataclass(frozen=True, kw_only=True)
class VendorCard:
    """Everything a page shows of one vendor. ``link`` leads to the vendor's own page where it lies beside."""

    anchor: str
    label: str
    profile: str
    verdict: str
    role: str
    sentence: str
    about: str
    broken: tuple[Judged, ...]
    not_judged: tuple[Judged, ...]
    advice: tuple[Judged, ...]
    figures: tuple[Judged, ...]
    groups: tuple[GroupTable, ...]
    facts: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    tool_calls: tuple[FigureLine, ...]
    reasons: tuple[tuple[str, int], ...]
    link: str | None = None


def render_vendor_html(report: VendorReport, *, directory: Path = Path()) -> str:
    """Return the page of one vendor; ``directory`` is where it will lie, beside its evidence."""
    card = vendor_card(report, 1)
    return render_page(
        "vendor.html.jinja",
        title=f"{report.label} as {report.profile}",
        card=card,
        forest=share_forests(criterion_rows(report), "figures", "Figures with their intervals"),
        evidence=EVIDENCE_FILE if (directory / EVIDENCE_FILE).is_file() else None,
    )


def vendor_card(report: VendorReport, place: int, link: str | None = None) -> VendorCard:
    """Return what a page shows of the ``place``-th vendor."""
    return VendorCard(
        anchor=f"vendor-{place}",
        label=report.label,
        profile=report.profile,
        verdict=verdict_words(report.verdict),
        role=VERDICT_ROLES[report.verdict],
        sentence=as_sentence(verdict_sentence(report)),
        about=about(report),
        broken=roots(report, Standing.FAIL),
        not_judged=roots(report, Standing.ERROR),
        advice=roots(report, *UNMET, is_advisory=True),
        figures=figures_of(report),
        groups=group_tables(report, f"vendor-{place}"),
        facts=tuple(_facts(report)),
        notes=report.notes,
        tool_calls=tuple(figure_lines(report)),
        reasons=tuple(reason_lines(report)),
        link=link,
    )


def as_sentence(text: str) -> str:
    """Return a clause as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def _facts(report: VendorReport) -> list[tuple[str, str]]:
    facts: dict[str, Any] = {
        "base URL": report.base_url,
        "model": report.model,
        "profile": report.profile,
        **report.facts,
        "started": report.started,
        "duration": f"{report.duration_s:,.0f} s",
        "requests": f"{report.n_requests:,}",
    }
    return [
        (name.replace("_", " "), _text(value))
        for name, value in facts.items()
        if value not in (None, "", {}, [])
    ]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
