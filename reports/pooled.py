"""One index over several tasks: a weighted mean of their deltas, never of their samples."""

import math
from collections.abc import Mapping

from reports.intervals import Estimate, Interval


def pooled_delta(deltas: Mapping[str, Estimate], weights: Mapping[str, float] | None = None) -> Estimate:
    """Combine the tasks' deltas by square-and-add of each one's distances to its limits (MOVER).

    ``weights`` defaults to equal ones and is scaled to sum to 1. Raises ``ValueError`` for no task, a task
    without a weight, a negative weight or intervals of differing confidence.
    """
    shares = _shares(deltas, weights)
    confidences = {delta.interval.confidence for delta in deltas.values()}
    if len(confidences) > 1:
        raise ValueError(f"pooled index: confidences {sorted(confidences)}; expected one for all tasks")
    value = math.fsum(shares[task] * delta.value for task, delta in deltas.items())
    below = [shares[task] * (delta.value - delta.interval.low) for task, delta in deltas.items()]
    above = [shares[task] * (delta.interval.high - delta.value) for task, delta in deltas.items()]
    interval = Interval(
        low=max(value - math.hypot(*below), -1.0),
        high=min(value + math.hypot(*above), 1.0),
        confidence=confidences.pop(),
        method="mover-pooled",
    )
    return Estimate(value=value, interval=interval)


def _shares(deltas: Mapping[str, Estimate], weights: Mapping[str, float] | None) -> dict[str, float]:
    if not deltas:
        raise ValueError("pooled index: no task; expected at least one")
    given = dict.fromkeys(deltas, 1.0) if weights is None else dict(weights)
    for task in deltas:
        if task not in given:
            raise ValueError(f"pooled index: no weight for {task!r}; give every task one")
        if not (math.isfinite(given[task]) and given[task] >= 0):
            raise ValueError(f"pooled index: weight {given[task]} of {task!r}; expected 0 or more")
    total = math.fsum(given[task] for task in deltas)
    if total <= 0:
        raise ValueError("pooled index: weights sum to 0; expected at least one above 0")
    return {task: given[task] / total for task in deltas}
