"""Write a run's summary for the terminal: what failed first, then what was measured."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reports.category_table import render_categories
from reports.replica_text import replica_lines
from reports.speed_text import CLIENT_NOTE, read_speed, speed_line
from reports.tool_call_json import tool_call_lines


def render_summary(summary: Mapping[str, Any], directory: Path, *, next_step: str = "") -> str:
    """Return the summary as a few lines; the last says where the log lies and what to do next.

    ``next_step`` is the way on of a run that was stopped, where its end tells one.
    """
    lines = [
        _headline(summary),
        *([f"  {summary['dead']}"] if summary.get("dead") else []),
        f"  truncated {_count(summary, 'truncated')}   errors {_count(summary, 'error')}   "
        f"no answer {_count(summary, 'no_answer')}   {_sent(summary)}",
        f"  accuracy {_accuracy(summary)}{_partial(summary)}",
    ]
    if summary["outcomes"]["truncated"] and not summary.get("dead"):
        lines.append(f"  over completed responses {_interval(summary['accuracy_completed'])}")
    if summary.get("accuracy_escalated"):
        lines.append(f"  with larger budgets {_escalated(summary)}")
    lines += [f"  epochs {text}" for text in _epochs(summary)]
    lines += render_categories(summary)
    lines += (
        [f"  {line}" for line in tool_call_lines(summary["tool_calls"])] if "tool_calls" in summary else []
    )
    lines.append(f"  tokens per response {_tokens(summary)}")
    lines += _speed(summary)
    lines += [f"  {line}" for line in replica_lines(summary["replicas"])] if "replicas" in summary else []
    if flagged := {name: n for name, n in summary["flags"].items() if n}:
        lines.append("  flags " + ", ".join(f"{name} {n}" for name, n in flagged.items()))
    lines.append(f"log {directory / (summary['log'] or '')} · next: {next_step or _next(summary, directory)}")
    return "\n".join(lines)


def _headline(summary: Mapping[str, Any]) -> str:
    variant = f" [{summary['variant']}]" if summary.get("variant") else ""
    return (
        f"{summary['task']}{variant} · {summary['label']} · {summary['status']}: "
        f"{summary['completed']:,} of {summary['expected']:,} responses "
        f"({summary['n_items']} items x {summary['epochs']} epochs)"
    )


def _count(summary: Mapping[str, Any], outcome: str) -> str:
    n = summary["outcomes"][outcome]
    expected = summary["expected"]
    return f"{n} ({n / expected:.1%})" if n and expected else str(n)


def _sent(summary: Mapping[str, Any]) -> str:
    return f"requests sent {summary['requests_sent']} ({summary['retries']} retries)"


def _accuracy(summary: Mapping[str, Any]) -> str:
    return "not stated: the checkpoint is dead" if summary.get("dead") else _interval(summary["accuracy"])


def _interval(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "none scored"
    return f"{figure['value']:.2%} [{figure['low']:.2%}, {figure['high']:.2%}]"


def _escalated(summary: Mapping[str, Any]) -> str:
    tried = summary["escalated"]
    left = tried["outcomes"]["truncated"]
    failed = f", {tried['outcomes']['error']} failed" if tried["outcomes"]["error"] else ""
    return (
        f"{_interval(summary['accuracy_escalated'])}   {tried['n']} truncated asked again with up to"
        f" {tried['max_tokens']:,} tokens: {left} still truncated{failed} (not the score as served)"
    )


def _partial(summary: Mapping[str, Any]) -> str:
    if summary["completed"] >= summary["expected"]:
        return ""
    return f"   PARTIAL: {summary['coverage']:.1%} of the responses"


def _epochs(summary: Mapping[str, Any]) -> list[str]:
    """Return epochs with equal results together: ``22 of 30/30, 10 of 29/30``."""
    results = Counter((epoch["correct"], epoch["n"]) for epoch in summary["per_epoch"])
    if not results:
        return []
    return [", ".join(f"{n} of {correct}/{of}" for (correct, of), n in sorted(results.items(), reverse=True))]


def _tokens(summary: Mapping[str, Any]) -> str:
    tokens = summary["tokens"]
    if tokens["output_mean"] is None:
        return "unknown: the endpoint sends no usage" if summary["completed"] else "unknown: no response yet"
    reasoning = "" if tokens["reasoning_mean"] is None else f" ({tokens['reasoning_mean']:,.0f} reasoning)"
    return f"{tokens['output_mean']:,.0f}{reasoning}{', estimated' if tokens['estimated'] else ''}"


def _speed(summary: Mapping[str, Any]) -> list[str]:
    speed = read_speed(summary.get("speed"))
    if speed is None or speed.e2e is None:
        return []
    note = [f"  {CLIENT_NOTE}"] if speed.client_bound else []
    return [f"  speed {speed_line(speed)}", *note]


def _next(summary: Mapping[str, Any], directory: Path) -> str:
    if summary.get("dead"):
        return "quantcheck check, once the checkpoint is mended"
    if summary["status"] != "complete":
        return "run the same command again to send what is missing"
    return f"quantcheck compare BASELINE {directory.parent.parent}"
