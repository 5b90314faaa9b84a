"""Read one task of report.json back into its report."""

import math
from dataclasses import fields
from typing import Any

from reports.comparability import Mismatch
from reports.delta import Delta
from reports.diagnosis import Diagnosis, LossKind
from reports.drift import DriftCheck
from reports.flips import Flips, RegressedItem
from reports.intervals import Interval
from reports.json_report import UNBOUNDED_RECOVERY
from reports.permutation import PermutationTest
from reports.power import Epochs, Plan
from reports.read_sides import read_side_estimate, read_side_report
from reports.read_values import (
    Fields,
    known_estimate,
    known_number,
    read_blocks,
    read_estimate,
    read_interval,
    read_items,
    read_length_bins,
    read_length_profile,
    read_sides,
    read_slices,
    read_token_ratio,
)
from reports.report import Analysis, NoiseFloor, TaskReport
from reports.signals import Signal
from reports.stage import Stage
from reports.verdict import Judgement, Sensitivity, Verdict


def read_task(found: Fields, provenance: Fields, confidence: float) -> TaskReport:
    """Return the report of one task.

    What no output shows (standard errors, the exact p-value, the number of epochs each item had) is not in
    the document and comes back as NaN or empty. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for a
    document that is not ours.
    """
    sides = {side: read_side_report(found, provenance, side) for side in ("baseline", "candidate")}
    analysis = _analysis(found, confidence) if found["delta"] is not None else None
    return TaskReport(
        task=found["task"],
        verdict=Verdict(found["verdict"]),
        reason=found["reason"],
        margin=found["margin"],
        margin_source=found["margin_source"],
        baseline=sides["baseline"],
        candidate=sides["candidate"],
        mismatches=tuple(Mismatch(**mismatch) for mismatch in found["mismatch"]),
        joined_by_content=found["joined_by"] == "content_hash",
        notes=tuple(note for note in found["notes"] if note != UNBOUNDED_RECOVERY),
        analysis=analysis,
        worse_holm=found["worse_p_holm"],
        items=read_items(found["items"]) if "items" in found else (),
        by_response_length=read_length_bins(found.get("by_response_length", ()), confidence),
        stage=_stage(found.get("early_stopping")),
        noise_floor=NoiseFloor(**floor) if (floor := found.get("noise_floor")) else None,
    )


def _analysis(found: Fields, confidence: float) -> Analysis:
    interval = known_estimate(found["delta"], confidence).interval
    return Analysis(
        delta=_delta(found, interval, confidence),
        interval=interval,
        judgement=_judgement(found),
        drift=_drift(found["drift"], interval),
        diagnosis=_diagnosis(found, confidence),
        completed=read_sides(found["accuracy_completed"], confidence),
        escalated=read_sides(found["accuracy_escalated"], confidence),
        secondary={
            name: sides
            for name, metric in found["secondary"].items()
            if (sides := read_sides(metric, confidence)) is not None
        },
        plan=_plan(found["power"], found),
    )


def _delta(found: Fields, interval: Interval, confidence: float) -> Delta:
    p, worse = known_number(found, "p_value"), found["worse_p_value"]
    flips = {name: found["flips"][name] for name in found["flips"]}
    return Delta(
        n_items=found["n_items"],
        baseline=read_side_estimate(found, "baseline", confidence),
        candidate=read_side_estimate(found, "candidate", confidence),
        value=found["delta"]["value"],
        interval=interval,
        population=read_interval(found["population"], confidence),
        item_error=None,
        test=PermutationTest(exact=math.nan, mid_p=p, worse=math.nan, worse_mid_p=worse, method="exact"),
        recovery=read_estimate(found["recovery"], confidence),
        flips=Flips(interval=None, **flips),
        regressed=tuple(RegressedItem(**item) for item in found["regressed"]),
        only_baseline=tuple(found["items_only"]["baseline"]),
        only_candidate=tuple(found["items_only"]["candidate"]),
        unscored=(),
        overlap=math.nan,
        warnings=(),
        if_candidate_missing_wrong=None,
        if_baseline_missing_wrong=None,
    )


def _judgement(found: Fields) -> Judgement:
    judged = found.get("judged") or {"verdict": found["verdict"], "reason": found["reason"]}
    margin, unknown = found["margin"], found["sensitivity"]
    return Judgement(
        verdict=Verdict(judged["verdict"]),
        margin=margin if margin is not None else math.nan,
        reason=judged["reason"],
        is_significantly_lower=found["is_significantly_lower"],
        sensitivity=None
        if unknown is None
        else Sensitivity(
            candidate_wrong=Verdict(unknown["if_candidate_missing_wrong"]),
            baseline_wrong=Verdict(unknown["if_baseline_missing_wrong"]),
        ),
    )


def _drift(found: Fields | None, interval: Interval) -> DriftCheck | None:
    if found is None:
        return None
    return DriftCheck(
        ratio=found["ratio"],
        p_value=found["p_value"],
        has_drift=found["has_drift"],
        interval=interval,
        epoch_interval=read_interval(found["epoch_interval"], interval.confidence),
    )


def _stage(found: Fields | None) -> Stage | None:
    if found is None:
        return None
    told = {field.name: found[field.name] for field in fields(Stage)}
    return Stage(**told | {"looks": tuple(found["looks"])})


def _diagnosis(found: Fields, confidence: float) -> Diagnosis:
    diagnosis = found["diagnosis"]
    completed = read_sides(found["accuracy_completed"], confidence)
    return Diagnosis(
        signals=tuple(_signal(signal, confidence) for signal in diagnosis["signals"]),
        completed=completed.delta if completed is not None else None,
        by_length=read_length_profile(diagnosis["by_length"], confidence),
        by_category=read_slices(diagnosis["by_category"], confidence),
        by_tool=read_slices(diagnosis.get("by_tool", ()), confidence),
        position=read_blocks(diagnosis["position"]),
        output_tokens=read_token_ratio(diagnosis["output_tokens_ratio"], confidence),
        reasoning_tokens=read_token_ratio(found["reasoning_tokens_ratio"], confidence),
        kinds=tuple(LossKind(kind) for kind in diagnosis["kinds"]),
    )


def _signal(found: Fields, confidence: float) -> Signal:
    return Signal(
        name=found["name"],
        baseline=found["baseline"],
        candidate=found["candidate"],
        delta=known_estimate(found["delta"], confidence),
        p_value=found["p_value"],
        q_value=found["q_value"],
    )


def _plan(found: Fields, task: Fields) -> Plan:
    needed: dict[str, Any] = found["epochs_needed"]
    return Plan(
        margin=task["margin"] if task["margin"] is not None else math.nan,
        epochs=Epochs(**task["epochs"]),
        error=math.nan,
        smallest_visible_loss=found["smallest_visible_loss"],
        smallest_margin=found["smallest_margin"],
        pass_chance=known_number(found, "pass_chance"),
        regression_chance=known_number(found, "regression_chance"),
        both_needed=needed["both"],
        candidate_needed=needed["candidate"],
        baseline_needed=needed["baseline"],
    )
