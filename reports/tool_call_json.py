"""The ``tool_calls`` block of a run's summary, and its lines for the terminal."""

from collections.abc import Iterator, Mapping
from typing import Any

from reports.intervals import Estimate
from reports.json_values import value_and_limits
from reports.tool_call_metrics import Delivery, StreamGap, ToolCallMetrics
from reports.tool_call_trigger import Trigger


def tool_call_block(found: ToolCallMetrics) -> dict[str, Any]:
    """Return the figures as plain JSON values; a figure without a denominator is null throughout."""
    return {
        "responses": found.n_responses,
        "errors": found.n_errors,
        "truncated": found.n_truncated,
        "triggered": found.n_triggered,
        "judged": found.n_judged,
        "schema_accuracy": _figure(found.schema),
        "lenient": _figure(found.schema_lenient),
        "finish_reason_agreement": _figure(found.finish_agreement),
        "leak_rate": _figure(found.leak_rate),
        "leaked": found.n_leaked,
        "recoverable_calls": found.n_recoverable_calls,
        "data_faults": found.n_data_faults,
        "reasons": dict(found.reasons),
        "failures": dict(found.failures),
        "by_delivery": {name: _delivery(part) for name, part in found.deliveries.items()},
        "stream_gap": None if found.stream_gap is None else _gap(found.stream_gap),
        "trigger": None if found.trigger is None else trigger_block(found.trigger),
    }


def trigger_block(found: Trigger) -> dict[str, Any]:
    """Return precision, recall and F1 with their counts, and what could not be joined."""
    return {
        "reference": found.reference,
        "joined": found.n_joined,
        "tp": found.tp,
        "fp": found.fp,
        "fn": found.fn,
        "tn": found.tn,
        "precision": _figure(found.precision),
        "recall": _figure(found.recall),
        "f1": _figure(found.f1),
        "missing": list(found.missing),
        "failed": list(found.failed),
        "unknown": list(found.unknown),
    }


def tool_call_lines(block: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a :func:`tool_call_block` for people."""
    yield (
        f"tools called in {block['triggered']:,} of {block['responses']:,} responses; "
        f"schema accuracy {_shown(block['schema_accuracy'])}, lenient {_shown(block['lenient'])}"
    )
    yield (
        f"finish reason agrees {_shown(block['finish_reason_agreement'])}   leaked {block['leaked']:,}"
        f" ({block['recoverable_calls']:,} calls lost in the text)"
    )
    if block["reasons"]:
        yield "faulty calls: " + ", ".join(f"{reason} {n:,}" for reason, n in block["reasons"].items())
    if block["data_faults"]:
        yield f"data faults: {block['data_faults']:,} requests declare tools that cannot be read (nobody's fault here)"
    if block["stream_gap"] is not None:
        yield _gap_line(block)
    if block["trigger"] is not None:
        trigger = block["trigger"]
        yield (
            f"trigger F1 {_shown(trigger['f1'])} against {trigger['reference']} over {trigger['joined']:,} responses"
            f" (precision {_shown(trigger['precision'])}, recall {_shown(trigger['recall'])})"
        )


def _gap_line(block: Mapping[str, Any]) -> str:
    gap, ways = block["stream_gap"], block["by_delivery"]
    schema = ", ".join(f"{name} {_shown(part['schema_accuracy'])}" for name, part in ways.items())
    difference = gap["difference"]
    return (
        f"streamed against plain over {gap['items']:,} requests: {gap['lost']:,} call less streamed, "
        f"{gap['gained']:,} more (difference {100 * difference['value']:+.2f} pp"
        f" [{100 * difference['low']:+.2f}, {100 * difference['high']:+.2f}]); schema accuracy {schema}"
    )


def _figure(found: Estimate | None) -> dict[str, Any]:
    if found is None:
        return value_and_limits(None, None)
    return value_and_limits(found.value, found.interval)


def _delivery(part: Delivery) -> dict[str, Any]:
    return {
        "responses": part.n_responses,
        "triggered": part.n_triggered,
        "leaked": part.n_leaked,
        "schema_accuracy": _figure(part.schema),
    }


def _gap(found: StreamGap) -> dict[str, Any]:
    return {
        "items": found.n_items,
        "lost": found.lost,
        "gained": found.gained,
        "difference": _figure(found.difference),
    }


def _shown(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "not measured"
    return f"{figure['value']:.2%} [{figure['low']:.2%}, {figure['high']:.2%}]"
