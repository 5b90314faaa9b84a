"""The figures of a tool-call run: schema accuracy, trigger F1 against the official run, and what is broken."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from reports.intervals import Estimate, critical_value, scaled_tango
from reports.metrics import share_estimate
from reports.tool_call_reference import Reference
from reports.tool_call_rows import has_tool_calls, tool_call_rows
from reports.tool_call_trigger import Trigger, trigger_metrics

CONFIDENCE = 0.95
GIVEN_UP = (
    " (given up after "  # as :mod:`evals.transport.retry` ends the words of a request that it tried often
)


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """The responses of one way of delivery, streamed or plain."""

    n_responses: int
    n_triggered: int
    n_leaked: int
    schema: Estimate | None


@dataclass(frozen=True, kw_only=True)
class StreamGap:
    """Streamed against plain over the requests that were answered both ways.

    ``difference`` is that of the share of responses that call, streamed - plain. ``lost`` counts requests
    that call less often streamed than plain, ``gained`` those that call more often.
    """

    n_items: int
    lost: int
    gained: int
    difference: Estimate


@dataclass(frozen=True, kw_only=True)
class ToolCallMetrics:
    """All figures of one run. Shares are over answered responses; failed ones are counted apart.

    ``schema`` is over responses that call and can be judged (a fault of the tool's own schema is nobody's),
    ``finish_agreement`` over those that the budget did not end. ``reasons`` counts faulty calls by reason,
    ``failures`` failed requests by what was said of them, ``n_data_faults`` requests whose own tool
    declarations are at fault.
    """

    n_responses: int
    n_errors: int
    n_truncated: int
    n_triggered: int
    n_judged: int
    n_leaked: int
    n_recoverable_calls: int
    n_data_faults: int
    schema: Estimate | None
    schema_lenient: Estimate | None
    finish_agreement: Estimate | None
    leak_rate: Estimate | None
    reasons: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[str, int] = field(default_factory=dict)
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)
    stream_gap: StreamGap | None = None
    trigger: Trigger | None = None


def tool_call_metrics(
    rows: pd.DataFrame, reference: Reference | None = None, *, confidence: float = CONFIDENCE
) -> ToolCallMetrics | None:
    """Return the figures of score-table rows; ``None`` where answered rows do not tell of their calls.

    ``rows`` are those of one run of ``k2_tool_calls``, ours or read from a file of Moonshot's verifier. A
    run of which every request failed has figures too: counts of errors, and nothing measured.
    """
    if not has_tool_calls(rows) and not (rows["outcome"] == "error").all():
        return None
    calls = tool_call_rows(rows)
    called = calls[calls["triggered"]]
    told = calls["leaked"].notna()
    return ToolCallMetrics(
        n_responses=len(calls),
        n_errors=int((rows["outcome"] == "error").sum()),
        n_truncated=int(calls["truncated"].sum()),
        n_triggered=len(called),
        n_judged=int(called["valid"].notna().sum()),
        n_leaked=int((calls["leaked"] == 1).sum()),
        n_recoverable_calls=int(calls["recoverable_calls"].sum()),
        n_data_faults=int(calls.loc[calls["has_data_fault"], "sample_id"].nunique()),
        schema=_share(called["valid"], confidence),
        schema_lenient=_share(called["lenient_valid"], confidence),
        finish_agreement=_share(calls["finish_agrees"], confidence),
        leak_rate=_share(calls.loc[told, "leaked"], confidence),
        reasons=dict(Counter(reason for reasons in calls["reasons"] for reason in reasons).most_common()),
        failures=_failures(rows),
        deliveries=_deliveries(calls, confidence),
        stream_gap=stream_gap(calls, confidence),
        trigger=None if reference is None else trigger_metrics(rows, reference, confidence=confidence),
    )


def _failures(rows: pd.DataFrame) -> dict[str, int]:
    """Return what was said of failed requests, the usual first; rows of elsewhere may not say it.

    How long each was tried is left out: it differs, and the reason does not.
    """
    failed = rows.loc[rows["outcome"] == "error", "error"].to_list() if "error" in rows else []
    said = (" ".join(words.split()) for words in failed if isinstance(words, str) and words.strip())
    said = (words.partition(GIVEN_UP)[0] for words in said)
    return dict(Counter(said).most_common())


def stream_gap(calls: pd.DataFrame, confidence: float = CONFIDENCE) -> StreamGap | None:
    """Return how streaming changes who calls, from :func:`tool_call_rows`; ``None`` where nothing went both ways."""
    told = calls[calls["streamed"].notna()]
    shares = told.groupby(["sample_id", "streamed"])["triggered"].mean().unstack()
    both = shares.dropna()
    if len(shares.columns) < 2 or both.empty:
        return None
    differences = (both[1.0] - both[0.0]).to_numpy(np.float64)
    limits = scaled_tango(differences, critical_value(confidence))
    interval = limits.interval(confidence, "tango")
    return StreamGap(
        n_items=len(both),
        lost=int((differences < 0).sum()),
        gained=int((differences > 0).sum()),
        difference=Estimate(value=float(differences.mean()), interval=interval),
    )


def _deliveries(calls: pd.DataFrame, confidence: float) -> dict[str, Delivery]:
    found = {}
    for name, value in (("streamed", 1.0), ("plain", 0.0)):
        part = calls[calls["streamed"] == value]
        if len(part):
            found[name] = Delivery(
                n_responses=len(part),
                n_triggered=int(part["triggered"].sum()),
                n_leaked=int((part["leaked"] == 1).sum()),
                schema=_share(part.loc[part["triggered"], "valid"], confidence),
            )
    return found


def _share(flags: "pd.Series[float]", confidence: float) -> Estimate | None:
    """Return the share of 1 among the flags that are known."""
    known = flags.dropna()
    return share_estimate(float(known.sum()), len(known), confidence=confidence)
