"""Sum up graded recorded responses: outcomes, accuracy with its interval, flags, and what is missing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
import pandas as pd

from evals.vendor.replay import GradedRow
from reports.arm import item_arm
from reports.category_table import category_facts, render_categories
from reports.run_summary import CONFIDENCE, flag_counts
from reports.score_table import OUTCOMES, build_frame

SCHEMA = 1
MIN_ITEMS_FOR_CONSTANT = 20  # with fewer items one target may be right for all of them by chance


def summarise_replay(
    task: str,
    rows: Sequence[GradedRow],
    *,
    variant: str | None = None,
    n_items_expected: int | None = None,
    groups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the summary as plain JSON values; ``coverage`` is of the task's items over the epochs seen."""
    frame = _frame(task, rows)
    outcomes = {name: int((frame["outcome"] == name).sum()) for name in OUTCOMES}
    n_epochs = int(frame["epoch"].nunique())
    expected = n_items_expected * n_epochs if n_items_expected else None
    summary = {
        "schema": SCHEMA,
        "task": task,
        "variant": variant,
        "n": len(rows),
        "n_items": int(frame["sample_id"].nunique()),
        "epochs": n_epochs,
        "expected": expected,
        "coverage": min(1.0, (len(rows) - outcomes["error"]) / expected) if expected else None,
        "outcomes": outcomes,
        "flags": flag_counts(frame),
        "accuracy": _accuracy(frame),
        "accuracy_completed": _accuracy(frame[~frame["outcome"].isin(["error", "truncated"])]),
        **category_facts(frame, groups),
        "warnings": _warnings(rows),
    }
    triggers = [row.output["triggered"] for row in rows if "triggered" in row.output]
    return summary | ({"triggered": sum(map(bool, triggers))} if triggers else {})


def _frame(task: str, rows: Sequence[GradedRow]) -> pd.DataFrame:
    outputs = [row.output for row in rows]
    columns: dict[str, list[Any]] = {
        "task": [task] * len(rows),
        "sample_id": [str(output["id"]) for output in outputs],
        "epoch": [output["epoch"] for output in outputs],
        "outcome": [output["outcome"] for output in outputs],
        "score": [output["score"] for output in outputs],
        "flags": [";".join(output["flags"]) for output in outputs],
        "category": [row.category for row in rows],
        "secondary": [
            orjson.dumps(output["secondary"]).decode() if "secondary" in output else None
            for output in outputs
        ],
    }
    return build_frame(columns, len(rows))


def _accuracy(frame: pd.DataFrame) -> dict[str, float | None]:
    arm = item_arm(frame)
    if arm is None:
        return {"value": None, "low": None, "high": None}
    interval = arm.interval(CONFIDENCE)
    return {"value": arm.accuracy, "low": interval.low, "high": interval.high}


def _warnings(rows: Sequence[GradedRow]) -> list[str]:
    warnings = []
    places = Counter((str(row.output["id"]), row.output["epoch"]) for row in rows)
    repeated = sum(count > 1 for count in places.values())
    if repeated:
        warnings.append(f"{repeated} pairs of id and epoch stand more than once; every row is counted")
    targets = {str(row.output["id"]): row.target for row in rows if row.target is not None}
    if len(targets) >= MIN_ITEMS_FOR_CONSTANT and len(set(targets.values())) == 1:
        warnings.append(
            f"gold label distribution is constant ({next(iter(targets.values()))!r} for all {len(targets)} items); "
            "check where the targets come from"
        )
    return warnings


def render_replay(summary: Mapping[str, Any]) -> str:
    """Return the summary as a few lines for people."""
    variant = f" [{summary['variant']}]" if summary["variant"] else ""
    outcomes = "   ".join(f"{name} {count}" for name, count in summary["outcomes"].items())
    lines = [
        f"{summary['task']}{variant} · {summary['n']:,} responses "
        f"({summary['n_items']:,} items, {summary['epochs']} epochs)",
        f"  {outcomes}",
        f"  accuracy {_interval(summary['accuracy'])}{_partial(summary)}",
    ]
    if summary["outcomes"]["truncated"]:
        lines.append(f"  over completed responses {_interval(summary['accuracy_completed'])}")
    if "triggered" in summary:
        lines.append(f"  tools called in {summary['triggered']:,} of {summary['n']:,} responses")
    lines += render_categories(summary)
    if flagged := {name: n for name, n in summary["flags"].items() if n}:
        lines.append("  flags " + ", ".join(f"{name} {n}" for name, n in flagged.items()))
    lines += [f"  warning: {warning}" for warning in summary["warnings"]]
    return "\n".join(lines)


def _interval(figure: Mapping[str, Any]) -> str:
    if figure["value"] is None:
        return "none scored"
    return f"{figure['value']:.2%} [{figure['low']:.2%}, {figure['high']:.2%}]"


def _partial(summary: Mapping[str, Any]) -> str:
    coverage = summary["coverage"]
    if coverage is None or coverage >= 1:
        return ""
    return f"   PARTIAL: {coverage:.1%} of {summary['expected']:,} responses"
