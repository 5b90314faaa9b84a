"""How responses ended and looked, compared as rates: truncated, without an answer, loops, every flag."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from reports.intervals import Estimate
from reports.multiplicity import benjamini_hochberg
from reports.paired_intervals import headline_interval
from reports.pairing import NoCommonItemsError, pair_scores
from reports.permutation import exact_test_of

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
    baseline: pd.DataFrame, candidate: pd.DataFrame, *, confidence: float = 0.95
) -> tuple[Signal, ...]:
    """Compare every sign that either side shows, by items as accuracy is; fixed names first, then flags.

    A response that failed has no sign but ``error``; signs whose column is absent are left out.
    """
    sides = [_signs(table) for table in (baseline, candidate)]
    found = []
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        frames = [
            _as_scores(table, name, signs.get(name))
            for table, signs in zip((baseline, candidate), sides, strict=True)
        ]
        signal = _compare(name, frames[0], frames[1], confidence)
        if signal is not None and (signal.baseline > 0 or signal.candidate > 0):
            found.append(signal)
    q_values = benjamini_hochberg([signal.p_value for signal in found])
    return tuple(replace(signal, q_value=q) for signal, q in zip(found, q_values, strict=True))


def is_truncated(table: pd.DataFrame) -> pd.Series:
    """Return which responses the token budget ended; all false where the table does not say."""
    truncated = pd.Series(False, index=table.index)
    if "outcome" in table.columns:
        truncated |= _texts(table["outcome"]) == TRUNCATED
    if "stop_reason" in table.columns:
        truncated |= _texts(table["stop_reason"]).isin(TRUNCATING_STOPS)
    return truncated


def _signs(table: pd.DataFrame) -> dict[str, pd.Series]:
    signs: dict[str, pd.Series] = {}
    if {"outcome", "stop_reason"} & set(table.columns):
        signs[TRUNCATED] = is_truncated(table)
    if "outcome" in table.columns:
        signs[NO_ANSWER] = _texts(table["outcome"]) == NO_ANSWER
        signs[ERROR] = _texts(table["outcome"]) == ERROR
    if "flags" in table.columns:
        for flag in _flag_names(table["flags"]):
            signs[flag] = _has_flag(table["flags"], flag)
    return signs


def _as_scores(table: pd.DataFrame, name: str, sign: pd.Series | None) -> pd.DataFrame:
    values = np.zeros(len(table)) if sign is None else sign.to_numpy(dtype=np.float64)
    if name != ERROR:
        values = np.where(_failed(table), np.nan, values)
    return pd.DataFrame(
        {"sample_id": table["sample_id"].to_numpy(), "epoch": table["epoch"].to_numpy(), "score": values}
    )


def _failed(table: pd.DataFrame) -> np.typing.NDArray[np.bool_]:
    if "outcome" not in table.columns:
        return table["score"].isna().to_numpy(dtype=bool)
    return (_texts(table["outcome"]) == ERROR).to_numpy(dtype=bool)


def _compare(name: str, baseline: pd.DataFrame, candidate: pd.DataFrame, confidence: float) -> Signal | None:
    try:
        pairing = pair_scores(baseline, candidate)
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


def _texts(column: pd.Series) -> pd.Series:
    return column.astype(object).where(column.notna(), "")


def _flag_names(column: pd.Series) -> list[str]:
    texts = column.dropna().astype(str).unique()
    return sorted({flag.strip() for text in texts for flag in text.split(FLAG_SEPARATOR) if flag.strip()})


def _has_flag(column: pd.Series, flag: str) -> pd.Series:
    texts = _texts(column)
    marked = {
        text: flag in [part.strip() for part in str(text).split(FLAG_SEPARATOR)] for text in texts.unique()
    }
    return texts.map(marked).astype(bool)
