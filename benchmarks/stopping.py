"""Simulated early-stopping campaigns: error kept, power paid and epochs saved, look by look."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from benchmarks.methods import Pair, Z, ours, pair_of
from benchmarks.shapes import SHAPES, Draws, FloatArray, IntArray, candidate_chances
from reports.intervals import Limits
from reports.sequential import FUTILE, LookPlan, conditional_power, plan_looks

BoolArray = npt.NDArray[np.bool_]


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
    """What many runs of a campaign came to, for a loss of 0, 1, 2 and 3 margins.

    Shares of passes and regressions, and mean candidate epochs. ``covered`` is the share whose interval at
    the stop holds the true delta, ``covered_plain`` that of the 95 % interval taken there as if the run had
    been planned to end. ``outward`` is the mean of (estimate - truth) of runs decided early, counted from
    the margin outwards (0 where no run was).
    """

    passed: tuple[float, ...]
    failed: tuple[float, ...]
    epochs: tuple[float, ...]
    covered: tuple[float, ...]
    covered_plain: tuple[float, ...]
    outward: tuple[float, ...]


def simulate_campaign(
    campaign: Campaign, rule: Rule, item_sets: int, runs: int, seed: int = 20_250, *, finished: bool = False
) -> CampaignResult:
    """Run one campaign many times at every loss; ``finished`` compares with a baseline that is complete."""
    finished = finished or rule is Rule.FINISHED
    rows = [_at_loss(campaign, rule, loss, item_sets, runs, seed, finished=finished) for loss in LOSSES]
    passed, failed, epochs, covered, covered_plain, outward = zip(*rows, strict=True)
    return CampaignResult(
        passed=passed,
        failed=failed,
        epochs=epochs,
        covered=covered,
        covered_plain=covered_plain,
        outward=outward,
    )


def _at_loss(
    campaign: Campaign, rule: Rule, loss: int, item_sets: int, runs: int, seed: int, *, finished: bool
) -> tuple[float, ...]:
    plan = plan_looks(campaign.looks, baseline_epochs=campaign.looks[-1] if finished else None)
    outcomes = []
    for item_set in range(item_sets):
        rng = np.random.default_rng([seed, 13, item_set])
        base = SHAPES[campaign.shape].draw(rng)
        cand = candidate_chances(base, -loss * campaign.margin, rng)
        steps = np.diff([0, *campaign.looks])
        taken = [
            rng.binomial(steps[:, None, None], side, (len(steps), runs, len(base))) for side in (base, cand)
        ]
        right = [np.cumsum(part, axis=0) for part in taken]
        outcomes.append(_stop(campaign, rule, plan, right, finished=finished))
    truth = -loss * campaign.margin
    early = np.concatenate(
        [o.value[(o.passed | o.failed) & (o.epochs < campaign.looks[-1])] for o in outcomes]
    )
    return (
        float(np.mean([o.passed for o in outcomes])),
        float(np.mean([o.failed for o in outcomes])),
        float(np.mean([o.epochs for o in outcomes])),
        float(np.mean([_holds(o.limits, truth) for o in outcomes])),
        float(np.mean([_holds(o.plain, truth) for o in outcomes])),
        float(np.mean((early - truth) * np.sign(early + campaign.margin))) if len(early) else 0.0,
    )


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    """Where every run stopped: verdict, epochs, estimate, and the interval of that look and the plain one."""

    passed: BoolArray
    failed: BoolArray
    epochs: IntArray
    value: FloatArray
    limits: Limits
    plain: Limits


def _stop(
    campaign: Campaign, rule: Rule, plan: LookPlan, right: list[IntArray], *, finished: bool
) -> _Outcome:
    n_runs, last = right[0].shape[1], len(campaign.looks) - 1
    running = np.ones(n_runs, dtype=bool)
    passed, failed = np.zeros(n_runs, dtype=bool), np.zeros(n_runs, dtype=bool)
    epochs = np.full(n_runs, campaign.looks[-1])
    at_stop = np.zeros((5, n_runs))  # estimate, interval of the look, plain interval
    for look, n_epochs in enumerate(campaign.looks):
        if rule is Rule.FIXED and look < last:
            continue
        base_look = last if finished else look
        pair = pair_of(
            _draws(right[0][base_look], campaign.looks[base_look]), _draws(right[1][look], n_epochs)
        )
        plain = ours(pair)
        limits = plain if rule in (Rule.FIXED, Rule.PEEKING) else ours(pair, plan.critical_values[look])
        passed |= running & (limits.low > -campaign.margin)
        failed |= running & (limits.high < -campaign.margin)
        stop = passed | failed | (look == last)
        if rule in (Rule.FUTILITY, Rule.FINISHED) and look < last:
            stop |= _is_futile(pair, plan, look, campaign.margin)
        ends = running & stop
        epochs[ends] = n_epochs
        at_stop[:, ends] = np.stack([pair.value, *limits, *plain])[:, ends]
        running &= ~stop
    return _Outcome(
        passed=passed,
        failed=failed,
        epochs=epochs,
        value=at_stop[0],
        limits=Limits(at_stop[1], at_stop[2]),
        plain=Limits(at_stop[3], at_stop[4]),
    )


def _holds(limits: Limits, truth: float) -> BoolArray:
    return np.asarray((limits.low <= truth + 1e-12) & (limits.high >= truth - 1e-12))


def _is_futile(pair: Pair, plan: LookPlan, look: int, margin: float) -> BoolArray:
    low, high = ours(pair)
    distance: FloatArray = pair.value + margin
    fraction, last = plan.fraction(look), plan.critical_values[-1]
    above = conditional_power(distance * Z / np.maximum(pair.value - low, 1e-12), fraction, last)
    below = conditional_power(-distance * Z / np.maximum(high - pair.value, 1e-12), fraction, last)
    return np.maximum(above, below) < FUTILE


def _draws(right: IntArray, n_epochs: int) -> Draws:
    return Draws(scored=np.full(right.shape, n_epochs), right=right)
