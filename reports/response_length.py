"""Accuracy by how long the responses are, each side over the same bins of output tokens."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from reports.arm import arm_from_scores
from reports.intervals import Estimate, FloatArray

BINS = 8
MIN_RESPONSES = 5  # fewer say nothing of a length


@dataclass(frozen=True, kw_only=True)
class LengthPoint:
    """One side's responses within a bin: how many, of how many items, and how they score."""

    n_responses: int
    n_items: int
    accuracy: Estimate


@dataclass(frozen=True, kw_only=True)
class LengthBin:
    """Responses of ``low`` to ``high`` output tokens; a side with too few of them is ``None``."""

    low: float
    high: float
    middle: float
    baseline: LengthPoint | None
    candidate: LengthPoint | None


def length_bins(
    baseline: pd.DataFrame, candidate: pd.DataFrame, *, confidence: float = 0.95
) -> tuple[LengthBin, ...]:
    """Cut the responses of both sides at the same quantiles of their output tokens, shortest first.

    Empty where no tokens are counted or all responses are of one length. Long responses are those to hard
    items too: a fall with length is the rule, a fall of one side alone is not.
    """
    ours, theirs = _counted(baseline), _counted(candidate)
    tokens = np.concatenate([ours["output_tokens"], theirs["output_tokens"]])
    if len(ours) == 0 or len(theirs) == 0:
        return ()
    edges = np.unique(np.quantile(tokens, np.linspace(0, 1, BINS + 1), method="nearest"))
    if len(edges) < 2:
        return ()
    bins = []
    for place in range(len(edges) - 1):
        low, high = edges[place], edges[place + 1]
        last = place == len(edges) - 2
        inside = [_within(side, low, high, closed=last) for side in (ours, theirs)]
        held = np.concatenate([side["output_tokens"] for side in inside])
        points = [_point(side, confidence) for side in inside]
        if len(held) and any(points):
            bins.append(
                LengthBin(
                    low=float(held.min()),
                    high=float(held.max()),
                    middle=float(np.median(held)),
                    baseline=points[0],
                    candidate=points[1],
                )
            )
    return tuple(bins)


def _counted(frame: pd.DataFrame) -> pd.DataFrame:
    known = frame["score"].notna() & (frame["output_tokens"] > 0)
    return frame.loc[known, ["sample_id", "score", "output_tokens"]]


def _within(rows: pd.DataFrame, low: float, high: float, *, closed: bool) -> pd.DataFrame:
    tokens = rows["output_tokens"]
    return rows[(tokens >= low) & ((tokens <= high) if closed else (tokens < high))]


def _point(rows: pd.DataFrame, confidence: float) -> LengthPoint | None:
    if len(rows) < MIN_RESPONSES:
        return None
    codes, names = pd.factorize(rows["sample_id"].astype(str))
    scores: FloatArray = rows["score"].to_numpy(dtype=np.float64)
    arm = arm_from_scores(codes.astype(np.int64), scores, len(names))
    accuracy = Estimate(value=arm.accuracy, interval=arm.interval(confidence))
    return LengthPoint(n_responses=len(rows), n_items=len(names), accuracy=accuracy)
