"""Write a check for people, one line a probe, and for programs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from evals.endpoint_facts import EndpointFacts
from evals.preflight.check import Check
from evals.preflight.finding import Finding, Status
from evals.preflight.plan import PlannedRun
from evals.preflight.speed import estimate_run

SCHEMA = 1
_NAME_WIDTH = 20
MANY_SKIPS = 3  # in a row, for the same reason: told together


def render_check(check: Check, *, base_url: str, model: str | None, next_command: str) -> str:
    """Return the check as text; the last line names the next command."""
    lines = [f"check {base_url}" + (f" · {model}" if model else "")]
    for said, alike in groupby(check.findings, key=_said):
        group = list(alike)
        is_row_of_skips = said[0] is Status.SKIP and len(group) >= MANY_SKIPS
        lines += [_skips(group)] if is_row_of_skips else [_line(finding) for finding in group]
    counts = Counter(finding.status for finding in check.findings)
    lines.append(", ".join(f"{counts[status]} {status}" for status in Status))
    lines.append(f"next: {next_command}")
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    advice = f" -> {finding.advice}" if finding.advice else ""
    return f"{finding.status:<4}  {finding.name:<{_NAME_WIDTH}} {finding.evidence}{advice}"


def _said(finding: Finding) -> tuple[Status, str, str]:
    return finding.status, finding.evidence, finding.advice


def _skips(alike: Sequence[Finding]) -> str:
    """Return one line for probes that are skipped for one reason: of a dead endpoint that is all of them."""
    names = ", ".join(finding.name for finding in alike)
    return f"{Status.SKIP:<4}  {f'{len(alike)} probes':<{_NAME_WIDTH}} {alike[0].evidence} ({names})"


def check_json(
    check: Check,
    *,
    base_url: str,
    model: str | None,
    facts: EndpointFacts | None,
    run: PlannedRun | None,
    next_command: str,
) -> dict[str, Any]:
    """Return the check as plain JSON values."""
    estimate = estimate_run(run, check.tokens_per_s)
    return {
        "schema": SCHEMA,
        "base_url": base_url,
        "model": model,
        **_facts(facts),
        "ok": check.is_ok,
        "probes": [_probe(finding) for finding in check.findings],
        "flags": _unique(flag for finding in check.findings for flag in finding.flags),
        "tokens_per_s": check.tokens_per_s,
        "estimate": asdict(estimate) if estimate is not None else None,
        "next": next_command,
    }


def _facts(facts: EndpointFacts | None) -> Mapping[str, Any]:
    names = ("engine", "version", "context_tokens", "quantization", "kv_cache_dtype", "served_path")
    told = {name: getattr(facts, name) if facts is not None else None for name in names}
    return {**told, "models": list(facts.models) if facts is not None else []}


def _probe(finding: Finding) -> dict[str, Any]:
    return {
        "name": finding.name,
        "status": str(finding.status),
        "evidence": finding.evidence,
        "advice": finding.advice or None,
        "flags": list(finding.flags),
    }


def _unique(values: Any) -> Sequence[str]:
    return list(dict.fromkeys(values))
