"""Which failure of the contract explains one on the samples: a fault is then named once."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from reports.vendor_report import Standing, VendorCriterion

_UNMET = (Standing.FAIL, Standing.ERROR)
# Criterion of the samples -> criteria that explain that it is not met, the nearest cause first.
_CAUSES: Mapping[str, tuple[str, ...]] = {
    "samples_answered": ("streaming", "answers"),
    "trigger_f1": ("samples_answered", "tool_leak", "tool_choice_required", "tool_choice_auto"),
    "schema_accuracy": (
        *("samples_answered", "tool_leak", "tool_choice_required", "tool_choice_auto", "tool_arguments"),
        "trigger_f1",
    ),
    "leaks": ("tool_leak",),
    "finish_agreement": ("tool_finish", "tool_choice_required", "finish_reason"),
    "stream_gap": ("samples_answered", "tool_leak", "tool_choice_required", "tool_choice_auto"),
}


def related_to_contract(criteria: Iterable[VendorCriterion]) -> tuple[VendorCriterion, ...]:
    """Return the criteria, those of the samples with what they follow from; a binding one follows no advice."""
    found = tuple(criteria)
    by_name = {criterion.name: criterion for criterion in found}
    return tuple(_related(criterion, by_name) for criterion in found)


def _related(criterion: VendorCriterion, by_name: Mapping[str, VendorCriterion]) -> VendorCriterion:
    if criterion.standing not in _UNMET or criterion.follows_from:
        return criterion
    for name in _CAUSES.get(criterion.name, ()):
        cause = by_name.get(name)
        if cause is not None and _explains(cause, criterion):
            return replace(criterion, follows_from=_related(cause, by_name).follows_from or name)
    return criterion


def _explains(cause: VendorCriterion, effect: VendorCriterion) -> bool:
    """Whether a cause is no weaker than its effect: what was not shown explains no failure."""
    if cause.standing not in _UNMET or (cause.is_advisory and not effect.is_advisory):
        return False
    return cause.standing is Standing.FAIL or effect.standing is Standing.ERROR
