"""What a person reads beyond the delta: the kind of loss, tokens, drift, what the budget can decide."""

from collections.abc import Iterator

from reports import numbers
from reports.diagnosis import LossKind
from reports.drift import BlockTest
from reports.flips import FALSE_DISCOVERY
from reports.metrics import TokenRatio
from reports.power_text import power_advice
from reports.replica_comparison import LEVEL as REPLICA_LEVEL
from reports.report import Analysis, TaskReport
from reports.verdict import Verdict

_SHOWN_SLICES = 5
_NOTABLE_P = 0.01

_KINDS = {
    LossKind.BUDGET: "budget: more responses are truncated, those that finish agree; raise max_tokens",
    LossKind.LOOPS: "loops: more repetition without end, which points at the serving",
    LossKind.NO_ANSWER: "no answer: more responses end without one",
    LossKind.LENGTH: "length: the loss grows with output length, as with a faulty KV cache",
    LossKind.CATEGORY: "category: some categories lose more than others, see below",
    LossKind.TOOL: "tool: calls of some tools lose more than of others, see below",
    LossKind.POSITION: "position: the candidate scores unlike itself later in the run; look at its server",
    LossKind.UNIFORM: "uniform: a loss without a pattern, as quantization leaves it",
}


def diagnosis_facts(task: TaskReport, analysis: Analysis) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of what is worth a line: nothing is said of signs that do not differ."""
    found = analysis.diagnosis
    for name, ratio in (("reasoning tokens", found.reasoning_tokens), ("output tokens", found.output_tokens)):
        if ratio is not None:
            yield name, _ratio(ratio)
    for signal in found.signals:
        if signal.is_more or signal.delta.interval.high < 0:
            interval = numbers.points_interval(signal.delta.interval)
            rates = f"{numbers.percent(signal.baseline)} to {numbers.percent(signal.candidate)}"
            yield signal.name.replace("_", " "), f"{rates} of responses, delta {interval} pp"
    for kind in found.kinds:
        yield "kind of loss", _KINDS[kind]
    yield from _categories(analysis)
    if analysis.drift is not None and analysis.drift.has_drift:
        times = f"{analysis.drift.ratio:.1f} times"
        yield "drift", f"epochs vary {times} as much as sampling explains; the interval is widened for it"
    for side, blocks in (("baseline", task.baseline.replicas), ("candidate", task.candidate.replicas)):
        if blocks is not None:
            yield f"{side} servers", _blocks(blocks, "servers answered", REPLICA_LEVEL)
    for side, blocks in (("baseline", task.baseline.starts), ("candidate", task.candidate.starts)):
        if blocks is not None:
            yield f"{side} starts", _blocks(blocks, "starts (of the run or its server) answered", _NOTABLE_P)
    if analysis.plan.is_underpowered and task.verdict is not Verdict.REGRESSION:
        yield "power", power_advice(analysis.plan)


def way_to_decide(task: TaskReport) -> str | None:
    """Return how many epochs, or which margin, would decide what is open; ``None`` where nothing is, or enough is."""
    if task.verdict is not Verdict.INCONCLUSIVE or task.analysis is None:
        return None
    plan = task.analysis.plan
    return power_advice(plan) if plan.is_underpowered else None


def _categories(analysis: Analysis) -> Iterator[tuple[str, str]]:
    found = analysis.diagnosis
    for cut, slices in (("category", found.by_category), ("tool", found.by_tool)):
        lost = [part for part in slices if part.q_value <= FALSE_DISCOVERY]
        for part in sorted(lost, key=lambda part: part.delta.value)[:_SHOWN_SLICES]:
            interval = numbers.points_interval(part.delta.interval)
            change = f"{numbers.points(part.delta.value)} {interval}"
            yield cut, f"{part.name} ({part.n_items:,} items): {change} ({numbers.q_value(part.q_value)})"


def _ratio(ratio: TokenRatio) -> str:
    return f"candidate / baseline {numbers.ratio(ratio.value, ratio.interval)}"


def _blocks(blocks: BlockTest, what: str, level: float) -> str:
    if blocks.p_value < level:
        return f"{len(blocks.names)} {what} and differ (p {numbers.p_value(blocks.p_value)})"
    return f"{len(blocks.names)} {what} alike (p {numbers.p_value(blocks.p_value)})"
