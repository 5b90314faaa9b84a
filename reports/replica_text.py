"""How the replicas of a run are written: the block of its summary, the lines for people, the caution of a comparison."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reports import numbers
from reports.drift import BlockTest
from reports.json_values import finite, value_and_limits
from reports.replica_comparison import LEVEL, are_unlike
from reports.replicas import ReplicaFigures, dead_entries, replicas_of
from reports.speed_text import speed_section

CAUTION = "replicas differ: mixed fleet?"
FAILING = "fails more than the others"
_NO_ACCURACY = {"value": None, "low": None, "high": None}


def replicas_section(rows: pd.DataFrame, endpoint: Mapping[str, Any], confidence: float) -> dict[str, Any]:
    """Return the ``replicas`` block of a run's summary, nothing for a run of one server.

    ``differ`` is ``None`` where fewer than two replicas have scored responses.
    """
    found, dead = replicas_of(rows, endpoint, confidence), dead_entries(endpoint)
    if found is None and not dead:
        return {}
    test = found.test if found is not None else None
    block = {
        "differ": None if test is None else are_unlike(test),
        "caution": CAUTION if are_unlike(test) else None,
        "level": LEVEL,
        "p_value": None if test is None else test.p_value,
        "within": None if test is None else test.within,
        "by_replica": [_figures(one) for one in found.figures] if found is not None else [],
        "dead": dead,
    }
    return {"replicas": block}


def _figures(found: ReplicaFigures) -> dict[str, Any]:
    accuracy = found.accuracy
    return {
        "replica": found.name,
        "responses": found.n_responses,
        "truncated": found.truncated,
        "errors": found.errors,
        "failed_attempts": found.failed_attempts,
        "fails_more": found.fails_more,
        "accuracy": _NO_ACCURACY if accuracy is None else value_and_limits(accuracy.value, accuracy.interval),
        "effect": finite(found.effect),
        "speed": speed_section(found.speed),
    }


def replica_lines(block: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a person reads of the block: the test, a line for each replica, the dead entries."""
    named = block["by_replica"]
    if named:
        yield f"replicas: {len(named)} named, {_test_words(block)}"
    for one in named:
        yield f"  {one['replica']}  {_replica_words(one)}"
    for dead in block["dead"]:
        yield f"replica left out from the start: {dead['base_url']}: {dead['problem']}"


def _test_words(block: Mapping[str, Any]) -> str:
    if block["differ"] is None:
        return "not compared: nothing that two of them have answered"
    shown = f"p {numbers.p_value(block['p_value'])}, level {LEVEL:g}, {block['within']} compared"
    return f"{block['caution']} ({shown})" if block["differ"] else f"alike ({shown})"


def _replica_words(one: Mapping[str, Any]) -> str:
    accuracy, speed = one["accuracy"], one["speed"]
    parts = [f"{one['responses']:,} responses"]
    if accuracy["value"] is not None:
        parts.append(f"accuracy {accuracy['value']:.2%} [{accuracy['low']:.2%}, {accuracy['high']:.2%}]")
    parts += [f"truncated {one['truncated']}", f"errors {one['errors']}"]
    if one["failed_attempts"]:
        failed = f"failed attempts {one['failed_attempts']}"
        parts.append(f"{failed}: {FAILING}" if one["fails_more"] else failed)
    if speed is not None and speed["output_throughput"] is not None:
        parts.append(f"{speed['output_throughput']:,.1f} tok/s")
    return "   ".join(parts)


def replica_caution(side: str, blocks: BlockTest | None) -> Iterator[str]:
    """Yield what a comparison must say of a side whose replicas differ: which, and by how much."""
    if blocks is None or not are_unlike(blocks):
        return
    effects = sorted(zip(blocks.effects, blocks.names, strict=True))
    ends = dict.fromkeys([effects[0], effects[-1]])
    listed = ", ".join(f"{name} {numbers.points(effect)}" for effect, name in ends)
    yield (
        f"{side}: {CAUTION} {len(blocks.names)} servers answered, on {blocks.within} they differ"
        f" (p {numbers.p_value(blocks.p_value)}, level {LEVEL:g}): {listed} from the items' mean"
    )
