"""Whether the replicas of one checkpoint answer alike: each one's figures, and a test within items.

The items are strata, since chance and not difficulty decides which replica answers. Two replicas of right
and wrong answers are tested exactly (Cochran-Mantel-Haenszel, mid-p), others by shuffling the replicas'
names within items; with very many responses the chi-squared distribution serves.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from reports.arm import IntArray, item_arm
from reports.drift import BlockTest, compare_blocks, within_items
from reports.intervals import Estimate, FloatArray
from reports.manifest import TOGETHER
from reports.permutation import MAX_SHUFFLED, exact_test
from reports.replica_mark import replica_of_error
from reports.speed import Speed, speed_of

LEVEL = 0.05  # equal replicas are flagged this often
CAUTION = "replicas differ: mixed fleet?"
N_SHUFFLES = 1_999
BATCH = 500_000  # scores shuffled at once
SLACK = 1e-9  # relative distance within which two statistics are equal


@dataclass(frozen=True, kw_only=True)
class ReplicaFigures:
    """What one replica answered; ``effect`` is its mean score minus what its items score on average.

    ``errors`` counts responses given up there, ``failed_attempts`` every try that failed there. ``effect``
    is ``None`` where it shares no item with another replica's scored responses.
    """

    name: str
    n_responses: int
    truncated: int
    errors: int
    failed_attempts: int
    accuracy: Estimate | None
    effect: float | None
    speed: Speed


@dataclass(frozen=True, kw_only=True)
class Replicas:
    """The replicas of a run side by side; ``test`` is ``None`` where fewer than two have scored responses."""

    figures: tuple[ReplicaFigures, ...]
    test: BlockTest | None


def replicas_of(rows: pd.DataFrame, endpoint: Mapping[str, Any], confidence: float) -> Replicas | None:
    """Return the figures of every replica that the rows or the manifest name, ``None`` where there is one at most.

    ``endpoint`` is the manifest's: it names those too that answered nothing. Servers of a run that named one
    at a time are no replicas (:func:`named_together`).
    """
    rows = named_together(rows, endpoint)
    failed_at = rows["error"].dropna().astype(str).map(replica_of_error).dropna()
    attempts = rows["failed_replicas"].dropna().astype(str).str.split(";").explode()
    errors, failed = failed_at.value_counts(), attempts.value_counts()
    answered = rows["replica"].dropna().astype(str)
    used = [str(entry.get("base_url")) for entry in _entries(endpoint) if not entry.get("problem")]
    names = sorted({*used, *answered, *errors.index, *failed.index})
    if len(names) < 2:
        return None
    test = compare_replicas(rows)
    effects = dict(zip(test.names, test.effects, strict=True)) if test is not None else {}
    figures = []
    for name in names:
        own = rows.loc[answered.index[answered == name]]
        figures.append(
            ReplicaFigures(
                name=name,
                n_responses=len(own),
                truncated=int((own["outcome"] == "truncated").sum()),
                errors=int(errors.get(name, 0)),
                failed_attempts=int(failed.get(name, 0)) + int(errors.get(name, 0)),
                accuracy=_accuracy(own, confidence),
                effect=effects.get(name),
                speed=speed_of(own),
            )
        )
    return Replicas(figures=tuple(figures), test=test)


def named_together(rows: pd.DataFrame, endpoint: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows with the ``replica`` of those only that some start of the run named beside others.

    A run whose one server moved to another address between two starts has no replicas to compare. Rows of a
    file that does not know its run's endpoint stay as they are.
    """
    if "base_url" not in endpoint:
        return rows
    listed = endpoint.get(TOGETHER)
    known = listed if isinstance(listed, list) else [entry.get("base_url") for entry in _entries(endpoint)]
    return rows.assign(replica=rows["replica"].where(rows["replica"].isin(known)))


def compare_replicas(rows: pd.DataFrame) -> BlockTest | None:
    """Test whether replicas score alike on the same items, ``None`` with fewer than two of them.

    ``p_value`` is exact or of shuffles; the statistic is that of chi-squared in any case.
    """
    found = compare_blocks(rows, "replica")
    if found is None or not found.df:
        return found
    used = rows[rows["score"].notna() & rows["replica"].notna()]
    blocks, names = pd.factorize(used["replica"], sort=True)
    items, _ = pd.factorize(used["sample_id"].astype(str), sort=True)  # shuffles must not depend on the order
    scores = used["score"].to_numpy(dtype=np.float64)
    if len(names) == 2 and np.isin(scores, (0.0, 1.0)).all():
        return replace(found, p_value=_exact_p(items, blocks, scores.astype(np.int64)))
    shuffled = _shuffled_p(items, blocks, scores, len(names))
    return found if shuffled is None else replace(found, p_value=shuffled)


def are_unlike(test: BlockTest | None) -> bool:
    """Return whether a test of replicas says that they differ, at :data:`LEVEL`."""
    return test is not None and test.p_value < LEVEL


def _exact_p(items: IntArray, blocks: IntArray, right: IntArray) -> float:
    n_items = int(items.max()) + 1
    total, n_right = (
        np.bincount(items, minlength=n_items),
        np.bincount(items, right, n_items).astype(np.int64),
    )
    second = blocks == 1
    taken = np.bincount(items[second], minlength=n_items)
    taken_right = np.bincount(items[second], right[second], n_items).astype(np.int64)
    shared = (taken > 0) & (taken < total)
    return exact_test(taken_right[shared], taken[shared], n_right[shared], total[shared]).mid_p


def _shuffled_p(items: IntArray, blocks: IntArray, scores: FloatArray, n_blocks: int) -> float | None:
    """Return the mid-p of shuffles within items, ``None`` where there are too many responses to shuffle."""
    found = within_items(items, blocks, scores, n_blocks)
    spread = np.bincount(items, weights=found.residuals**2)
    use = spread[items] > 0
    if use.sum() * N_SHUFFLES > MAX_SHUFFLED:
        return None
    order = np.lexsort((blocks[use], scores[use], items[use]))  # the order of the rows must not matter
    codes, residuals, labels = items[use][order], found.residuals[use][order], blocks[use][order]
    is_of = (labels[:, None] == np.arange(n_blocks)).astype(np.float64)
    rng = np.random.default_rng(0)
    batch = max(1, BATCH // len(codes))
    values = []
    for start in range(0, N_SHUFFLES, batch):
        keys = rng.random((min(batch, N_SHUFFLES - start), len(codes))) + codes
        values.append(found.statistics(residuals[np.argsort(keys, axis=1)] @ is_of))
    return _mid_p(np.concatenate(values), float(found.statistics(found.sums)))


def _mid_p(values: FloatArray, observed: float) -> float:
    slack = SLACK * max(1.0, observed)
    beyond, tied = values > observed + slack, np.abs(values - observed) <= slack
    return float(beyond.sum() + tied.sum() / 2 + 1) / (len(values) + 1)


def _accuracy(rows: pd.DataFrame, confidence: float) -> Estimate | None:
    arm = item_arm(rows)
    return None if arm is None else Estimate(value=arm.accuracy, interval=arm.interval(confidence))


def dead_entries(endpoint: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the replicas that could not be used when the run started, each with what was wrong with it."""
    return [
        {"base_url": str(entry.get("base_url")), "problem": str(entry["problem"])}
        for entry in _entries(endpoint)
        if entry.get("problem")
    ]


def _entries(endpoint: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed = endpoint.get("replicas")
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
