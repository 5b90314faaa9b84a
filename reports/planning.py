"""Plan one task's comparison: from assumptions or a measured baseline to chances, epochs and tokens."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from reports import numbers
from reports.arm import item_arm
from reports.default_power import DEFAULT_NOISE
from reports.power import (
    POWER,
    Epochs,
    Noise,
    Plan,
    chance_of_pass,
    chance_of_regression,
    noise_from_baseline,
    plan,
)
from reports.power_text import wider_margin
from reports.run_files import TaskRun
from reports.tolerance import Tolerance

LOSSES = (0.0, 0.5, 1.0, 2.0, 3.0)  # in margins
PUBLISHED = "published runs"


@dataclass(frozen=True, kw_only=True)
class Basis:
    """The noise a plan rests on and where it comes from.

    ``mean_tokens`` are a response's output tokens where a baseline tells them.
    """

    source: str
    noise: Noise
    mean_tokens: float | None = None
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Chance:
    """What a true ``loss`` (score units) would bring."""

    loss: float
    of_pass: float
    of_regression: float


@dataclass(frozen=True, kw_only=True)
class Way:
    """A way to a chance of 80 %: epochs of each side, and the tokens it costs beyond the plan."""

    name: str
    epochs: Epochs
    more_tokens: int


@dataclass(frozen=True, kw_only=True)
class TaskPlan:
    """What one task's budget can decide, and the ways to decide enough, the cheapest first."""

    task: str
    tolerance: Tolerance
    basis: Basis
    plan: Plan
    chances: tuple[Chance, ...]
    ways: tuple[Way, ...]

    @property
    def warning(self) -> str | None:
        """Say what the budget cannot decide and the cheapest way out; ``None`` where it decides enough."""
        if not self.plan.is_underpowered:
            return None
        margin, chance = numbers.margin_points(self.plan.margin), numbers.percent(self.plan.pass_chance, 0)
        shortfall = f"{self.task}: equal checkpoints pass a margin of {margin} with only {chance}"
        if not self.ways:
            return f"{shortfall}; no number of epochs will do{wider_margin(self.plan, ': ')}"
        enough = numbers.percent(POWER, 0)
        wider = wider_margin(self.plan, ", or ")
        return f"{shortfall}; {describe_way(self.ways[0])} would bring {enough}{wider}"


def published_basis(task: str, n_items: int) -> Basis | None:
    """Return the noise of published runs of a task over so many items, ``None`` for a task without."""
    noise = DEFAULT_NOISE.get(task)
    return None if noise is None else Basis(source=PUBLISHED, noise=replace(noise, n_items=n_items))


def measured_basis(task: str, run: TaskRun, n_items: int) -> Basis | None:
    """Return the noise that a baseline shows; one epoch does not tell its own, published noise serves then.

    Without either the noise of coin tosses of its accuracy, an upper bound. ``None`` for a run without scores.
    """
    arm, source = item_arm(run.frame), f"baseline {run.facts.label}"
    tokens = mean_tokens(run.frame)
    if arm is None:
        return None
    noise = noise_from_baseline(arm)
    if noise is not None:
        return Basis(source=source, noise=replace(noise, n_items=n_items), mean_tokens=tokens)
    published = published_basis(task, n_items)
    if published is not None:
        note = f"{source}: one epoch does not tell the noise within items, that of {PUBLISHED} is assumed"
        return replace(published, mean_tokens=tokens, note=note)
    spread = max(arm.accuracy * (1 - arm.accuracy), 1 / (4 * arm.n_items))
    noise = Noise(n_items=n_items, accuracy=arm.accuracy, within_baseline=spread, within_candidate=spread)
    note = f"{source}: one epoch does not tell the noise within items, the largest possible is assumed"
    return Basis(source=source, noise=noise, mean_tokens=tokens, note=note)


def mean_tokens(frame: pd.DataFrame) -> float | None:
    """Return the mean output tokens of a run's responses, ``None`` where none is known."""
    known = frame["output_tokens"].dropna()
    return float(known.mean()) if len(known) else None


def baseline_epochs(run: TaskRun) -> int:
    """Return the epochs of a baseline."""
    return int(run.frame["epoch"].nunique())


def plan_task(
    task: str,
    basis: Basis,
    epochs: Epochs,
    tolerance: Tolerance,
    *,
    tokens_per_response: float,
    confidence: float = 0.95,
) -> TaskPlan:
    """Return what ``epochs`` decide at the tolerated loss of ``tolerance``, and what would do better."""
    margin = tolerance.margin_at(basis.noise.accuracy)
    found = plan(basis.noise, epochs, margin, confidence=confidence)
    chances = [
        _chance(basis.noise, epochs, margin, loss, confidence)
        for loss in dict.fromkeys(share * margin for share in LOSSES)
    ]
    per_epoch = basis.noise.n_items * tokens_per_response
    return TaskPlan(
        task=task,
        tolerance=tolerance,
        basis=basis,
        plan=found,
        chances=tuple(chances),
        ways=_ways(found, per_epoch),
    )


def _chance(noise: Noise, epochs: Epochs, margin: float, loss: float, confidence: float) -> Chance:
    """Return the chances of a verdict; of a false one at most what the interval's confidence allows."""
    of_pass = chance_of_pass(noise, epochs, margin, loss, confidence)
    of_regression = chance_of_regression(noise, epochs, margin, loss, confidence)
    error = (1 - confidence) / 2
    return Chance(
        loss=loss,
        of_pass=of_pass if loss < margin else min(of_pass, error),
        of_regression=of_regression if loss > margin else min(of_regression, error),
    )


def _ways(found: Plan, tokens_per_epoch: float) -> tuple[Way, ...]:
    """Return the ways to enough power, cheapest first; of two that cost the same the baseline's."""
    now = found.epochs
    needed = {
        "baseline": found.baseline_needed and replace(now, baseline=found.baseline_needed),
        "candidate": found.candidate_needed and replace(now, candidate=found.candidate_needed),
        "both": found.both_needed and Epochs(baseline=found.both_needed, candidate=found.both_needed),
    }
    ways = [
        Way(name=name, epochs=epochs, more_tokens=round(_more_epochs(now, epochs) * tokens_per_epoch))
        for name, epochs in needed.items()
        if epochs
    ]
    return tuple(sorted(ways, key=lambda way: way.more_tokens))


def _more_epochs(now: Epochs, then: Epochs) -> int:
    return max(then.baseline - now.baseline, 0) + max(then.candidate - now.candidate, 0)


def describe_way(way: Way) -> str:
    """Return a way as words: ``71 epochs of the baseline (1.2 M more tokens, once for all candidates)``."""
    more = f"{way.more_tokens / 1e6:,.3g} M more tokens"
    if way.name == "baseline":
        return f"{_epochs(way.epochs.baseline)} of the baseline ({more}, once for all candidates)"
    if way.name == "candidate":
        return f"{_epochs(way.epochs.candidate)} of the candidate ({more})"
    return f"{_epochs(way.epochs.candidate)} a side ({more})"


def power_section(found: TaskPlan) -> dict[str, Any]:
    """Return the plan as plain JSON values (``power`` in ``plan --json``)."""
    basis, done = found.basis, found.plan
    noise = basis.noise
    ways: Mapping[str, Way] = {way.name: way for way in found.ways}
    return {
        "margin": done.margin,
        "margin_source": found.tolerance.source,
        "epochs": {"baseline": done.epochs.baseline, "candidate": done.epochs.candidate},
        "assumed": {
            "source": basis.source,
            "n_items": noise.n_items,
            "accuracy": noise.accuracy,
            "variance_within_items": noise.within_baseline,
            "note": basis.note,
        },
        "pass_chance": done.pass_chance,
        "regression_chance": done.regression_chance,
        "chances": [
            {"loss": chance.loss, "pass": chance.of_pass, "regression": chance.of_regression}
            for chance in found.chances
        ],
        "smallest_visible_loss": done.smallest_visible_loss,
        "smallest_margin": done.smallest_margin,
        "underpowered": done.is_underpowered,
        "epochs_needed": {
            "both": done.both_needed,
            "candidate": done.candidate_needed,
            "baseline": done.baseline_needed,
        },
        "more_tokens_needed": {
            name: ways[name].more_tokens if name in ways else None
            for name in ("both", "candidate", "baseline")
        },
        "cheapest": found.ways[0].name if done.is_underpowered and found.ways else None,
        "advice": found.warning,
    }


def _epochs(number: int) -> str:
    return f"{number} epoch{'s' * (number != 1)}"
