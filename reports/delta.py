"""The difference of two checkpoints on one task: candidate - baseline, with everything known about it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from reports.arm import Arm
from reports.flips import Flips, RegressedItem, count_flips, regressed_items
from reports.intervals import Estimate, FloatArray, Interval
from reports.paired_intervals import headline_interval, population_interval, recovery
from reports.pairing import Pairing, Side, pair_scores
from reports.permutation import PermutationTest, exact_test_of, shuffle_test

FEW_ITEMS = 10


@dataclass(frozen=True, kw_only=True)
class SideEstimate:
    """One checkpoint over the items both sides scored.

    ``interval`` is for exactly these items, ``population`` for items like these (``None`` for one item).
    ``missing`` counts the responses of the side's own item-by-epoch grid without a score, over ``expected``.
    ``if_missing_wrong`` is the accuracy over that grid with every missing response scored 0.
    """

    accuracy: float
    interval: Interval
    population: Interval | None
    item_error: float | None
    epochs: int
    scored: int
    expected: int
    missing: int
    if_missing_wrong: float


@dataclass(frozen=True, kw_only=True)
class Delta:
    """Candidate - baseline on one task.

    ``interval`` (the headline) is for exactly these items, ``population`` for items like these. ``method``
    is ``mover-wilson`` with two or more epochs on both sides, else ``scaled-tango``: paired, an upper bound
    on the uncertainty for these items. ``item_error`` is the standard error from the paired item
    differences. ``recovery`` is candidate / baseline, ``None`` for a baseline of 0. ``overlap`` is the
    smaller share of a side's items that the other has too; ``unscored`` are on both sides without a score on
    one of them. The last two are the headline had every response missing on that side been wrong (the other
    side's missing left out), ``None`` where none is missing.
    """

    n_items: int
    baseline: SideEstimate
    candidate: SideEstimate
    value: float
    interval: Interval
    population: Interval | None
    item_error: float | None
    test: PermutationTest
    recovery: Estimate | None
    flips: Flips
    regressed: tuple[RegressedItem, ...]
    only_baseline: tuple[str, ...]
    only_candidate: tuple[str, ...]
    unscored: tuple[str, ...]
    overlap: float
    warnings: tuple[str, ...]
    if_candidate_missing_wrong: Interval | None
    if_baseline_missing_wrong: Interval | None

    @property
    def method(self) -> str:
        """Name the headline's method."""
        return self.interval.method

    @property
    def estimate(self) -> Estimate:
        """The delta and its headline interval."""
        return Estimate(value=self.value, interval=self.interval)

    @property
    def p_value(self) -> float:
        """Two-sided p of 'no difference' (mid-p of the exact test within items)."""
        return self.test.mid_p


def paired_delta(
    baseline: pd.DataFrame,
    candidate: pd.DataFrame,
    *,
    confidence: float = 0.95,
    rng: np.random.Generator | None = None,
) -> Delta:
    """Compare two score tables of one task: a row per response with ``sample_id``, ``epoch``, ``score``.

    Epochs are averaged within items first; a missing score (NaN) is left out, never 0. ``rng`` serves
    fractional scores only, whose p-value comes from shuffling (default: a fixed seed).

    Raises ``ScoreError`` and ``NoCommonItemsError`` (see ``pairing``).
    """
    return delta_of(pair_scores(baseline, candidate), confidence=confidence, rng=rng)


def delta_of(pairing: Pairing, *, confidence: float = 0.95, rng: np.random.Generator | None = None) -> Delta:
    """Compare two sides already joined."""
    base, cand = pairing.baseline_arm, pairing.candidate_arm
    base_ids, cand_ids = _present(pairing.baseline), _present(pairing.candidate)
    both = base_ids & cand_ids
    return Delta(
        n_items=len(pairing.kept),
        baseline=_side_estimate(pairing, pairing.baseline, base, confidence),
        candidate=_side_estimate(pairing, pairing.candidate, cand, confidence),
        value=cand.accuracy - base.accuracy,
        interval=headline_interval(base, cand, confidence),
        population=population_interval(base, cand, confidence),
        item_error=_item_error(pairing.differences),
        test=_test(pairing, rng),
        recovery=recovery(base, cand, confidence),
        flips=count_flips(pairing, confidence),
        regressed=regressed_items(pairing),
        only_baseline=_names(pairing, base_ids - cand_ids),
        only_candidate=_names(pairing, cand_ids - base_ids),
        unscored=_names(pairing, both - set(pairing.kept.tolist())),
        overlap=len(both) / max(len(base_ids), len(cand_ids)),
        warnings=_warnings(pairing),
        if_candidate_missing_wrong=_missing_wrong(pairing, "candidate", confidence),
        if_baseline_missing_wrong=_missing_wrong(pairing, "baseline", confidence),
    )


def _test(pairing: Pairing, rng: np.random.Generator | None) -> PermutationTest:
    if pairing.is_binary:
        return exact_test_of(pairing.baseline_arm, pairing.candidate_arm)
    generator = rng if rng is not None else np.random.default_rng(0)
    scored = [pairing.kept_scores(side) for side in (pairing.candidate, pairing.baseline)]
    return shuffle_test(scored[0].scores, scored[0].items, scored[1].scores, scored[1].items, generator)


def _item_error(differences: FloatArray) -> float | None:
    return float(np.std(differences, ddof=1) / np.sqrt(len(differences))) if len(differences) > 1 else None


def _side_estimate(pairing: Pairing, side: Side, arm: Arm, confidence: float) -> SideEstimate:
    own = np.unique(side.codes)
    scored = int(np.isfinite(side.scores).sum())
    expected = len(own) * side.n_epochs
    per_item = np.bincount(side.codes, weights=np.nan_to_num(side.scores), minlength=len(pairing.item_ids))
    return SideEstimate(
        accuracy=arm.accuracy,
        interval=arm.interval(confidence),
        population=arm.population(confidence),
        item_error=arm.item_error,
        epochs=side.n_epochs,
        scored=scored,
        expected=expected,
        missing=expected - scored,
        if_missing_wrong=float(per_item.sum() / expected),
    )


def _missing_wrong(
    pairing: Pairing, side: Literal["baseline", "candidate"], confidence: float
) -> Interval | None:
    """Return the headline with the side's missing responses, and items the other side alone has, scored 0."""
    own: Side = getattr(pairing, side)
    filled = own.filled(len(pairing.item_ids), 0.0)
    if len(filled.scores) == int(np.isfinite(own.scores).sum()):
        return None
    changed = {"baseline": pairing.baseline, "candidate": pairing.candidate, side: filled}
    supposed = Pairing(item_ids=pairing.item_ids, **changed)
    return headline_interval(supposed.baseline_arm, supposed.candidate_arm, confidence)


def _present(side: Side) -> set[int]:
    return set(np.unique(side.codes).tolist())


def _names(pairing: Pairing, codes: set[int]) -> tuple[str, ...]:
    return tuple(pairing.item_ids[code] for code in sorted(codes))


def _warnings(pairing: Pairing) -> tuple[str, ...]:
    found = []
    n = len(pairing.kept)
    if not pairing.is_replicated:
        found.append("one epoch on a side: the interval is paired, an upper bound for exactly these items")
        if n < FEW_ITEMS:
            found.append(f"{n} item{'s' * (n != 1)} at one epoch: the interval is rough; run more epochs")
    if n < 2:
        found.append("one item: nothing is known of items like it")
    return tuple(found)
