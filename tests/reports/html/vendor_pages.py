"""Vendor qualifications made by hand, and their pages."""

from dataclasses import replace
from pathlib import Path

from reports.html.vendor_page import render_vendor_html
from reports.html.vendors_page import render_vendors_html
from reports.vendor_json import vendor_document
from reports.vendor_report import BENCHMARKS, TOOL_CALLS, Figure, VendorReport
from reports.vendor_table import rank, vendor_row
from tests.reports.vendor_criteria import (
    ERROR,
    FAIL,
    IDLE,
    PASS,
    criterion,
    estimate,
    report,
    tool_call_details,
)


def _figure(value: float, pass_line: float | None = None, limit: str = "") -> Figure:
    found = estimate(value, max(value - 0.05, 0.0), min(value + 0.05, 1.0))
    return Figure(estimate=found, pass_line=pass_line, limit=limit)


def vendor(label: str = "vendor", *, text: str = "", is_broken: bool = True) -> VendorReport:
    """A vendor with a criterion of every kind; ``text`` stands wherever the endpoint could put it."""
    bad = FAIL if is_broken else PASS
    leak = {
        "stream": (bad, f"tokens in the content {text}"),
        "plain": (PASS, f"4 replies with calls {text}"),
    }
    both = {"stream": (PASS, "seen"), "plain": (PASS, "seen")}
    tools = {"part": TOOL_CALLS, "group": TOOL_CALLS}
    criteria = (
        criterion("answers", by_delivery=both, evidence=f"it said {text}"),
        criterion(
            "tool_leak", bad, group="tools", by_delivery=leak, advice="the parser", evidence=text or "x"
        ),
        criterion("tool_choice", bad, group="tools", follows_from="tool_leak"),
        criterion("stop", ERROR if is_broken else PASS, group="limits", evidence=f"still sending {text}"),
        criterion("images", IDLE, group="images", evidence=f"refused: {text}"),
        criterion("effort", FAIL, group="thinking", is_advisory=True),
        criterion("trigger_f1", figure=_figure(0.85, 0.8), **tools),
        criterion("schema_accuracy", IDLE, figure=_figure(0.99), **tools),
        criterion("leaks", FAIL, figure=_figure(0.1), is_advisory=True, **tools),
        criterion(
            "aime25",
            part=BENCHMARKS,
            group=BENCHMARKS,
            figure=_figure(0.98, limit="loss below 1.4 pp"),
            evidence="delta -0.6",
        ),
    )
    return report(
        *criteria,
        label=label,
        tool_calls=replace(
            tool_call_details(),
            trigger_f1=estimate(0.85, 0.8, 0.9) if is_broken else estimate(0.9, 0.85, 0.95),
        ),
        notes=(f"reference official.jsonl: {text}",),
        facts={"engine": f"vllm {text}", "version": "0.32.0", "models": ["a", "b"], "context_tokens": 2048},
    )


def page_of(found: VendorReport, directory: Path = Path()) -> str:
    return render_vendor_html(found, directory=directory)


def pages_of(*found: VendorReport) -> str:
    documents = [vendor_document(one) for one in found]
    rows = [vendor_row(document) for document in documents]
    order = sorted(range(len(found)), key=lambda place: rank(rows[place]))
    return render_vendors_html(
        [found[place] for place in order], [rows[place] for place in order], [None] * len(found)
    )


def three(text: str = "") -> str:
    """A page of three vendors: one of them was never reached."""
    dead = replace(report(criterion("endpoint", ERROR), label=f"dead {text}"), facts={})
    return pages_of(
        vendor(f"broken {text}", text=text), dead, vendor(f"good {text}", text=text, is_broken=False)
    )
