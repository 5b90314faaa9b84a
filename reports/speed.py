"""Serving speed from the rows of a run, in the terms of serving benchmarks; ``None`` where it is not known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reports.intervals import FloatArray

PAUSE_S = 60.0  # with nothing in flight for longer, the run was interrupted, not slow
CLIENT_BOUND_SHARE = 0.85  # share of one core from which the client, not the server, may set the pace


@dataclass(frozen=True, kw_only=True)
class Quantiles:
    """A time in seconds over ``n`` responses: mean and percentiles (linear between order statistics)."""

    n: int
    mean: float
    median: float
    p90: float
    p99: float


@dataclass(frozen=True, kw_only=True)
class Speed:
    """How fast one run of one task was served.

    Times are those of the attempt that was answered: failed attempts and the waits between them are not in
    them, but are in ``duration_s``, the span from the first request to the last response without pauses
    longer than :data:`PAUSE_S` (``paused_s``). ``tpot`` is (latency - TTFT) / (output tokens - 1) of each
    response; ``itl_mean_s`` the same over all tokens at once, so that long responses weigh more.
    ``output_tokens`` counts every response with a known count, reasoning included, and so does
    ``tokens_per_solved``, per correct response. ``concurrency`` is the mean number of responses in flight.
    ``client_bound`` says whether the client set the pace, ``None`` where the run does not tell.
    """

    n_responses: int
    n_retried: int
    duration_s: float | None
    paused_s: float | None
    output_tokens: int | None
    tokens_estimated: bool
    ttft: Quantiles | None
    tpot: Quantiles | None
    e2e: Quantiles | None
    itl_mean_s: float | None
    output_throughput: float | None
    request_throughput: float | None
    concurrency: float | None
    max_concurrency: int | None
    tokens_per_solved: float | None
    client_bound: bool | None = None

    @property
    def is_known(self) -> bool:
        """Say whether anything but the number of responses is known."""
        return self.e2e is not None or self.output_tokens is not None


def speed_of(frame: pd.DataFrame, client: Mapping[str, Any] | None = None) -> Speed:
    """Return the speed of the rows of one task; failed responses count for nothing but retries.

    ``client`` is the manifest's word on the client (:func:`client_bound`).
    """
    rows = frame[(frame["outcome"] != "error").fillna(True).to_numpy(dtype=bool)]
    tokens, latency, ttft = _positive(rows, "output_tokens"), _positive(rows, "duration_s"), _ttft(rows)
    gaps = _gaps(tokens, latency, ttft)
    span = _span(latency, rows["finished_at"].to_numpy(dtype=np.float64))
    total, spent = _known_sum(tokens), _known_sum(tokens[span.timed]) if span is not None else None
    return Speed(
        n_responses=len(rows),
        n_retried=int((frame["attempts"] > 1).sum()),
        duration_s=span.duration_s if span is not None else None,
        paused_s=span.paused_s if span is not None else None,
        output_tokens=None if total is None else int(total),
        tokens_estimated=bool(rows["tokens_estimated"].fillna(False).any()),
        ttft=quantiles(ttft),
        tpot=quantiles(gaps.seconds / gaps.n),
        e2e=quantiles(latency),
        itl_mean_s=float(gaps.seconds.sum() / gaps.n.sum()) if len(gaps.n) else None,
        output_throughput=_per_second(spent, span),
        request_throughput=_per_second(float(span.timed.sum()), span) if span is not None else None,
        concurrency=_per_second(float(latency[span.timed].sum()), span) if span is not None else None,
        max_concurrency=span.most if span is not None else None,
        tokens_per_solved=_per_solved(tokens, (rows["outcome"] == "correct").to_numpy(dtype=bool)),
        client_bound=client_bound(client),
    )


def client_bound(client: Mapping[str, Any] | None) -> bool | None:
    """Return whether the client was the limit: its own word ``client_bound``, else by its ``cpu_share``."""
    said = (client or {}).get("client_bound")
    if isinstance(said, bool):
        return said
    share = (client or {}).get("cpu_share")
    if isinstance(share, bool) or not isinstance(share, int | float) or not share >= 0:  # NaN too
        return None
    return share > CLIENT_BOUND_SHARE


def quantiles(seconds: FloatArray) -> Quantiles | None:
    """Return mean and percentiles of the known times, ``None`` where there are none."""
    known = seconds[np.isfinite(seconds)]
    if not len(known):
        return None
    median, p90, p99 = np.quantile(known, (0.5, 0.9, 0.99)).tolist()
    return Quantiles(n=len(known), mean=float(known.mean()), median=median, p90=p90, p99=p99)


@dataclass(frozen=True, kw_only=True)
class _Gaps:
    """Responses with two tokens or more: seconds after the first token, and the tokens after it."""

    seconds: FloatArray
    n: FloatArray


@dataclass(frozen=True, kw_only=True)
class _Span:
    """When responses were in flight; ``timed`` marks the rows whose begin and end are known."""

    timed: np.ndarray
    duration_s: float
    paused_s: float
    most: int


def _positive(rows: pd.DataFrame, name: str) -> FloatArray:
    """Return a column with what is no time or count (0, negative, infinite) as unknown."""
    values = rows[name].to_numpy(dtype=np.float64)
    return np.where(np.isfinite(values) & (values > 0), values, np.nan)


def _ttft(rows: pd.DataFrame) -> FloatArray:
    """Return times to the first token; one after the end of its response is no time."""
    ttft, latency = _positive(rows, "ttft_s"), rows["duration_s"].to_numpy(dtype=np.float64)
    return np.where(ttft > latency, np.nan, ttft)


def _gaps(tokens: FloatArray, latency: FloatArray, ttft: FloatArray) -> _Gaps:
    use = np.isfinite(latency) & np.isfinite(ttft) & (tokens > 1)
    return _Gaps(seconds=latency[use] - ttft[use], n=tokens[use] - 1)


def _span(latency: FloatArray, finished: FloatArray) -> _Span | None:
    """Return when responses were in flight, ``None`` where no row tells both its length and its end."""
    timed = np.isfinite(latency) & np.isfinite(finished)
    if not timed.any():
        return None
    ends, starts = finished[timed], finished[timed] - latency[timed]
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], ends[order]
    idle = starts[1:] - np.maximum.accumulate(ends)[:-1]
    paused = float(idle[idle > PAUSE_S].sum())
    duration = float(ends.max() - starts[0]) - paused
    return _Span(timed=timed, duration_s=duration, paused_s=paused, most=_most_at_once(starts, ends))


def _most_at_once(starts: FloatArray, ends: FloatArray) -> int:
    """Return the largest number in flight at one time; one that ends as another starts is not beside it."""
    ended_before = np.searchsorted(np.sort(ends), starts, side="right")
    return int((np.arange(1, len(starts) + 1) - ended_before).max())


def _known_sum(values: FloatArray) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.sum()) if len(known) else None


def _per_second(amount: float | None, span: _Span | None) -> float | None:
    if amount is None or span is None or span.duration_s <= 0:
        return None
    return amount / span.duration_s


def _per_solved(tokens: FloatArray, correct: np.ndarray) -> float | None:
    known = np.isfinite(tokens)
    n_solved = int(correct[known].sum())
    return float(tokens[known].sum() / n_solved) if n_solved else None
