"""What to change where a budget cannot decide its margin, in words."""

import math

from reports import numbers
from reports.power import Epochs, Plan


def power_advice(plan: Plan) -> str:
    """Say in one sentence how often equal checkpoints pass and what to change, the fewest epochs first."""
    chance = numbers.percent(plan.pass_chance, 0)
    if not plan.is_underpowered:
        return f"equal checkpoints pass with {chance}"
    shortfall = f"equal checkpoints pass with only {chance}"
    way = _fewest_more(plan)
    return (
        f"{shortfall}: {way or 'no number of epochs will do'}{wider_margin(plan, ', or ' if way else '; ')}"
    )


def wider_margin(plan: Plan, before: str) -> str:
    """Return the margin that would do, after ``before``; nothing where it would tolerate any loss."""
    margin = rounded_up(plan.smallest_margin)
    return f"{before}allow a margin of {numbers.margin_points(margin)}" if margin < 1 else ""


def rounded_up(margin: float) -> float:
    """Return a margin rounded up to a tenth of a percentage point."""
    return math.ceil(margin * 1000 - 1e-9) / 1000


def _fewest_more(plan: Plan) -> str | None:
    """Return the way of fewest more epochs; the baseline's count half, for later candidates share them."""
    now = plan.epochs
    ways: list[tuple[float, str]] = []
    if plan.baseline_needed is not None:
        more = (plan.baseline_needed - now.baseline) / 2
        ways.append((more, f"{plan.baseline_needed:,} baseline epochs, run once, would do"))
    if plan.candidate_needed is not None:
        ways.append(
            (plan.candidate_needed - now.candidate, f"{plan.candidate_needed:,} candidate epochs would do")
        )
    if plan.both_needed is not None:
        ways.append((_more(now, plan.both_needed), f"run {plan.both_needed:,} epochs a side"))
    return min(ways, key=lambda way: way[0])[1] if ways else None


def _more(now: Epochs, both: int) -> int:
    return max(both - now.baseline, 0) + max(both - now.candidate, 0)
