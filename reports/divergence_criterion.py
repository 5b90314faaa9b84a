"""What a policy advises on divergence: it never fails a gate, for it never replaces the benchmarks."""

from collections.abc import Mapping
from typing import Any

from reports.criteria import Criterion, Status
from reports.divergence.lines import main_estimate, main_figure
from reports.policy import DivergencePolicy

_NAME = "divergence"


def divergence_criterion(asked: DivergencePolicy, block: Mapping[str, Any] | None) -> Criterion | None:
    """Return the advice on what was measured, ``None`` where the policy says nothing of it.

    The limit is met where the whole interval lies within it; everything else warns.
    """
    if asked.max_kl is None:
        return None
    limit = f"at most {asked.max_kl:g} nats/token advised"
    if block is None:
        return _warned(f"not measured, {limit}; run quantcheck divergence and give it with --divergence")
    if block["tokens"]["n_different"]:
        return _warned(f"{_tokens(block)}, {limit}")
    if block["is_identical"]:
        return Criterion(task="", name=_NAME, status=Status.MET, text=f"identical log-probabilities, {limit}")
    found = main_estimate(block)
    if found is None or found["high"] is None:
        return _warned(f"nothing to compare, {limit}")
    figure = main_figure(block)
    text = f"{figure.name} {figure.text}, {limit}"
    if found["high"] <= asked.max_kl:
        return Criterion(task="", name=_NAME, status=Status.MET, text=text)
    return _warned(text)


def _tokens(block: Mapping[str, Any]) -> str:
    tokens = block["tokens"]
    total = tokens["n_same"] + tokens["n_different"]
    return f"the sides see different tokens in {tokens['n_different']:,} of {total:,} texts"


def _warned(text: str) -> Criterion:
    return Criterion(task="", name=_NAME, status=Status.WARNED, text=text)
