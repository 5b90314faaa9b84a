"""The criteria of a vendor report that the K2 tool-call samples give: answered, F1, schema accuracy, leaks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reports import numbers
from reports.intervals import Estimate
from reports.metrics import share_estimate
from reports.tool_call_json import tool_call_block
from reports.tool_call_metrics import ToolCallMetrics
from reports.tool_call_reference import Reference
from reports.tool_call_trigger import Trigger, noise_floor
from reports.vendor_noise import noise_criterion
from reports.vendor_report import TOOL_CALLS, Figure, Standing, ToolCallFigures, VendorCriterion

_SHOWN_REASONS = 5
_SHOWN_FAILURES = 3


@dataclass(frozen=True, kw_only=True)
class PassLines:
    """The least that passes, as fractions; ``None`` where nobody has set a line."""

    trigger_f1: float | None = None
    schema_accuracy: float | None = None


@dataclass(frozen=True, kw_only=True)
class SampleRun:
    """What came of the samples: figures, how many responses were asked for, and what kept it from being whole.

    ``left_out`` says which lines of the samples hold no request, ``stopped`` why the run ended early.
    """

    metrics: ToolCallMetrics | None
    n_expected: int
    left_out: str = ""
    stopped: str = ""


def tool_call_criteria(
    run: SampleRun, references: Sequence[Reference], lines: PassLines
) -> tuple[VendorCriterion, ...]:
    """Return the criteria; a figure that was not measured on everything is not judged.

    The first of ``references`` is the one to agree with; all of them show how far they agree themselves.
    """
    found = [_answered(run)]
    metrics = run.metrics
    if metrics is None:
        return tuple(found)
    if references:
        found.append(_trigger(metrics.trigger, references[0], lines))
        trigger = metrics.trigger
        noise = noise_criterion(references, trigger.f1 if trigger is not None else None)
        found += [noise] if noise is not None else []
    found += [_schema(metrics, lines), *_advice(metrics)]
    return tuple(found)


def tool_call_figures(run: SampleRun, references: Sequence[Reference] = ()) -> ToolCallFigures:
    """Return the two figures by which vendors are sorted, what the references reach, and every other figure."""
    metrics, noise = run.metrics, noise_floor(references)
    if metrics is None:
        return ToolCallFigures(reference_noise=noise)
    trigger = metrics.trigger
    return ToolCallFigures(
        trigger_f1=trigger.f1 if trigger is not None else None,
        schema_accuracy=metrics.schema,
        reference_noise=noise,
        details=tool_call_block(metrics),
    )


def _answered(run: SampleRun) -> VendorCriterion:
    n_answered = run.metrics.n_responses if run.metrics is not None else 0
    faults = [run.left_out] if run.left_out else []
    if run.stopped:
        faults.append(f"stopped: {run.stopped}")
    missing = run.n_expected - n_answered
    if missing > 0:
        faults.append(f"{missing:,} of {run.n_expected:,} requests were not answered{_why(run.metrics)}")
    figure = _share(n_answered, run.n_expected, 1.0)
    return _criterion(
        "samples_answered",
        "Every sample is answered.",
        Standing.ERROR if faults else Standing.PASS,
        "; ".join(faults) or f"{n_answered:,} of {run.n_expected:,} requests answered",
        figure=figure,
    )


def _why(metrics: ToolCallMetrics | None) -> str:
    """Return what was said of the requests that failed, the usual first."""
    said = list(metrics.failures.items()) if metrics is not None else []
    if not said:
        return ""
    more = f", and {len(said) - _SHOWN_FAILURES} other ways" if len(said) > _SHOWN_FAILURES else ""
    return f" ({', '.join(f'{n:,} x {words}' for words, n in said[:_SHOWN_FAILURES])}{more})"


def _trigger(trigger: Trigger | None, reference: Reference, lines: PassLines) -> VendorCriterion:
    published = reference.pass_line
    line = lines.trigger_f1 if lines.trigger_f1 is not None else (published.value if published else None)
    expectation = f"Tools are called where {reference.name} calls them (trigger F1)."
    if trigger is None or trigger.f1 is None:
        return _criterion(
            "trigger_f1", expectation, Standing.ERROR, "no request calls a tool on either side: no F1"
        )
    figure = Figure(estimate=trigger.f1, pass_line=line)
    counts = f"tp {trigger.tp:,}, fp {trigger.fp:,}, fn {trigger.fn:,} of {trigger.n_joined:,} responses"
    if trigger.unknown:
        counts += f"; {len(trigger.unknown):,} requests are not in the reference"
    if not trigger.is_complete:
        absent = f"{len(trigger.missing):,} requests of the reference were not asked, {len(trigger.failed):,} failed"
        return _criterion("trigger_f1", expectation, Standing.ERROR, f"{absent}; {counts}", figure=figure)
    if line is None:
        words = f"no pass line is published for {reference.model or reference.name}; {counts}"
        return _criterion("trigger_f1", expectation, Standing.NOT_APPLICABLE, words, figure=figure)
    named = f" ({published.name})" if published is not None and line == published.value else ""
    return _criterion(
        "trigger_f1",
        expectation,
        _against(trigger.f1, line),
        f"{counts}; pass line {numbers.limit(line)}{named}{_holds(trigger.f1, line)}",
        figure=figure,
        advice="recall below the line: calls are lost (see leaks and the parser); precision: the template differs",
    )


def _schema(metrics: ToolCallMetrics, lines: PassLines) -> VendorCriterion:
    line = lines.schema_accuracy
    expectation = "Calls are valid: declared tools, JSON objects, the tools' schemas (schema accuracy)."
    if metrics.schema is None:
        words = f"no response of {metrics.n_responses:,} calls a tool that can be judged"
        return _criterion("schema_accuracy", expectation, Standing.ERROR, words)
    reasons = list(metrics.reasons.items())[:_SHOWN_REASONS]
    words = ", ".join(f"{reason} {n:,}" for reason, n in reasons) or "no faulty call"
    lenient = numbers.percent(metrics.schema_lenient.value) if metrics.schema_lenient is not None else "-"
    shown = f"{metrics.n_judged:,} responses with calls; {words}; lenient {lenient}"
    figure = Figure(estimate=metrics.schema, pass_line=line)
    if line is None:
        shown += "; no pass line is set (Moonshot's own API reaches 100 %)"
        return _criterion("schema_accuracy", expectation, Standing.NOT_APPLICABLE, shown, figure=figure)
    return _criterion(
        "schema_accuracy",
        expectation,
        _against(metrics.schema, line),
        shown + _holds(metrics.schema, line),
        figure=figure,
        advice="enforce schemas while decoding",
    )


def _advice(metrics: ToolCallMetrics) -> Iterator[VendorCriterion]:
    """Yield what is told and disqualifies nobody: leaks, finish reasons, calls lost when streaming."""
    if metrics.leak_rate is not None:
        n_lost = metrics.n_recoverable_calls
        yield _criterion(
            "leaks",
            "No native tool tokens stand in the text.",
            Standing.FAIL if metrics.n_leaked else Standing.PASS,
            f"{metrics.n_leaked:,} responses leak, {n_lost:,} calls could be made of them",
            figure=Figure(estimate=metrics.leak_rate),
            is_advisory=True,
        )
    if metrics.finish_agreement is not None:
        agrees = metrics.finish_agreement
        yield _criterion(
            "finish_agreement",
            "The finish reason agrees with the calls.",
            Standing.PASS if agrees.value >= 1.0 else Standing.FAIL,
            f"agrees in {numbers.percent(agrees.value)} of the responses that their budget did not end",
            figure=Figure(estimate=agrees, pass_line=1.0),
            is_advisory=True,
        )
    gap = metrics.stream_gap
    if gap is not None:
        yield _criterion(
            "stream_gap",
            "Streaming loses no calls.",
            Standing.FAIL if gap.difference.interval.high < 0 else Standing.PASS,
            f"{gap.lost:,} of {gap.n_items:,} requests call less often streamed, {gap.gained:,} more often"
            f" ({numbers.points(gap.difference.value)} {numbers.points_interval(gap.difference.interval)})",
            is_advisory=True,
        )


def _against(estimate: Estimate, line: float) -> Standing:
    """Published lines are lines for the value itself, not for its interval."""
    return Standing.PASS if estimate.value >= line else Standing.FAIL


def _holds(estimate: Estimate, line: float) -> str:
    interval = estimate.interval
    return "; the interval holds the line" if interval.low < line <= interval.high else ""


def _share(part: int, whole: int, pass_line: float) -> Figure | None:
    estimate = share_estimate(float(part), whole)
    return (
        None if estimate is None else Figure(estimate=estimate, pass_line=pass_line, kept=part, judged=whole)
    )


def _criterion(
    name: str,
    expectation: str,
    standing: Standing,
    evidence: str,
    *,
    figure: Figure | None = None,
    advice: str = "",
    is_advisory: bool = False,
) -> VendorCriterion:
    return VendorCriterion(
        name=name,
        part=TOOL_CALLS,
        group=TOOL_CALLS,
        expectation=expectation,
        standing=standing,
        evidence=evidence,
        advice=advice,
        is_advisory=is_advisory,
        figure=figure,
    )
