"""How responses ended and looked, compared as rates: truncated, without an answer, loops, every flag."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from reports.intervals import Estimate, FloatArray
from reports.multiplicity import benjamini_hochberg
from reports.paired_intervals import headline_interval
from reports.pairing import NoCommonItemsError, Pairing
from reports.permutation import exact_test_of

BoolArray = npt.NDArray[np.bool_]
TRUNCATED = "truncated"
NO_ANSWER = "no_answer"
ERROR = "error"
# How servers name a response that the token budget ended.
TRUNCATING_STOPS = ("max_tokens", "length", "model_length")
FLAG_SEPARATOR = ";"


@dataclass(frozen=True, kw_only=True)
class Signal:
    """The rate of one sign on both sides; ``delta`` is candidate - baseline, ``q_value`` over all signs."""

    name: str
    baseline: float
    candidate: float
    delta: Estimate
    p_value: float
    q_value: float

    @property
    def is_more(self) -> bool:
        """Say whether the candidate surely shows it more often."""
        return self.delta.interval.low > 0


def compare_signals(
    pairing: Pairing, baseline: pd.DataFrame, candidate: pd.DataFrame, *, confidence: float = 0.95
) -> tuple[Signal, ...]:
    """Compare every sign that either side shows, by items as accuracy is; fixed names first, then flags.

    ``pairing`` is that of the two tables. A response that failed has no sign but ``error``; signs whose
    column is absent are left out.
    """
    signs = [_signs(table) for table in (baseline, candidate)]
    failed = [_failed(table) for table in (baseline, candidate)]
    found = []
    for name in dict.fromkeys([*signs[0], *signs[1]]):
        shown = [_rates(side.get(name), lost, name) for side, lost in zip(signs, failed, strict=True)]
        signal = _compare(name, pairing, shown[0], shown[1], confidence)
        if signal is not None and (signal.baseline > 0 or signal.candidate > 0):
            found.append(signal)
    q_values = benjamini_hochberg([signal.p_value for signal in found])
    return tuple(replace(signal, q_value=q) for signal, q in zip(found, q_values, strict=True))


def is_truncated(table: pd.DataFrame) -> pd.Series:
    """Return which responses the token budget ended; all false where the table does not say."""
    truncated = pd.Series(False, index=table.index)
    if "outcome" in table.columns:
        truncated |= table["outcome"].isin([TRUNCATED])
    if "stop_reason" in table.columns:
        truncated |= table["stop_reason"].isin(TRUNCATING_STOPS)
    return truncated


def _signs(table: pd.DataFrame) -> dict[str, BoolArray]:
    signs: dict[str, BoolArray] = {}
    if {"outcome", "stop_reason"} & set(table.columns):
        signs[TRUNCATED] = is_truncated(table).to_numpy(dtype=bool)
    if "outcome" in table.columns:
        for outcome in (NO_ANSWER, ERROR):
            signs[outcome] = table["outcome"].isin([outcome]).to_numpy(dtype=bool)
    return signs | (_flags(table["flags"]) if "flags" in table.columns else {})


def _rates(sign: BoolArray | None, failed: BoolArray, name: str) -> FloatArray:
    """Return the sign as scores: 1 where shown, missing where the response failed."""
    shown = np.zeros(len(failed)) if sign is None else sign.astype(np.float64)
    return shown if name == ERROR else np.where(failed, np.nan, shown)


def _failed(table: pd.DataFrame) -> BoolArray:
    if "outcome" not in table.columns:
        return table["score"].isna().to_numpy(dtype=bool)
    return table["outcome"].isin([ERROR]).to_numpy(dtype=bool)


def _compare(
    name: str, pairing: Pairing, baseline: FloatArray, candidate: FloatArray, confidence: float
) -> Signal | None:
    try:
        pairing = pairing.rescored(baseline, candidate)
    except NoCommonItemsError:
        return None
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    interval = headline_interval(base, cand, confidence)
    return Signal(
        name=name,
        baseline=base.accuracy,
        candidate=cand.accuracy,
        delta=Estimate(value=cand.accuracy - base.accuracy, interval=interval),
        p_value=exact_test_of(base, cand).mid_p,
        q_value=1.0,
    )


def _flags(column: pd.Series) -> dict[str, BoolArray]:
    """Return every flag in alphabetical order, and which responses carry it."""
    codes, texts = pd.factorize(column)
    sets = [{part.strip() for part in str(text).split(FLAG_SEPARATOR)} for text in texts]
    names = sorted(set().union(*sets) - {""})
    # an empty column has code -1, the last place
    return {name: np.array([*(name in flags for flags in sets), False])[codes] for name in names}
