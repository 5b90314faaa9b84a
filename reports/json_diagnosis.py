"""What report.json says beyond the verdict: kind of loss, drift between epochs, power of the budget."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from reports.diagnosis import Diagnosis
from reports.drift import DriftCheck
from reports.json_values import block_test, estimate, limits, token_ratio
from reports.power import Plan
from reports.power_text import power_advice
from reports.slices import Slice
from reports.stage import Stage


def diagnosis_section(found: Diagnosis) -> dict[str, Any]:
    """Return signs, slices and token ratios, and the kinds of loss they add up to."""
    return {
        "kinds": [kind.value for kind in found.kinds],
        "signals": [
            {
                "name": signal.name,
                "baseline": signal.baseline,
                "candidate": signal.candidate,
                "delta": estimate(signal.delta),
                "p_value": signal.p_value,
                "q_value": signal.q_value,
            }
            for signal in found.signals
        ],
        "by_category": _slices(found.by_category),
        "by_length": None
        if found.by_length is None
        else {"slices": _slices(found.by_length.slices), "slope": estimate(found.by_length.slope)},
        "position": block_test(found.position),
        "output_tokens_ratio": token_ratio(found.output_tokens),
    }


def drift_section(found: DriftCheck | None) -> dict[str, Any] | None:
    """Return whether epochs vary more than sampling explains; ``None`` below four complete epochs a side."""
    if found is None:
        return None
    return {
        "has_drift": found.has_drift,
        "ratio": found.ratio,
        "p_value": found.p_value,
        "epoch_interval": limits(found.epoch_interval),
    }


def plan_section(found: Plan) -> dict[str, Any]:
    """Return what this budget can decide about equal checkpoints, and what would be needed."""
    return {
        "pass_chance": found.pass_chance,
        "regression_chance": found.regression_chance,
        "smallest_visible_loss": found.smallest_visible_loss,
        "smallest_margin": found.smallest_margin,
        "underpowered": found.is_underpowered,
        "epochs_needed": {
            "both": found.both_needed,
            "candidate": found.candidate_needed,
            "baseline": found.baseline_needed,
        },
        "advice": power_advice(found),
    }


def stage_section(found: Stage | None) -> dict[str, Any] | None:
    """Return the declared looks of a run that may stop early and how far it has come."""
    if found is None:
        return None
    return asdict(found) | {"is_early": found.is_early, "is_at_look": found.is_at_look}


def _slices(slices: Sequence[Slice]) -> list[dict[str, Any]]:
    return [
        {
            "name": part.name,
            "n_items": part.n_items,
            "baseline": part.baseline,
            "candidate": part.candidate,
            "delta": estimate(part.delta),
            "p_value": part.p_value,
            "q_value": part.q_value,
        }
        for part in slices
    ]
