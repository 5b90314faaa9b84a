"""How speed is written: the JSON block, lines beside accuracy, and the block that serving benchmarks print."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from reports.speed import CLIENT_BOUND_SHARE, Quantiles, Speed

UNKNOWN = "-"
_TIMES = ("ttft", "tpot", "e2e")
CLIENT_NOTE = (
    "the client, not the server, was the limit: these figures are lower bounds of the server's speed;"
    " use a faster client or stream less"
)
_NAMES = {"ttft": "TTFT", "tpot": "TPOT", "e2e": "E2E Latency"}
_TITLES = {
    "e2e": "End-to-End Latency",
    "ttft": "Time to First Token",
    "tpot": "Time per Output Token (excl. 1st token)",
}


def speed_section(speed: Speed | None) -> dict[str, Any] | None:
    """Return the JSON block (times in seconds, throughput in tokens/s), ``None`` where nothing is known."""
    if speed is None or not speed.is_known:
        return None
    return asdict(speed)


def read_speed(section: Mapping[str, Any] | None) -> Speed | None:
    """Return the speed of a JSON block."""
    if section is None:
        return None
    times: dict[str, Any] = {name: Quantiles(**section[name]) if section[name] else None for name in _TIMES}
    known: dict[str, Any] = {entry.name: section.get(entry.name) for entry in fields(Speed)}
    return Speed(**{**known, **times})


def speed_line(speed: Speed) -> str:
    """Return throughput, latencies (median, p99) and tokens spent in one line; unknown parts are left out."""
    parts = []
    if speed.output_throughput is not None:
        parts.append(f"{_number(speed.output_throughput)} tok/s at concurrency {speed.concurrency:.1f}")
    parts += [
        f"{_NAMES[name]} {milliseconds(found.median)} (p99 {milliseconds(found.p99)})"
        for name in _TIMES
        if (found := getattr(speed, name)) is not None
    ]
    if speed.tokens_per_solved is not None:
        parts.append(f"{speed.tokens_per_solved:,.0f} tokens a solved response")
    return ", ".join(parts) or UNKNOWN


def side_by_side_texts(speed: Speed) -> dict[str, str]:
    """Return the figures that a comparison shows of each side, by the name of their line."""
    return {
        "TTFT": _median_and_p99(speed.ttft),
        "TPOT": _median_and_p99(speed.tpot),
        "E2E latency": _median_and_p99(speed.e2e),
        "output tok/s": _number(speed.output_throughput),
        "concurrency": _number(speed.concurrency),
        "tokens a solved": _number(speed.tokens_per_solved, 0),
        "limit": "client" if speed.client_bound else "",
    }


def speed_block(title: str, speed: Speed) -> str:
    """Return one run's figures under the names that sglang's bench_serving prints."""
    lines = [f"{f' {title} ':=^60}"]
    figures = (
        ("Successful requests:", f"{speed.n_responses:,}"),
        ("Requests retried:", f"{speed.n_retried:,}"),
        ("Benchmark duration (s):", _number(speed.duration_s, 2)),
        ("Paused, not counted (s):", _number(speed.paused_s, 2)),
        ("Total generated tokens:", _number(speed.output_tokens, 0) + _estimated(speed)),
        ("Request throughput (req/s):", _number(speed.request_throughput, 2)),
        ("Output token throughput (tok/s):", _number(speed.output_throughput, 2)),
        ("Concurrency:", _number(speed.concurrency, 2)),
        ("Peak concurrent requests:", _number(speed.max_concurrency, 0)),
        ("Tokens per solved response:", _number(speed.tokens_per_solved, 0)),
    )
    lines += [f"{name:<42}{value}" for name, value in figures]
    for name in ("e2e", "ttft", "tpot"):
        lines.append(f"{_TITLES[name]:-^60}")
        lines += [f"{label:<42}{value}" for label, value in _quantile_lines(name, getattr(speed, name))]
    lines.append(f"{'Mean ITL (ms):':<42}{_ms(speed.itl_mean_s)}")
    lines.append("=" * 60)
    return "\n".join(line.rstrip() for line in lines + speed_notes(speed))


def speed_notes(speed: Speed) -> list[str]:
    """Return what to know before trusting the figures."""
    notes = []
    if speed.client_bound:
        notes.append(CLIENT_NOTE)
    if speed.client_bound is None and speed.e2e is not None:
        notes.append(
            "whether the client was the limit is not recorded"
            f" (it would be above {CLIENT_BOUND_SHARE:.0%} of one core)"
        )
    if speed.e2e is not None and speed.ttft is None:
        notes.append("no response was streamed, so TTFT, TPOT and ITL are not known")
    return notes


def milliseconds(seconds: float) -> str:
    """Format a time: ``412 ms``, ``8.41 ms``, ``95.2 s``."""
    if seconds >= 10:
        return f"{seconds:,.1f} s"
    value = 1000 * seconds
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.3g} ms"


def _quantile_lines(name: str, found: Quantiles | None) -> list[tuple[str, str]]:
    values = {"Mean": "mean", "Median": "median", "P90": "p90", "P99": "p99"}
    return [
        (f"{word} {_NAMES[name]} (ms):", _ms(getattr(found, field) if found is not None else None))
        for word, field in values.items()
    ]


def _median_and_p99(found: Quantiles | None) -> str:
    if found is None:
        return UNKNOWN
    return f"{milliseconds(found.median)} (p99 {milliseconds(found.p99)})"


def _ms(seconds: float | None) -> str:
    return _number(None if seconds is None else 1000 * seconds, 2)


def _number(value: float | None, digits: int = 1) -> str:
    return UNKNOWN if value is None else f"{value:,.{digits}f}"


def _estimated(speed: Speed) -> str:
    return " (estimated)" if speed.tokens_estimated else ""
