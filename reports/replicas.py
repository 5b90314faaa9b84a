"""The replicas of one checkpoint side by side: what each answered, how well, and how often it failed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from reports.arm import item_arm
from reports.drift import BlockTest
from reports.intervals import Estimate
from reports.manifest import TOGETHER
from reports.replica_comparison import compare_replicas
from reports.replica_failures import failing
from reports.replica_mark import replica_of_error
from reports.speed import Speed, speed_of


@dataclass(frozen=True, kw_only=True)
class ReplicaFigures:
    """What one replica answered; ``effect`` is its mean score minus what its items score on average.

    ``errors`` counts responses given up there, ``failed_attempts`` every try that failed there;
    ``fails_more``: surely more of its tries than of the others'. ``effect`` is ``None`` where nothing of it can
    be held against another replica.
    """

    name: str
    n_responses: int
    truncated: int
    errors: int
    failed_attempts: int
    fails_more: bool
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
    n_failed = {name: int(failed.get(name, 0)) + int(errors.get(name, 0)) for name in names}
    n_answered = {name: int((answered == name).sum()) for name in names}
    fails_more = failing(n_failed, n_answered)
    figures = []
    for name in names:
        own = rows.loc[answered.index[answered == name]]
        figures.append(
            ReplicaFigures(
                name=name,
                n_responses=n_answered[name],
                truncated=int((own["outcome"] == "truncated").sum()),
                errors=int(errors.get(name, 0)),
                failed_attempts=n_failed[name],
                fails_more=name in fails_more,
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
