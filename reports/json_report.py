"""Render a comparison as the JSON document that pipelines read (report.json, ``compare --json``)."""

import math
from collections.abc import Mapping
from typing import Any

import orjson

from reports.delta import Delta, SideEstimate
from reports.intervals import Interval
from reports.report import Report, SideReport, TaskReport
from reports.score_table import TaskFacts

SCHEMA_VERSION = 1


def render_json(report: Report) -> str:
    """Return the document as indented JSON text, newline at the end."""
    return to_json(report_document(report))


def to_json(document: Mapping[str, Any]) -> str:
    """Return strict JSON: no NaN, no Infinity, keys as given."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def report_document(report: Report) -> dict[str, Any]:
    """Return the document: fractions in [0, 1], ``None`` where a value is not known."""
    return {
        "schema": SCHEMA_VERSION,
        "verdict": report.verdict.value,
        "confidence": report.confidence,
        "tasks": [_task(task) for task in report.tasks],
        "only_baseline": list(report.only_baseline),
        "only_candidate": list(report.only_candidate),
        "pooled": None,
        "notes": list(report.notes),
        "provenance": {
            "baseline": _provenance(report.baseline_label, [pair[0] for pair in report.facts.values()]),
            "candidate": _provenance(report.candidate_label, [pair[1] for pair in report.facts.values()]),
        },
    }


def _task(task: TaskReport) -> dict[str, Any]:
    base, cand, delta = task.baseline, task.candidate, task.delta
    return {
        "task": task.task,
        "verdict": task.verdict.value,
        "reason": task.reason,
        "margin": task.margin,
        "margin_source": task.margin_source,
        "n_items": delta.n_items if delta else 0,
        "epochs": {"baseline": base.epochs, "candidate": cand.epochs},
        **_estimates(delta),
        "truncated": {"baseline": base.counts.truncated_rate, "candidate": cand.counts.truncated_rate},
        "errors": {"baseline": base.counts.error_rate, "candidate": cand.counts.error_rate},
        "missing": {"baseline": _missing_rate(base), "candidate": _missing_rate(cand)},
        "coverage": {"baseline": base.counts.coverage, "candidate": cand.counts.coverage},
        "counts": {"baseline": _counts(base), "candidate": _counts(cand)},
        "per_epoch": {"baseline": _per_epoch(base), "candidate": _per_epoch(cand)},
        "reasoning_tokens_ratio": None,
        "accuracy_completed": _completed(task.completed),
        "truncated_delta": _difference(task.truncation),
        "sensitivity": _sensitivity(task),
        "is_significantly_lower": bool(task.judgement and task.judgement.is_significantly_lower),
        "mismatch": [
            {
                "field": found.field,
                "baseline": found.baseline,
                "candidate": found.candidate,
                "allowed": found.allowed,
            }
            for found in task.mismatches
        ],
        "joined_by": "content_hash" if task.joined_by_content else "sample_id",
        "notes": [*task.notes, *(delta.warnings if delta else ()), *_unbounded(delta)],
    }


def _estimates(delta: Delta | None) -> dict[str, Any]:
    """Return the numbers of a delta; every one unknown where the sides were not compared."""
    if delta is None:
        unknown = ("baseline", "candidate", "delta", "population", "p_value", "recovery", "flips")
        return dict.fromkeys(unknown) | {"regressed": [], "items_only": {"baseline": [], "candidate": []}}
    return {
        "baseline": _estimate(delta.baseline),
        "candidate": _estimate(delta.candidate),
        "delta": _difference(delta),
        "population": _bounds(delta.population),
        "p_value": delta.p_value,
        "recovery": _with_value(delta.recovery.value, delta.recovery.interval) if delta.recovery else None,
        "flips": {
            "worse": delta.flips.worse,
            "better": delta.flips.better,
            "rate": delta.flips.rate,
            "corrected_rate": delta.flips.corrected_rate,
            "raw_rate": delta.flips.raw_rate,
            "baseline_self_rate": delta.flips.baseline_self_rate,
            "candidate_self_rate": delta.flips.candidate_self_rate,
        },
        "regressed": [
            {
                "sample_id": item.sample_id,
                "baseline": item.baseline,
                "candidate": item.candidate,
                "p_value": item.p_value,
                "q_value": item.q_value,
            }
            for item in delta.regressed
        ],
        "items_only": {"baseline": list(delta.only_baseline), "candidate": list(delta.only_candidate)},
    }


def _estimate(side: SideEstimate) -> dict[str, Any]:
    return _with_value(side.accuracy, side.interval) | {
        "population": _bounds(side.population),
        "item_error": side.item_error,
    }


def _with_value(value: float, interval: Interval) -> dict[str, Any]:
    return {"value": value, "low": _finite(interval.low), "high": _finite(interval.high)}


def _difference(delta: Delta | None) -> dict[str, Any] | None:
    if delta is None:
        return None
    how = {"confidence": delta.interval.confidence, "method": delta.method}
    return _with_value(delta.value, delta.interval) | how


def _bounds(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {"low": _finite(interval.low), "high": _finite(interval.high), "method": interval.method}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _unbounded(delta: Delta | None) -> list[str]:
    if delta is None or delta.recovery is None or math.isfinite(delta.recovery.interval.high):
        return []
    return ["recovery: its upper limit is unbounded (the baseline may be 0), written as null"]


def _completed(delta: Delta | None) -> dict[str, Any] | None:
    if delta is None:
        return None
    return {
        "baseline": _estimate(delta.baseline),
        "candidate": _estimate(delta.candidate),
        "delta": _difference(delta),
        "n_items": delta.n_items,
    }


def _counts(side: SideReport) -> dict[str, int]:
    counts = side.counts
    return {
        "expected": counts.expected,
        "scored": counts.scored,
        "missing": counts.missing,
        "correct": counts.correct,
        "incorrect": counts.incorrect,
        "no_answer": counts.no_answer,
        "truncated": counts.truncated,
        "error": counts.errors,
    }


def _missing_rate(side: SideReport) -> float | None:
    return side.counts.missing / side.counts.expected if side.counts.expected else None


def _per_epoch(side: SideReport) -> list[dict[str, Any]]:
    return [
        {"epoch": epoch.epoch, "correct": epoch.correct, "n": epoch.n, "mean": epoch.mean}
        for epoch in side.per_epoch
    ]


def _sensitivity(task: TaskReport) -> dict[str, str] | None:
    found = task.judgement.sensitivity if task.judgement else None
    if found is None:
        return None
    return {
        "if_candidate_missing_wrong": found.candidate_wrong.value,
        "if_baseline_missing_wrong": found.baseline_wrong.value,
    }


def _provenance(label: str, facts: list[TaskFacts]) -> dict[str, Any]:
    return {"label": label, "tasks": {fact.task: _run(fact) for fact in facts}}


def _run(facts: TaskFacts) -> dict[str, Any]:
    return {
        "label": facts.label,
        "source": facts.source,
        "status": facts.status,
        "fingerprint": facts.fingerprint,
        "spec": dict(facts.spec),
        "endpoint": dict(facts.endpoint),
        "versions": dict(facts.versions),
        "git_revision": facts.git_revision,
        "started": facts.started,
        "finished": facts.finished,
        "foreign": facts.is_foreign,
    }
