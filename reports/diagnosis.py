"""What kind of loss it is: signs, output length, categories, position in the run and tokens together."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pandas as pd

from reports.drift import BlockTest, compare_blocks
from reports.flips import FALSE_DISCOVERY
from reports.intervals import Estimate
from reports.metrics import TokenRatio, token_ratio
from reports.paired_intervals import headline_interval
from reports.pairing import NoCommonItemsError, Pairing, pair_scores
from reports.signals import NO_ANSWER, TRUNCATED, Signal, compare_signals, is_truncated
from reports.slices import LengthProfile, Slice, differ, item_labels, length_profile, slices_by

LOOP_FLAG = "degenerate_repetition"
POSITION_BLOCKS = 4
POSITION_LEVEL = 0.01  # looked at on every run of every task, so stricter than usual


class LossKind(StrEnum):
    """A pattern that goes with a known fault."""

    BUDGET = "budget"  # more responses truncated; those that finished agree
    LOOPS = "loops"  # more repetition without end
    NO_ANSWER = "no_answer"  # more responses without an answer
    LENGTH = "length"  # the loss grows with output length, as with a faulty KV cache
    CATEGORY = "category"  # some categories lose, others less or nothing
    POSITION = "position"  # the candidate scores unlike itself later in the run
    UNIFORM = "uniform"  # a loss without a pattern


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """Everything known of the kind of loss on one task.

    ``completed`` is the delta over responses that were not truncated on their side (``None`` without such);
    ``position`` holds the candidate's quarters of the run (by ``position`` where given, else by epoch).
    """

    signals: tuple[Signal, ...]
    completed: Estimate | None
    by_length: LengthProfile | None
    by_category: tuple[Slice, ...]
    position: BlockTest | None
    output_tokens: TokenRatio | None
    reasoning_tokens: TokenRatio | None
    kinds: tuple[LossKind, ...]


def diagnose(baseline: pd.DataFrame, candidate: pd.DataFrame, *, confidence: float = 0.95) -> Diagnosis:
    """Describe the difference of two score tables of one task by whichever columns they have."""
    pairing = pair_scores(baseline, candidate)
    signals = compare_signals(pairing, baseline, candidate, confidence=confidence)
    completed = completed_delta(pairing, baseline, candidate, confidence=confidence)
    by_length = length_profile(pairing, baseline, confidence=confidence)
    labels = item_labels(baseline, candidate, "category")
    by_category = slices_by(pairing, labels, confidence=confidence)
    position = position_test(candidate)
    overall = headline_interval(pairing.baseline_arm, pairing.candidate_arm, confidence)
    kinds = [
        *_signal_kinds(signals, completed),
        *([LossKind.LENGTH] if by_length and by_length.slope and by_length.slope.interval.high < 0 else []),
        *([LossKind.CATEGORY] if any(map(_is_lost, by_category)) and differ(by_category) else []),
        *([LossKind.POSITION] if position and position.p_value < POSITION_LEVEL else []),
    ]
    if not kinds and overall.high < 0:
        kinds = [LossKind.UNIFORM]
    return Diagnosis(
        signals=signals,
        completed=completed,
        by_length=by_length,
        by_category=by_category,
        position=position,
        output_tokens=_tokens(baseline, candidate, "output_tokens", confidence),
        reasoning_tokens=_tokens(baseline, candidate, "reasoning_tokens", confidence),
        kinds=tuple(kinds),
    )


def completed_delta(
    pairing: Pairing, baseline: pd.DataFrame, candidate: pd.DataFrame, *, confidence: float = 0.95
) -> Estimate | None:
    """Return the delta over responses that finished: the second line beside truncated scored as served.

    ``pairing`` is that of the two tables. ``None`` when no item has a finished response on both sides.
    """
    sides = ((pairing.baseline, baseline), (pairing.candidate, candidate))
    finished = [np.where(is_truncated(table), np.nan, side.scores) for side, table in sides]
    try:
        return _estimate(pairing.rescored(finished[0], finished[1]), confidence)
    except NoCommonItemsError:
        return None


def position_test(table: pd.DataFrame) -> BlockTest | None:
    """Test whether quarters of the run score alike on the same items; ``None`` with one epoch.

    Rows are placed by the column ``position`` where there is one, else by epoch. A position is when a
    response was begun: by when it finished, long responses come late and look like drift.
    """
    column = "position" if "position" in table.columns else "epoch"
    rank = table[column].rank(method="dense")
    blocks = np.ceil(rank / rank.max() * POSITION_BLOCKS)
    return compare_blocks(table.assign(quarter=blocks), "quarter")


def _signal_kinds(signals: tuple[Signal, ...], completed: Estimate | None) -> list[LossKind]:
    more = {signal.name for signal in signals if signal.is_more}
    kinds = []
    if TRUNCATED in more and completed is not None and completed.interval.high > 0:
        kinds.append(LossKind.BUDGET)
    if LOOP_FLAG in more:
        kinds.append(LossKind.LOOPS)
    if NO_ANSWER in more:
        kinds.append(LossKind.NO_ANSWER)
    return kinds


def _is_lost(part: Slice) -> bool:
    return part.delta.value < 0 and part.q_value <= FALSE_DISCOVERY


def _estimate(pairing: Pairing, confidence: float) -> Estimate:
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    return Estimate(value=cand.accuracy - base.accuracy, interval=headline_interval(base, cand, confidence))


def _tokens(
    baseline: pd.DataFrame, candidate: pd.DataFrame, column: str, confidence: float
) -> TokenRatio | None:
    if column not in baseline.columns or column not in candidate.columns:
        return None
    return token_ratio(baseline, candidate, column, confidence=confidence)
