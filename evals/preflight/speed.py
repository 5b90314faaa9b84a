"""How fast one stream is, and roughly how long the run will take."""

from dataclasses import dataclass

from evals.preflight.asker import Asked
from evals.preflight.finding import Finding, ok, skip
from evals.preflight.plan import PlannedRun

NAME = "speed"
_MIN_TOKENS = 4


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A rough estimate of a run; ``hours`` assumes that every stream keeps the speed of one alone."""

    n_requests: int
    mean_tokens: int
    n_streams: int
    tokens_per_s: float
    hours: float


def tokens_per_s(asked: Asked | None) -> float | None:
    """Return the speed of one reply after its first token, ``None`` where it is too short to tell."""
    if asked is None or asked.reply is None:
        return None
    reply = asked.reply
    counted = reply.response.usage.completion_tokens if reply.response.usage else None
    n_tokens = counted if counted is not None else reply.n_chunks
    elapsed = reply.duration_s - (reply.ttft_s or 0.0)
    if n_tokens < _MIN_TOKENS or elapsed <= 0:
        return None
    return (n_tokens - (reply.ttft_s is not None)) / elapsed


def estimate_run(run: PlannedRun | None, speed: float | None) -> Estimate | None:
    """Return how long the run will take at ``speed`` a stream."""
    if run is None or speed is None or run.refusal is not None:
        return None
    n_streams = min(run.max_connections, run.n_requests)
    seconds = run.n_requests * run.mean_tokens / (speed * n_streams)
    return Estimate(
        n_requests=run.n_requests,
        mean_tokens=run.mean_tokens,
        n_streams=n_streams,
        tokens_per_s=speed,
        hours=seconds / 3600,
    )


def speed_finding(asked: Asked | None, run: PlannedRun | None) -> Finding:
    """Return speed and first-token time of ``asked`` (alone on the endpoint as far as we know)."""
    speed = tokens_per_s(asked)
    if asked is None or asked.reply is None or speed is None:
        return skip(NAME, "the first reply is too short to tell")
    ttft = f", first token after {asked.reply.ttft_s:.2f} s" if asked.reply.ttft_s is not None else ""
    evidence = f"{speed:,.0f} tokens/s in one stream{ttft}"
    estimate = estimate_run(run, speed)
    if estimate is None:
        return ok(NAME, evidence)
    return ok(
        NAME,
        f"{evidence}; the run roughly {_hours(estimate.hours)} if {estimate.n_streams} streams keep that speed"
        f" ({estimate.n_requests:,} requests x {estimate.mean_tokens:,} tokens)",
    )


def _hours(hours: float) -> str:
    if hours < 1 / 60:
        return "less than a minute"
    return f"{hours * 60:,.0f} min" if hours < 1.5 else f"{hours:,.1f} h"
