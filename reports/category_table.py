"""Results by category and by group of categories, and further scores beside the main one."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reports.json_text import json_object

FULL_SCORE_ITEMS = 1000  # a benchmark scored "of 1,000" has as many items


def category_facts(rows: pd.DataFrame, groups: Mapping[str, str] | None) -> dict[str, Any]:
    """Return ``categories``, ``groups`` and ``secondary`` of score-table rows, those that there are.

    Each row of a table counts items, scored responses and correct ones; ``accuracy`` is the mean over items
    of the mean over epochs. With ``groups`` (group of each category) there is ``score_of_1000`` too: ``None``
    unless every one of 1,000 items has a scored response.
    """
    facts: dict[str, Any] = {}
    categories = rows["category"].astype(object)
    if categories.notna().any():
        facts["categories"] = _table(rows, categories, "category")
        if groups is not None:
            found = _table(rows, categories.map(groups), "group")
            order = list(dict.fromkeys(groups.values()))
            facts["groups"] = sorted(found, key=lambda row: order.index(row["group"]))
    if groups is not None:
        means = _item_means(rows)
        is_whole = len(means) == FULL_SCORE_ITEMS and bool(means.notna().all())
        facts["score_of_1000"] = round(float(means.sum()), 6) if is_whole else None
    if secondary := _secondary(rows):
        facts["secondary"] = secondary
    return facts


def _table(rows: pd.DataFrame, labels: "pd.Series[Any]", name: str) -> list[dict[str, Any]]:
    return [
        {
            name: str(label),
            "n_items": int(part["sample_id"].nunique()),
            "n": int(part["score"].notna().sum()),
            "correct": int((part["outcome"] == "correct").sum()),
            "accuracy": _mean(_item_means(part)),
        }
        for label, part in rows.groupby(labels.to_numpy(), sort=True)
    ]


def _item_means(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return the mean score of each item over its epochs, NaN for an item without a scored response."""
    means: pd.Series[float] = rows.groupby(rows["sample_id"].astype(str))["score"].mean()
    return means


def _secondary(rows: pd.DataFrame) -> dict[str, float | None]:
    """Return the mean of each further score, over the items that have it."""
    held = rows["secondary"].astype(object)
    parsed = held[held.notna()].map(json_object)
    names = sorted({name for values in parsed for name in values})
    means = {}
    for name in names:
        values = parsed.map(lambda scores, name=name: scores.get(name)).astype(float)
        by_item = values.groupby(rows.loc[values.index, "sample_id"].astype(str)).mean()
        means[name] = _mean(by_item)
    return means


def _mean(values: "pd.Series[float]") -> float | None:
    known = values.dropna()
    return float(known.mean()) if len(known) else None


def render_categories(facts: Mapping[str, Any]) -> list[str]:
    """Return the lines that show :func:`category_facts` on a terminal: groups where there are, else categories."""
    lines = []
    table, name = facts.get("groups"), "group"
    if table is None:
        table, name = facts.get("categories") or [], "category"
    width = max((len(row[name]) for row in table), default=0)
    for row in table:
        share = "none scored" if row["accuracy"] is None else f"{row['accuracy']:.1%}"
        lines.append(f"  {row[name]:<{width}}  {row['correct']:>5,} of {row['n']:>5,}  {share}")
    if facts.get("score_of_1000") is not None:
        lines.append(f"  score {facts['score_of_1000']:,.0f} of 1,000")
    for score, value in (facts.get("secondary") or {}).items():
        if value is not None:
            lines.append(f"  {score} {value:.2%}")
    return lines
