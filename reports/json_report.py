"""Render a comparison as the JSON document that pipelines read (report.json, ``compare --json``)."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from reports.delta import SideEstimate
from reports.flips import Flips
from reports.intervals import Estimate
from reports.json_diagnosis import diagnosis_section, drift_section, plan_section, stage_section
from reports.json_items import items_section, length_section
from reports.json_values import block_test, estimate, limits, side_by_side, token_ratio, value_and_limits
from reports.report import Analysis, Report, SideReport, TaskReport
from reports.score_table import TaskFacts
from reports.speed_text import speed_section
from reports.verdict import Judgement, Sensitivity

SCHEMA_VERSION = 1
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # no JSON text can hold one; a log may
UNBOUNDED_RECOVERY = "recovery: its upper limit is unbounded (the baseline may be 0), written as null"
# What a task has only where its two sides were compared.
_OF_ANALYSIS = (
    "baseline",
    "candidate",
    "delta",
    "population",
    "p_value",
    "worse_p_value",
    "recovery",
    "flips",
    "reasoning_tokens_ratio",
    "accuracy_completed",
    "accuracy_escalated",
    "sensitivity",
    "drift",
    "diagnosis",
    "power",
)


def render_json(report: Report) -> str:
    """Return the document as indented JSON text, newline at the end."""
    return to_json(report_document(report))


def to_json(document: Mapping[str, Any]) -> str:
    """Return strict JSON: no NaN, no Infinity, keys as given, floats to 12 significant digits.

    More digits would differ between machines (summation order, libm) and say nothing. A column of values
    takes one line, however many items there are.
    """
    rounded = _rounded(document)
    return orjson.dumps(rounded, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _rounded(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else _HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**63:
        return str(value)  # beyond what readers of JSON hold exactly
    if isinstance(value, Mapping):
        return {_rounded(name): _rounded(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        rounded = [_rounded(inner) for inner in value]
        is_column = bool(rounded) and not any(isinstance(inner, (dict, list)) for inner in rounded)
        return orjson.Fragment(orjson.dumps(rounded)) if is_column else rounded
    return value


def report_document(report: Report) -> dict[str, Any]:
    """Return the document: fractions in [0, 1], ``None`` where a value is not known."""
    document = {
        "schema": SCHEMA_VERSION,
        "verdict": report.verdict.value,
        "confidence": report.confidence,
        "tasks": [_task(task) for task in report.tasks],
        "only_baseline": list(report.only_baseline),
        "only_candidate": list(report.only_candidate),
        "pooled": estimate(report.pooled),
        "notes": list(report.notes),
        "provenance": {
            "baseline": _provenance(report.baseline_label, [pair[0] for pair in report.facts.values()]),
            "candidate": _provenance(report.candidate_label, [pair[1] for pair in report.facts.values()]),
        },
    }
    return document if report.divergence is None else document | {"divergence": dict(report.divergence)}


def _task(task: TaskReport) -> dict[str, Any]:
    base, cand, analysis = task.baseline, task.candidate, task.analysis
    empty = dict.fromkeys(_OF_ANALYSIS) | {"regressed": [], "items_only": _pair([], []), "secondary": {}}
    return {
        "task": task.task,
        "verdict": task.verdict.value,
        "reason": task.reason,
        "judged": None if analysis is None else _judged(analysis.judgement),
        "margin": task.margin,
        "margin_source": task.margin_source,
        "n_items": analysis.delta.n_items if analysis else 0,
        "n_items_by_side": _pair(base.n_items, cand.n_items),
        "epochs": _pair(base.epochs, cand.epochs),
        **(_analysis(analysis) if analysis else empty),
        "worse_p_holm": task.worse_holm,
        "truncated": _pair(base.counts.truncated_rate, cand.counts.truncated_rate),
        "errors": _pair(base.counts.error_rate, cand.counts.error_rate),
        "missing": _pair(1 - base.counts.coverage, 1 - cand.counts.coverage),
        "coverage": _pair(base.counts.coverage, cand.counts.coverage),
        "counts": _pair(_counts(base), _counts(cand)),
        "per_epoch": _pair([*map(asdict, base.per_epoch)], [*map(asdict, cand.per_epoch)]),
        "replicas": _pair(block_test(base.replicas), block_test(cand.replicas)),
        "server_starts": _pair(block_test(base.starts), block_test(cand.starts)),
        "early_stopping": stage_section(task.stage),
        "noise_floor": asdict(task.noise_floor) if task.noise_floor is not None else None,
        "pass_at": _pair(_pass_at(base), _pass_at(cand)),
        "majority": _pair(base.majority, cand.majority),
        "speed": _pair(speed_section(base.speed), speed_section(cand.speed)),
        "mismatch": [asdict(found) for found in task.mismatches],
        "joined_by": "content_hash" if task.joined_by_content else "sample_id",
        "notes": [*task.notes, *_analysis_notes(analysis)],
        "by_response_length": length_section(task.by_response_length),
        "items": items_section(task.items),
    }


def _analysis(analysis: Analysis) -> dict[str, Any]:
    delta, judgement = analysis.delta, analysis.judgement
    return {
        "baseline": _side(delta.baseline),
        "candidate": _side(delta.candidate),
        "delta": estimate(Estimate(value=delta.value, interval=analysis.interval)),
        "population": limits(delta.population),
        "p_value": delta.p_value,
        "worse_p_value": delta.test.worse_mid_p,
        "recovery": estimate(delta.recovery),
        "flips": _flips(delta.flips),
        "regressed": [asdict(item) for item in delta.regressed],
        "items_only": _pair(list(delta.only_baseline), list(delta.only_candidate)),
        "reasoning_tokens_ratio": token_ratio(analysis.diagnosis.reasoning_tokens),
        "accuracy_completed": side_by_side(analysis.completed),
        "accuracy_escalated": side_by_side(analysis.escalated),
        "secondary": {name: side_by_side(found) for name, found in analysis.secondary.items()},
        "is_significantly_lower": judgement.is_significantly_lower,
        "sensitivity": _sensitivity(judgement.sensitivity),
        "drift": drift_section(analysis.drift),
        "diagnosis": diagnosis_section(analysis.diagnosis),
        "power": plan_section(analysis.plan),
    }


def _judged(judgement: Judgement) -> dict[str, str]:
    """Return what the delta alone says; the task's verdict differs where its run is invalid."""
    return {"verdict": judgement.verdict.value, "reason": judgement.reason}


def _pair(baseline: Any, candidate: Any) -> dict[str, Any]:
    return {"baseline": baseline, "candidate": candidate}


def _side(side: SideEstimate) -> dict[str, Any]:
    return value_and_limits(side.accuracy, side.interval) | {
        "population": limits(side.population),
        "item_error": side.item_error,
        "if_missing_wrong": side.if_missing_wrong,
    }


def _flips(flips: Flips) -> dict[str, Any]:
    return {
        "worse": flips.worse,
        "better": flips.better,
        "rate": flips.rate,
        "corrected_rate": flips.corrected_rate,
        "raw_rate": flips.raw_rate,
        "baseline_self_rate": flips.baseline_self_rate,
        "candidate_self_rate": flips.candidate_self_rate,
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


def _pass_at(side: SideReport) -> dict[str, float]:
    return {str(k): chance for k, chance in side.pass_at.items()}


def _sensitivity(found: Sensitivity | None) -> dict[str, str] | None:
    if found is None:
        return None
    return {
        "if_candidate_missing_wrong": found.candidate_wrong.value,
        "if_baseline_missing_wrong": found.baseline_wrong.value,
    }


def _analysis_notes(analysis: Analysis | None) -> Sequence[str]:
    if analysis is None:
        return ()
    notes = list(analysis.delta.warnings)
    recovery = analysis.delta.recovery
    if recovery is not None and not math.isfinite(recovery.interval.high):
        notes.append(UNBOUNDED_RECOVERY)
    return notes


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
