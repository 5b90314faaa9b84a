"""Two score tables joined by item: what both sides scored, and what is missing on either."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from reports.arm import Arm, IntArray, arm_from_scores
from reports.intervals import FloatArray

COLUMNS = ("sample_id", "epoch", "score")


class ScoreError(ValueError):
    """A score table that cannot be read as scores: a column, a value or a row is wrong."""


class NoCommonItemsError(ValueError):
    """No item has a score on both sides, so there is nothing to compare."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One checkpoint's responses: item code (into the pairing's ``item_ids``), score (NaN = missing), epoch.

    Epochs are numbered from 0 in their order; -1 for a response that only ``filled`` supposes.
    """

    codes: IntArray
    scores: FloatArray
    epochs: IntArray
    n_epochs: int

    def scored(self, n_items: int) -> IntArray:
        """Count the scored responses of every item."""
        return np.bincount(self.codes[np.isfinite(self.scores)], minlength=n_items).astype(np.int64)

    def filled(self, n_items: int, score: float) -> "Side":
        """Return this side with every missing response of the item-by-epoch grid given ``score``."""
        finite = np.isfinite(self.scores)
        absent = np.repeat(np.arange(n_items), np.maximum(self.n_epochs - self.scored(n_items), 0))
        return Side(
            codes=np.concatenate([self.codes[finite], absent]),
            scores=np.concatenate([self.scores[finite], np.full(len(absent), score)]),
            epochs=np.concatenate([self.epochs[finite], np.full(len(absent), -1)]),
            n_epochs=self.n_epochs,
        )


class KeptScores(NamedTuple):
    """Scored responses of one side: position of the item among the kept ones, score, epoch."""

    items: IntArray
    scores: FloatArray
    epochs: IntArray


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Both sides over the union of their items; the arms hold the items scored on both."""

    item_ids: tuple[str, ...]
    baseline: Side
    candidate: Side

    @cached_property
    def kept(self) -> IntArray:
        """Codes of the items with a score on both sides, ascending."""
        n = len(self.item_ids)
        return np.flatnonzero((self.baseline.scored(n) > 0) & (self.candidate.scored(n) > 0))

    @cached_property
    def kept_ids(self) -> tuple[str, ...]:
        """Ids of the items with a score on both sides."""
        return tuple(self.item_ids[code] for code in self.kept)

    @cached_property
    def baseline_arm(self) -> Arm:
        """The baseline over the kept items."""
        return self._arm(self.baseline)

    @cached_property
    def candidate_arm(self) -> Arm:
        """The candidate over the kept items."""
        return self._arm(self.candidate)

    @cached_property
    def differences(self) -> FloatArray:
        """Candidate mean - baseline mean of every kept item."""
        return self.candidate_arm.means - self.baseline_arm.means

    @cached_property
    def is_replicated(self) -> bool:
        """Say whether both arms show their noise within items (two or more epochs each)."""
        return self.baseline_arm.is_replicated and self.candidate_arm.is_replicated

    @cached_property
    def is_binary(self) -> bool:
        """Say whether every score is 0 or 1."""
        scores = np.concatenate([self.baseline.scores, self.candidate.scores])
        return bool(np.isin(scores[np.isfinite(scores)], (0.0, 1.0)).all())

    def rescored(self, baseline: FloatArray, candidate: FloatArray) -> "Pairing":
        """Return the same responses with other scores (in the order of the tables' rows, NaN = missing).

        Raises ``NoCommonItemsError`` when no item has one on both sides.
        """
        pairing = Pairing(
            item_ids=self.item_ids,
            baseline=replace(self.baseline, scores=baseline),
            candidate=replace(self.candidate, scores=candidate),
        )
        if len(pairing.kept) == 0:
            raise NoCommonItemsError("scores: no item has one on both sides; nothing to compare")
        return pairing

    def kept_scores(self, side: Side) -> "KeptScores":
        """Return one side's scored responses on the kept items."""
        position = np.full(len(self.item_ids), -1)
        position[self.kept] = np.arange(len(self.kept))
        codes = position[side.codes]
        use = np.isfinite(side.scores) & (codes >= 0)
        return KeptScores(items=codes[use], scores=side.scores[use], epochs=side.epochs[use])

    def _arm(self, side: Side) -> Arm:
        scored = self.kept_scores(side)
        return arm_from_scores(scored.items, scored.scores, len(self.kept))


def pair_scores(baseline: pd.DataFrame, candidate: pd.DataFrame) -> Pairing:
    """Join two score tables by ``sample_id``; row order and extra columns do not matter.

    Raises ``ScoreError`` for a table that is not one task's scores and ``NoCommonItemsError`` when no item is
    scored on both sides.
    """
    for name, table in (("baseline", baseline), ("candidate", candidate)):
        _check_rows(name, table)
    ids = pd.concat([baseline["sample_id"], candidate["sample_id"]], ignore_index=True).astype(str)
    codes, unique = pd.factorize(ids, sort=True)
    split = len(baseline)
    pairing = Pairing(
        item_ids=tuple(unique),
        baseline=_side("baseline", baseline, codes[:split]),
        candidate=_side("candidate", candidate, codes[split:]),
    )
    if len(pairing.kept) == 0:
        raise NoCommonItemsError(
            _nothing_shared(baseline, candidate, set(codes[:split]) & set(codes[split:]))
        )
    return pairing


def _nothing_shared(baseline: pd.DataFrame, candidate: pd.DataFrame, shared: set[int]) -> str:
    if not shared:
        names = f"{_first_id(baseline)} against {_first_id(candidate)}"
        return f"scores: no item is on both sides ({names}); compare runs of the same dataset"
    empty = [
        name
        for name, table in (("baseline", baseline), ("candidate", candidate))
        if not table["score"].notna().any()
    ]
    where = f": the {' and the '.join(empty)} has no score at all" if empty else ""
    return (
        f"scores: {len(shared):,} items are on both sides and none is scored on both{where}; run them again"
    )


def _side(name: str, table: pd.DataFrame, codes: IntArray) -> Side:
    epochs, unique = pd.factorize(table["epoch"], sort=True)
    return Side(
        codes=codes.astype(np.int64),
        scores=_scores(name, table),
        epochs=epochs.astype(np.int64),
        n_epochs=len(unique),
    )


def _check_rows(name: str, table: pd.DataFrame) -> None:
    absent = [column for column in COLUMNS if column not in table.columns]
    if absent:
        raise ScoreError(f"{name}: no column {absent[0]!r}; expected {', '.join(COLUMNS)}")
    for column in ("sample_id", "epoch"):
        empty = np.flatnonzero(table[column].isna())
        if len(empty):
            raise ScoreError(f"{name}: row {empty[0] + 1} has no {column}; every response needs one")
    keys = pd.DataFrame({"sample_id": table["sample_id"].astype(str), "epoch": table["epoch"]})
    repeated = keys.duplicated()
    if repeated.any():
        sample, epoch = keys[repeated].iloc[0]
        raise ScoreError(
            f"{name}: {int(repeated.sum())} responses are repeats (first: sample {sample!r}, epoch {epoch}); "
            "expected one row per sample and epoch"
        )
    if "task" in table.columns and table["task"].nunique() > 1:
        raise ScoreError(f"{name}: tasks {sorted(map(str, table['task'].unique()))}; expected one task")


def _scores(name: str, table: pd.DataFrame) -> FloatArray:
    try:
        scores = pd.to_numeric(table["score"]).to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise ScoreError(f"{name}: a score is not a number ({error}); expected 0 to 1 or empty") from error
    wrong = np.flatnonzero(~np.isnan(scores) & ~((scores >= 0) & (scores <= 1)))
    if len(wrong):
        sample = table["sample_id"].iloc[wrong[0]]
        raise ScoreError(
            f"{name}: score {scores[wrong[0]]} of sample {sample!r}; expected a fraction from 0 to 1 or empty"
        )
    return scores


def _first_id(table: pd.DataFrame) -> str:
    return repr(str(table["sample_id"].iloc[0])) if len(table) else "no rows"
