"""Two tool-call runs side by side: schema accuracy and trigger F1 as paired deltas, and who calls where."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from reports import numbers
from reports.intervals import FloatArray
from reports.metrics import SideBySide, ToolCounts, schema_accuracy, trigger_f1
from reports.tool_call_reference import Reference
from reports.tool_call_rows import has_tool_calls, tool_call_rows
from reports.tool_call_trigger import run_as_reference, trigger_metrics


def compare_tool_calls(
    baseline: pd.DataFrame,
    candidate: pd.DataFrame,
    reference: Reference | None = None,
    *,
    confidence: float = 0.95,
) -> dict[str, SideBySide]:
    """Return the paired deltas of two runs over the requests that both answered; empty where a side has none.

    ``schema`` and ``schema_lenient`` are valid / triggered on each side, so that a side that calls more
    often is not judged on the other's calls. ``trigger_f1`` is against ``reference``, where one is given.
    """
    if not (has_tool_calls(baseline) and has_tool_calls(candidate)):
        return {}
    ours, theirs = tool_call_rows(baseline), tool_call_rows(candidate)
    items = sorted(set(ours["sample_id"]) & set(theirs["sample_id"]))
    found = {
        "schema": schema_accuracy(
            *(tool_counts(side, items, valid="valid") for side in (ours, theirs)), confidence=confidence
        ),
        "schema_lenient": schema_accuracy(
            *(tool_counts(side, items, valid="lenient_valid") for side in (ours, theirs)),
            confidence=confidence,
        ),
    }
    if reference is not None:
        joined = [item for item in items if item in reference.triggered]
        counts = [tool_counts(side, joined, reference=reference) for side in (ours, theirs)]
        found["trigger_f1"] = trigger_f1(*counts, confidence=confidence)
    return {name: compared for name, compared in found.items() if compared is not None}


def tool_counts(
    calls: pd.DataFrame, items: list[str], *, valid: str = "valid", reference: Reference | None = None
) -> ToolCounts:
    """Return the counts by item of :func:`tool_call_rows`; calls that cannot be judged count as not made.

    With a ``reference`` every call counts, for whether it is valid is another question.
    """
    triggered = calls["triggered"].to_numpy(float)
    if reference is None:
        triggered = triggered * calls[valid].notna().to_numpy()
    told = reference.triggered if reference is not None else {}
    expected = np.array([told.get(sample, False) for sample in calls["sample_id"]], dtype=np.float64)
    columns = {
        "expected": expected,
        "triggered": triggered,
        "correct_triggers": expected * triggered,
        "valid": calls[valid].fillna(0).to_numpy(float) * triggered,
    }
    summed = pd.DataFrame(columns).groupby(calls["sample_id"].to_numpy()).sum().reindex(items)
    return ToolCounts(**{name: _column(summed, name) for name in columns})


def trigger_notes(baseline: pd.DataFrame, candidate: pd.DataFrame) -> Iterator[str]:
    """Yield how far the candidate calls where the baseline does: one sentence, none for other tasks."""
    if not (has_tool_calls(baseline) and has_tool_calls(candidate)):
        return
    found = trigger_metrics(candidate, run_as_reference(baseline, "baseline"))
    if found.f1 is None:
        return
    yield (
        f"triggers: the candidate calls a tool where the baseline does with F1 {numbers.percent(found.f1.value)}"
        f" {numbers.percent_interval(found.f1.interval)}; {found.fn:,} calls of the baseline's are missing,"
        f" {found.fp:,} are new (two runs of one checkpoint differ as well)"
    )


def _column(frame: pd.DataFrame, name: str) -> FloatArray:
    values: FloatArray = np.asarray(frame[name].to_numpy(), dtype=np.float64)
    return values
