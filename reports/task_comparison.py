"""Compare two runs of one task: comparable or not, joined, estimated, diagnosed, judged."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reports.best_of import compare_majority, compare_pass_at
from reports.comparability import is_protocol_known, join_items, protocol_mismatches
from reports.dead import refuse_dead
from reports.delta import delta_of
from reports.diagnosis import diagnose
from reports.drift import check_drift
from reports.intervals import Estimate
from reports.items import item_rows
from reports.json_text import json_object
from reports.metrics import SideBySide
from reports.paired_intervals import headline_interval
from reports.pairing import NoCommonItemsError, Pairing, pair_scores
from reports.power import Epochs, noise_from_pair, plan
from reports.replica_text import replica_caution
from reports.report import Analysis, TaskReport
from reports.response_length import length_bins
from reports.run_files import TaskRun
from reports.signals import is_truncated
from reports.stage import Stage, at_stage, stage_of_pair
from reports.stage_text import stage_notes, stage_reason
from reports.tallies import side_report
from reports.token_caution import token_caution
from reports.tolerance import Tolerance, judge_tolerance
from reports.tool_call_comparison import compare_tool_calls, trigger_notes
from reports.verdict import Verdict


def compare_task(
    base: TaskRun, cand: TaskRun, *, tolerance: Tolerance, confidence: float, allowed: Iterable[str]
) -> TaskReport:
    """Return the report of one task; a pair that is not comparable gets the verdict invalid and why."""
    joined = join_items(base.frame, cand.frame)
    stage = stage_of_pair(base, cand, confidence)
    sides = {
        "baseline": side_report(base.facts, base.frame),
        "candidate": side_report(cand.facts, cand.frame),
    }
    report = TaskReport(
        task=base.facts.task,
        verdict=Verdict.INVALID,
        reason="",
        margin=tolerance.margin,
        margin_source=tolerance.source,
        baseline=sides["baseline"],
        candidate=sides["candidate"],
        mismatches=protocol_mismatches(base.facts, cand.facts, allowed),
        joined_by_content=joined.by_content,
        notes=(
            *_notes(base, cand),
            *(line for name, side in sides.items() for line in replica_caution(name, side.replicas)),
            *(stage_notes(stage) if stage is not None else ()),
            *trigger_notes(joined.baseline, joined.candidate),
        ),
        items=item_rows(joined.baseline, joined.candidate),
        by_response_length=length_bins(joined.baseline, joined.candidate, confidence=confidence),
        stage=stage,
    )
    if (dead := refuse_dead(report, base, cand)) is not None:
        return dead
    refused = [str(mismatch) for mismatch in report.mismatches if not mismatch.allowed]
    if refused:
        return replace(report, reason=_refusal(refused))
    try:
        analysis = _analysis(joined.baseline, joined.candidate, tolerance, confidence, stage)
    except NoCommonItemsError as error:
        return replace(report, reason=str(error))
    judgement = analysis.judgement
    return replace(
        report,
        verdict=judgement.verdict,
        reason=judgement.reason if stage is None else stage_reason(stage, analysis),
        margin=judgement.margin,
        analysis=analysis,
        notes=(*report.notes, *token_caution(analysis.diagnosis)),
    )


def limit_errors(report: TaskReport, limit: float | None) -> TaskReport:
    """Return the report, invalid where a side failed more often than ``limit`` (else its run) allows."""
    for name, side in (("baseline", report.baseline), ("candidate", report.candidate)):
        allowed = limit if limit is not None else side.facts.max_error_rate or 0.0
        counts = side.counts
        if report.analysis is not None and counts.error_rate > allowed:
            reason = (
                f"{name}: {counts.errors} of {counts.scored + counts.errors} responses failed; at most a"
                f" share of {allowed:g} is allowed; run it again to retry them, or state --max-error-rate"
            )
            return replace(report, verdict=Verdict.INVALID, reason=reason)
    return report


def _analysis(
    base: pd.DataFrame, cand: pd.DataFrame, tolerance: Tolerance, confidence: float, stage: Stage | None
) -> Analysis:
    pairing = pair_scores(base, cand)
    delta = delta_of(pairing, confidence=confidence)
    if stage is not None:
        delta = at_stage(pairing, delta, stage)
    drift = check_drift(pairing, delta.interval)
    interval = drift.interval if drift is not None else delta.interval
    if stage is not None:
        delta, interval = replace(delta, interval=stage.overall(delta.interval)), stage.overall(interval)
    judgement = judge_tolerance(delta, tolerance, interval)
    return Analysis(
        delta=delta,
        interval=interval,
        judgement=judgement,
        drift=drift,
        diagnosis=diagnose(_placed(base), _placed(cand), confidence=confidence),
        completed=_completed(base, cand, confidence),
        escalated=_escalated(base, cand, confidence),
        secondary=_secondary(base, cand, confidence),
        plan=plan(noise_from_pair(pairing), _budget(pairing, stage), judgement.margin, confidence=confidence),
    )


def _budget(pairing: Pairing, stage: Stage | None) -> Epochs:
    """Return the epochs of both sides; of a run with declared looks those it may still come to."""
    epochs = {"baseline": pairing.baseline.n_epochs, "candidate": pairing.candidate.n_epochs}
    if stage is not None:
        epochs[stage.side] = max(epochs[stage.side], stage.last_epochs)
    return Epochs(**epochs)


def _placed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their place in the run, where the run says when each response was begun.

    Not when it ended: long responses, which are wrong more often, end late in any run.
    """
    begun = frame["finished_at"] - frame["duration_s"]
    if begun.isna().any():
        return frame
    return frame.assign(position=begun.rank(method="first"))


def _completed(base: pd.DataFrame, cand: pd.DataFrame, confidence: float) -> SideBySide | None:
    """Compare what is left without truncated responses; ``None`` where none was truncated or none is left."""
    cut = [is_truncated(side).to_numpy() for side in (base, cand)]
    if not (cut[0].any() or cut[1].any()):
        return None
    return _compared(
        base,
        np.where(cut[0], np.nan, base["score"]),
        cand,
        np.where(cut[1], np.nan, cand["score"]),
        confidence,
    )


def _escalated(base: pd.DataFrame, cand: pd.DataFrame, confidence: float) -> SideBySide | None:
    """Compare with the scores of larger budgets in place; ``None`` where no response was asked again."""
    again = [side["escalated_score"].to_numpy() for side in (base, cand)]
    if all(np.isnan(scores).all() for scores in again):
        return None
    scores = [
        np.where(np.isnan(larger), side["score"], larger)
        for larger, side in zip(again, (base, cand), strict=True)
    ]
    return _compared(base, scores[0], cand, scores[1], confidence)


def _secondary(base: pd.DataFrame, cand: pd.DataFrame, confidence: float) -> dict[str, SideBySide]:
    """Compare the further scores that both sides give, by name."""
    ours, theirs = _secondary_scores(base), _secondary_scores(cand)
    compared = {
        name: _compared(base, ours[name], cand, theirs[name], confidence) for name in ours if name in theirs
    }
    known = {name: found for name, found in compared.items() if found is not None}
    known |= compare_tool_calls(base, cand, confidence=confidence)
    return known | _best_of(base, cand, confidence)


def _best_of(base: pd.DataFrame, cand: pd.DataFrame, confidence: float) -> dict[str, SideBySide]:
    """Compare what several responses to an item give together; nothing where each item has one."""
    passes = compare_pass_at(base, cand, confidence)
    majority = compare_majority(base, cand, confidence) if passes else None
    return passes | ({"majority": majority} if majority is not None else {})


def _secondary_scores(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return each secondary score as a column over the rows, NaN where a response has none."""
    scores: dict[str, np.ndarray] = {}
    for row, text in enumerate(frame["secondary"].to_list()):
        for name, value in json_object(text).items():
            if isinstance(value, int | float) and 0 <= value <= 1:
                scores.setdefault(name, np.full(len(frame), np.nan))[row] = value
    return scores


def _compared(
    base: pd.DataFrame,
    base_scores: np.ndarray,
    cand: pd.DataFrame,
    cand_scores: np.ndarray,
    confidence: float,
) -> SideBySide | None:
    """Compare two frames by other scores than their own; ``None`` where no item has them on both sides."""
    try:
        pairing = pair_scores(base.assign(score=base_scores), cand.assign(score=cand_scores))
    except NoCommonItemsError:
        return None
    return _side_by_side(pairing, confidence)


def _side_by_side(pairing: Pairing, confidence: float) -> SideBySide:
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    return SideBySide(
        baseline=Estimate(value=base.accuracy, interval=base.interval(confidence)),
        candidate=Estimate(value=cand.accuracy, interval=cand.interval(confidence)),
        delta=Estimate(
            value=cand.accuracy - base.accuracy, interval=headline_interval(base, cand, confidence)
        ),
    )


def _refusal(differences: Sequence[str]) -> str:
    listed = "; ".join(differences)
    return f"not comparable: {listed}; run both under one protocol, or allow it: --allow-mismatch FIELD"


def _notes(base: TaskRun, cand: TaskRun) -> tuple[str, ...]:
    notes = [f"baseline: {note}" for note in base.facts.notes]
    notes += [f"candidate: {note}" for note in cand.facts.notes]
    if not is_protocol_known(base.facts, cand.facts):
        notes.append("protocol: not recorded on both sides, so that it agrees was not checked")
    return tuple(notes)
