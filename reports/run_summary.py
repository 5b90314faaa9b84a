"""The summary of one run: what came back, how it ended, and accuracy with its interval."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from reports.arm import item_arm
from reports.category_table import category_facts
from reports.dead import dead_reason
from reports.replica_text import replicas_section
from reports.run_files import read_scores
from reports.score_table import OUTCOMES, TaskFacts
from reports.speed import speed_of
from reports.speed_text import speed_section
from reports.tool_call_json import tool_call_block
from reports.tool_call_metrics import tool_call_metrics
from reports.tool_call_rows import has_tool_calls

SCHEMA = 1
CONFIDENCE = 0.95
TOOL_TASK = "k2_tool_calls"
_NO_ACCURACY: dict[str, float | None] = {"value": None, "low": None, "high": None}


def summarise_run(
    directory: Path,
    *,
    requests_sent: int,
    retries: int,
    max_error_rate: float,
    groups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the run's summary as plain JSON values (see docs/json.md); unknown figures are ``None``.

    ``accuracy`` counts every response but errors, as served; ``accuracy_completed`` leaves truncated ones
    out as well. A run is invalid where errors exceed ``max_error_rate`` of the expected responses, partial
    where responses are missing, complete otherwise. A dead checkpoint's run is invalid and has no accuracy;
    ``dead`` says why (:func:`reports.dead.dead_reason`). ``groups`` as in :func:`category_facts`.
    """
    table = read_scores(directory)
    facts = next(iter(table.facts.values()))
    return summarise(
        table.frame,
        facts,
        log=_log_name(directory),
        requests_sent=requests_sent,
        retries=retries,
        max_error_rate=max_error_rate,
        groups=groups,
    )


def summarise(
    rows: pd.DataFrame,
    facts: TaskFacts,
    *,
    log: str | None,
    requests_sent: int,
    retries: int,
    max_error_rate: float,
    groups: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the summary of score-table rows of one task (:func:`summarise_run`)."""
    outcomes = {name: int((rows["outcome"] == name).sum()) for name in OUTCOMES}
    n_items = facts.n_items or int(rows["sample_id"].nunique())
    n_epochs = facts.epochs or int(rows["epoch"].max())
    expected = facts.expected or n_items * n_epochs
    completed = sum(outcomes.values()) - outcomes["error"]
    finished = rows[~rows["outcome"].isin(["error", "truncated"])]
    dead = dead_reason(facts, rows)
    status = run_status(outcomes["error"], completed, expected, max_error_rate)
    return {
        "schema": SCHEMA,
        "task": facts.task,
        "variant": facts.spec.get("variant"),
        "label": facts.label,
        "fingerprint": facts.fingerprint,
        "log": log,
        "status": status if dead is None else "invalid",
        "dead": dead,
        "n_items": n_items,
        "epochs": n_epochs,
        "expected": expected,
        "completed": completed,
        "coverage": completed / expected if expected else None,
        "outcomes": outcomes,
        "error_rate": outcomes["error"] / expected if expected else None,
        "errors_by_kind": _errors_by_kind(rows),
        "first_error": _first_error(rows),
        "flags": flag_counts(rows),
        "accuracy": _accuracy(rows) if dead is None else _NO_ACCURACY,
        "accuracy_completed": _accuracy(finished) if dead is None else _NO_ACCURACY,
        **_escalated(rows),
        "truncation_rate": outcomes["truncated"] / completed if completed else None,
        "per_epoch": _per_epoch(rows) if dead is None else [],
        "tokens": _tokens(rows),
        "speed": speed_section(speed_of(rows, facts.client)),
        "requests_sent": requests_sent,
        "retries": retries,
        **(
            {}
            if dead
            else {**replicas_section(rows, facts.endpoint, CONFIDENCE), **category_facts(rows, groups)}
        ),
        **_tool_calls(rows, facts),
    }


def _tool_calls(rows: pd.DataFrame, facts: TaskFacts) -> dict[str, Any]:
    """Return the block of a task about tool calls, nothing for others."""
    found = tool_call_metrics(rows) if has_tool_calls(rows) or facts.task == TOOL_TASK else None
    return {} if found is None else {"tool_calls": tool_call_block(found)}


def _log_name(directory: Path) -> str | None:
    """Return the newest log's name; there is more than one only while interrupted tries are not superseded."""
    logs = sorted(directory.glob("*.eval"), key=lambda path: path.stat().st_mtime)
    return logs[-1].name if logs else None


def run_status(n_errors: int, completed: int, expected: int, max_error_rate: float) -> str:
    """Return ``complete``, ``partial`` or ``invalid``; a run with nothing completed is invalid."""
    if n_errors > max_error_rate * expected or (completed == 0 and n_errors > 0):
        return "invalid"
    return "complete" if completed + n_errors >= expected else "partial"


def flag_counts(rows: pd.DataFrame) -> dict[str, int]:
    """Return how many responses carry each flag; the two that point at serving faults always stand."""
    counts: Counter[str] = Counter({"degenerate_repetition": 0, "think_in_content": 0})
    for flags, n_rows in rows["flags"].value_counts().items():
        for flag in {flag for flag in str(flags).split(";") if flag}:
            counts[flag] += int(n_rows)
    return dict(counts)


def _accuracy(rows: pd.DataFrame) -> dict[str, float | None]:
    arm = item_arm(rows)
    if arm is None:
        return _NO_ACCURACY
    interval = arm.interval(CONFIDENCE)
    return {"value": arm.accuracy, "low": interval.low, "high": interval.high}


def _escalated(rows: pd.DataFrame) -> dict[str, Any]:
    """Return accuracy with truncated responses as larger budgets left them, ``None`` where none was asked.

    A request of larger budget that failed leaves its response as served.
    """
    tried = rows["escalated_max_tokens"].notna()
    if not tried.any():
        return {"accuracy_escalated": None, "escalated": None}
    scores = rows["score"].where(rows["escalated_score"].isna(), rows["escalated_score"])
    outcomes = rows.loc[tried, "escalated_outcome"].astype(str).value_counts()
    return {
        "accuracy_escalated": _accuracy(rows.assign(score=scores)),
        "escalated": {
            "n": int(tried.sum()),
            "max_tokens": int(rows["escalated_max_tokens"].max()),
            "outcomes": {name: int(outcomes.get(name, 0)) for name in OUTCOMES},
        },
    }


def _per_epoch(rows: pd.DataFrame) -> list[dict[str, int]]:
    scored = rows[rows["score"].notna()]
    grouped = scored.groupby("epoch", sort=True)["outcome"]
    return [
        {"epoch": int(str(epoch)), "correct": int((outcomes == "correct").sum()), "n": len(outcomes)}
        for epoch, outcomes in grouped
    ]


def _tokens(rows: pd.DataFrame) -> dict[str, Any]:
    estimated = rows["tokens_estimated"].fillna(False)
    return {
        "output_mean": _mean(rows["output_tokens"]),
        "reasoning_mean": _mean(rows["reasoning_tokens"]),
        "answer_mean": _mean(rows["answer_tokens"]),
        "output_total": _total(rows["output_tokens"]),
        "estimated": bool(estimated.any()),
    }


def _mean(values: "pd.Series[float]") -> float | None:
    known = values.dropna()
    return float(known.mean()) if len(known) else None


def _total(values: "pd.Series[float]") -> int | None:
    known = values.dropna()
    return int(known.sum()) if len(known) else None


def _errors_by_kind(rows: pd.DataFrame) -> Mapping[str, int]:
    errors = rows.loc[rows["outcome"] == "error", "error"].dropna()
    return dict(Counter(str(message).partition(":")[0] for message in errors))


def _first_error(rows: pd.DataFrame) -> str | None:
    """Return what the first error said, in one line."""
    errors = rows.loc[rows["outcome"] == "error", "error"].dropna()
    return " ".join(str(errors.iloc[0]).split()) if len(errors) else None
