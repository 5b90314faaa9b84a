"""Count one side's responses: by outcome, by epoch, against what the run set out to get."""

import numpy as np
import pandas as pd

from reports.best_of import KS, majority_accuracy, mean_pass_at, right_counts
from reports.replica_comparison import compare_replicas
from reports.replicas import named_together
from reports.report import Counts, EpochCount, SideReport
from reports.score_table import OUTCOMES, TaskFacts
from reports.server_starts import compare_starts
from reports.speed import speed_of


def side_report(facts: TaskFacts, frame: pd.DataFrame) -> SideReport:
    """Return the counts of one side of one task from its rows."""
    pass_at = _pass_at(frame)
    return SideReport(
        facts=facts,
        n_items=int(frame["sample_id"].nunique()),
        epochs=int(frame["epoch"].nunique()),
        counts=count_outcomes(frame, facts.expected),
        per_epoch=count_epochs(frame),
        replicas=compare_replicas(named_together(frame, facts.endpoint)),
        pass_at=pass_at,
        majority=majority_accuracy(frame) if pass_at and frame["answer"].notna().any() else None,
        speed=speed_of(frame, facts.client),
        starts=compare_starts(frame, facts.starts),
    )


def _pass_at(frame: pd.DataFrame) -> dict[int, float]:
    """Return pass@k for k = 2, 4, 8 ... up to the epochs; empty where scores are not right or wrong."""
    counts = right_counts(frame)
    if counts is None:
        return {}
    n_epochs = int(frame["epoch"].nunique())
    chances = {k: mean_pass_at(counts, k) for k in KS if k <= n_epochs}
    return {k: chance for k, chance in chances.items() if chance is not None}


def count_outcomes(frame: pd.DataFrame, expected: int | None) -> Counts:
    """Count the rows by outcome; a source that does not say what it expected expected its rows."""
    outcomes = frame["outcome"].value_counts()
    counts = {name: int(outcomes.get(name, 0)) for name in OUTCOMES}
    return Counts(
        expected=max(expected or 0, len(frame)),
        scored=int(frame["score"].notna().sum()),
        correct=counts["correct"],
        incorrect=counts["incorrect"],
        no_answer=counts["no_answer"],
        truncated=counts["truncated"],
        errors=counts["error"],
    )


def count_epochs(frame: pd.DataFrame) -> tuple[EpochCount, ...]:
    """Count each epoch's correct and scored responses, in order of epoch."""
    scores = frame["score"].to_numpy()
    scored = ~np.isnan(scores)
    epochs, index = np.unique(frame["epoch"].to_numpy(), return_inverse=True)
    n = np.bincount(index, weights=scored, minlength=len(epochs))
    correct = np.bincount(
        index, weights=scored & (frame["outcome"] == "correct").to_numpy(), minlength=len(epochs)
    )
    total = np.bincount(index, weights=np.where(scored, scores, 0.0), minlength=len(epochs))
    return tuple(
        EpochCount(epoch=int(epochs[i]), correct=int(correct[i]), n=int(n[i]), mean=float(total[i] / n[i]))
        for i in range(len(epochs))
        if n[i] > 0
    )
