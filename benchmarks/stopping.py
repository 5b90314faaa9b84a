"""Simulated early-stopping campaigns: error kept, power paid and epochs saved, look by look."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from benchmarks.methods import Pair, Z, ours, pair_of
from benchmarks.shapes import SHAPES, Draws, FloatArray, IntArray, candidate_chances
from reports.sequential import FUTILE, LookPlan, conditional_power, plan_looks


class Rule(StrEnum):
    """When a campaign stops."""

    FIXED = "one look at the end"
    PEEKING = "peeking at 95 %"
    BOUNDS = "O'Brien-Fleming"
    FUTILITY = "O'Brien-Fleming, futility"
    FINISHED = "futility, baseline finished"  # with futility


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """A task run until decided."""

    shape: str
    looks: tuple[int, ...]
    margin: float

    @property
    def name(self) -> str:
        return f"{self.shape}, {self.margin:.1%}, {self.looks[-1]} epochs"


CAMPAIGNS = (
    Campaign(shape="aime seed", looks=(8, 16, 24, 32), margin=0.01),
    Campaign(shape="aime ceiling", looks=(8, 16, 24, 32), margin=0.014),
    Campaign(shape="aime mid", looks=(8, 16, 24, 32), margin=0.03),
    Campaign(shape="gpqa", looks=(2, 4, 6, 8), margin=0.02),
)
LOSSES = (0, 1, 2, 3)  # in margins


@dataclass(frozen=True, kw_only=True)
class CampaignResult:
    """Shares of passes and regressions, and mean candidate epochs, for a loss of 0, 1, 2 and 3 margins."""

    passed: tuple[float, ...]
    failed: tuple[float, ...]
    epochs: tuple[float, ...]


def simulate_campaign(
    campaign: Campaign, rule: Rule, item_sets: int, runs: int, seed: int = 20_250
) -> CampaignResult:
    """Run one campaign many times at every loss."""
    rows = [_at_loss(campaign, rule, loss, item_sets, runs, seed) for loss in LOSSES]
    passed, failed, epochs = zip(*rows, strict=True)
    return CampaignResult(passed=passed, failed=failed, epochs=epochs)


def _at_loss(
    campaign: Campaign, rule: Rule, loss: int, item_sets: int, runs: int, seed: int
) -> tuple[float, float, float]:
    plan = plan_looks(campaign.looks, baseline_epochs=campaign.looks[-1] if rule is Rule.FINISHED else None)
    passed = failed = epochs = 0.0
    for item_set in range(item_sets):
        rng = np.random.default_rng([seed, 13, item_set])
        base = SHAPES[campaign.shape].draw(rng)
        cand = candidate_chances(base, -loss * campaign.margin, rng)
        steps = np.diff([0, *campaign.looks])
        taken = [
            rng.binomial(steps[:, None, None], side, (len(steps), runs, len(base))) for side in (base, cand)
        ]
        outcome = _stop(campaign, rule, plan, [np.cumsum(part, axis=0) for part in taken])
        passed += float(np.mean(outcome.passed))
        failed += float(np.mean(outcome.failed))
        epochs += float(np.mean(outcome.epochs))
    return passed / item_sets, failed / item_sets, epochs / item_sets


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    passed: np.typing.NDArray[np.bool_]
    failed: np.typing.NDArray[np.bool_]
    epochs: IntArray


def _stop(campaign: Campaign, rule: Rule, plan: LookPlan, right: list[IntArray]) -> _Outcome:
    n_runs = right[0].shape[1]
    running = np.ones(n_runs, dtype=bool)
    passed, failed = np.zeros(n_runs, dtype=bool), np.zeros(n_runs, dtype=bool)
    epochs = np.full(n_runs, campaign.looks[-1])
    for look, n_epochs in enumerate(campaign.looks):
        is_last = look == len(campaign.looks) - 1
        if rule is Rule.FIXED and not is_last:
            continue
        base_look = len(campaign.looks) - 1 if rule is Rule.FINISHED else look
        pair = pair_of(
            _draws(right[0][base_look], campaign.looks[base_look]), _draws(right[1][look], n_epochs)
        )
        z = Z if rule in (Rule.FIXED, Rule.PEEKING) else plan.critical_values[look]
        low, high = ours(pair, z)
        passed |= running & (low > -campaign.margin)
        failed |= running & (high < -campaign.margin)
        stop = passed | failed
        if rule in (Rule.FUTILITY, Rule.FINISHED) and not is_last:
            stop |= _is_futile(pair, plan, look, campaign.margin)
        epochs[running & stop] = n_epochs
        running &= ~stop
    return _Outcome(passed=passed, failed=failed, epochs=epochs)


def _is_futile(pair: Pair, plan: LookPlan, look: int, margin: float) -> np.typing.NDArray[np.bool_]:
    low, high = ours(pair)
    distance: FloatArray = pair.value + margin
    fraction, last = plan.fraction(look), plan.critical_values[-1]
    above = conditional_power(distance * Z / np.maximum(pair.value - low, 1e-12), fraction, last)
    below = conditional_power(-distance * Z / np.maximum(high - pair.value, 1e-12), fraction, last)
    return np.maximum(above, below) < FUTILE


def _draws(right: IntArray, n_epochs: int) -> Draws:
    return Draws(scored=np.full(right.shape, n_epochs), right=right)
