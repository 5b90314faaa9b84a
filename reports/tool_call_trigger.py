"""Calling a tool at all: precision, recall and F1 against a reference run, and the reference's own noise."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from reports.intervals import Estimate
from reports.metrics import f1_estimate, share_estimate
from reports.tool_call_reference import Reference
from reports.tool_call_rows import tool_call_rows

CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Trigger:
    """Calling at all, against a reference: counts of responses, and three figures.

    A figure is ``None`` where it has no denominator. What was not joined is listed by ``data_index``:
    requests of the reference without a response here (``missing``), those that failed here (``failed``),
    and requests here that the reference does not answer (``unknown``).
    """

    reference: str
    n_joined: int
    tp: int
    fp: int
    fn: int
    tn: int
    precision: Estimate | None
    recall: Estimate | None
    f1: Estimate | None
    missing: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every request that the reference answers was answered here."""
        return not self.missing and not self.failed


def trigger_metrics(rows: pd.DataFrame, reference: Reference, *, confidence: float = CONFIDENCE) -> Trigger:
    """Return how far the responses call where the reference called, joined on ``data_index``."""
    calls = tool_call_rows(rows)
    answered = set(calls["sample_id"])
    asked = set(rows["sample_id"].astype(str))
    joined = calls[calls["sample_id"].isin(list(reference.triggered))]
    expected = joined["sample_id"].map(reference.triggered).to_numpy(bool)
    triggered = joined["triggered"].to_numpy(bool)
    tp, fp = int((expected & triggered).sum()), int((~expected & triggered).sum())
    fn = int((expected & ~triggered).sum())
    return Trigger(
        reference=reference.name,
        n_joined=len(joined),
        tp=tp,
        fp=fp,
        fn=fn,
        tn=len(joined) - tp - fp - fn,
        precision=share_estimate(tp, tp + fp, confidence=confidence),
        recall=share_estimate(tp, tp + fn, confidence=confidence),
        f1=f1_estimate(tp, fp, fn, confidence=confidence),
        missing=_ordered(index for index in reference.triggered if index not in asked),
        failed=_ordered(index for index in reference.triggered if index in asked and index not in answered),
        unknown=_ordered(answered - set(reference.triggered)),
    )


def noise_floor(references: Sequence[Reference], *, confidence: float = CONFIDENCE) -> tuple[Estimate, ...]:
    """Return the F1 of every official run against every other: what the endpoint itself reaches.

    Over the indexes that both answer; F1 is the same whichever of the two is the reference.
    """
    found = []
    for place, one in enumerate(references):
        for other in references[place + 1 :]:
            common = [index for index in one.triggered if index in other.triggered]
            pairs = Counter((one.triggered[index], other.triggered[index]) for index in common)
            estimate = f1_estimate(
                pairs[True, True], pairs[False, True], pairs[True, False], confidence=confidence
            )
            if estimate is not None:
                found.append(estimate)
    return tuple(found)


def run_as_reference(rows: pd.DataFrame, name: str) -> Reference:
    """Return a run as the reference of another: baseline against candidate, or a run against its repeat.

    A request whose responses disagree, one of them calling and another not, is no reference and left out.
    """
    shares = tool_call_rows(rows).groupby("sample_id")["triggered"].mean()
    settled = shares[shares.isin([0.0, 1.0])]
    return Reference(
        name=name,
        model=None,
        triggered={str(index): bool(share) for index, share in settled.items()},
        contradicting=_ordered(str(index) for index in shares.index.difference(settled.index)),
    )


def _ordered(indexes: Iterable[str]) -> tuple[str, ...]:
    """Return the indexes in the order of their numbers, words after them."""
    return tuple(sorted(indexes, key=lambda index: (not index.isdecimal(), len(index), index)))
