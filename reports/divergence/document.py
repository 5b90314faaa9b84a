"""The ``divergence`` block as JSON: what pipelines read, and what every rendering is made from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from reports.divergence.figures import Divergence, Figures, Located
from reports.divergence.findings import caveats, findings
from reports.divergence.largest import SingleDivergence
from reports.divergence.measure import Measured
from reports.divergence.side import Side
from reports.json_values import estimate, finite

SCHEMA_VERSION = 1
_EXAMPLES = 5
_SIDE_FACTS = ("label", "model", "base_url", "engine", "version", "served_path", "quantization", "started")


def divergence_document(
    found: Divergence, baseline: Side, candidate: Side, notes: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the block; ``None`` where a value is not known. Log-probabilities are natural."""
    measured, headline = found.measured, found.headline
    kl = headline.log_ratio if found.is_sampled else None
    return {
        "schema": SCHEMA_VERSION,
        "baseline": _side(baseline),
        "candidate": _side(candidate),
        "confidence": found.confidence,
        "n_texts": len(measured.texts),
        "n_tokens": sum(one.n_tokens for one in measured.sums),
        "is_sampled_from_baseline": found.is_sampled,
        **_figures(headline, found.top_k),
        "kl": estimate(kl),
        "kl_controlled": estimate(headline.controlled if found.is_sampled else None),
        "floor": None if found.floor is None else _figures(found.floor, found.top_k),
        "beyond_floor": estimate(found.beyond_floor),
        "by_part": [_row(row) for row in found.by_part],
        "by_position": [{"from": row.low, "to": row.high, **_row(row)} for row in found.by_position],
        "position_trend": _trend(found),
        "by_task": [_row(row) for row in found.by_task],
        "by_category": [_row(row) for row in found.by_category],
        "largest": [_single(one) for one in measured.largest.ordered()],
        "tokens": _tokens(measured),
        "only_baseline": measured.n_only_baseline,
        "only_candidate": measured.n_only_candidate,
        "findings": [asdict(finding) for finding in findings(found)],
        "caveats": caveats(found),
        "notes": list(notes),
    }


def _side(side: Side) -> dict[str, Any]:
    return {name: side.facts.get(name) for name in _SIDE_FACTS} | {"label": side.label}


def _figures(found: Figures, top_k: int) -> dict[str, Any]:
    return {
        "n_response_tokens": found.n_tokens,
        "is_identical": found.is_identical,
        "cross_entropy_difference": estimate(found.log_ratio),
        "controlled": estimate(found.controlled),
        "mean_absolute": estimate(found.absolute),
        "mean_ratio": estimate(found.ratio),
        "perplexity_ratio": estimate(found.perplexity_ratio),
        "top1_agreement": estimate(found.top1_agreement),
        "left_top_k": estimate(found.left_top_k),
        "top_k": top_k,
        "ruled_out": {"baseline": found.n_ruled_out[0], "candidate": found.n_ruled_out[1]},
    }


def _row(row: Located) -> dict[str, Any]:
    figures = row.figures
    return {
        "name": figures.name,
        "n_texts": figures.n_texts,
        "n_tokens": figures.n_tokens,
        "mean_log_ratio": finite(figures.mean_log_ratio),
        "mean_absolute": finite(figures.mean_absolute),
        "log_ratio_interval": estimate(figures.log_ratio),
        "absolute_interval": estimate(figures.absolute),
        "controlled": estimate(figures.controlled),
        "top1_agreement": estimate(figures.top1_agreement),
        "left_top_k": estimate(figures.left_top_k),
    }


def _trend(found: Divergence) -> dict[str, Any] | None:
    if found.trend is None:
        return None
    return {"per_doubling": estimate(found.trend.per_doubling), "relative": finite(found.trend.relative)}


def _single(one: SingleDivergence) -> dict[str, Any]:
    return asdict(one) | {
        "baseline": finite(one.baseline),
        "candidate": finite(one.candidate),
        "log_ratio": finite(one.log_ratio),
    }


def _tokens(measured: Measured) -> Mapping[str, Any]:
    kinds = Counter(difference.kind.value for difference in measured.differences)
    return {
        "n_same": len(measured.texts),
        "n_different": measured.n_differing,
        "kinds": dict(kinds.most_common()),
        "examples": [
            asdict(difference)
            | {"kind": difference.kind.value}
            | {side: list(getattr(difference, side)) for side in ("baseline", "candidate")}
            for difference in measured.differences[:_EXAMPLES]
        ],
    }
