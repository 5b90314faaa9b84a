import pandas as pd
import pytest

from reports.category_table import category_facts, render_categories
from reports.score_table import build_frame

GROUPS = {"x": "Second", "y": "First", "z": "First"}


def frame(rows: list[tuple[str, int, str, float | None, str | None, str | None]]) -> pd.DataFrame:
    names = ("sample_id", "epoch", "outcome", "score", "category", "secondary")
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return build_frame(columns, len(rows))


ROWS = frame(
    [
        ("a", 1, "correct", 1.0, "x", '{"exact": 1.0}'),
        ("a", 2, "incorrect", 0.0, "x", '{"exact": 0.0}'),
        ("b", 1, "correct", 1.0, "y", '{"exact": 0.0}'),
        ("c", 1, "error", None, "z", None),
        ("c", 2, "correct", 1.0, "z", '{"exact": 1.0}'),
    ]
)


def test_categories_count_items_scored_and_correct_responses() -> None:
    assert category_facts(ROWS, None)["categories"] == [
        {"category": "x", "n_items": 1, "n": 2, "correct": 1, "accuracy": 0.5},
        {"category": "y", "n_items": 1, "n": 1, "correct": 1, "accuracy": 1.0},
        {"category": "z", "n_items": 1, "n": 1, "correct": 1, "accuracy": 1.0},
    ]


def test_groups_stand_in_their_own_order() -> None:
    groups = category_facts(ROWS, GROUPS)["groups"]
    assert [(row["group"], row["n_items"], row["correct"]) for row in groups] == [
        ("Second", 1, 1),
        ("First", 2, 2),
    ]


def test_further_scores_are_means_over_items_of_means_over_epochs() -> None:
    assert category_facts(ROWS, None)["secondary"] == {"exact": pytest.approx(0.5)}


def test_the_score_of_1000_needs_all_1000_items() -> None:
    rows = [(f"s{n}", 1, "correct", float(n % 2), "x", None) for n in range(1000)]
    assert category_facts(frame(rows), GROUPS)["score_of_1000"] == 500
    assert category_facts(frame(rows[:999]), GROUPS)["score_of_1000"] is None
    missing = [*rows[:999], ("s999", 1, "error", None, "x", None)]
    assert category_facts(frame(missing), GROUPS)["score_of_1000"] is None


def test_tasks_without_categories_have_no_table() -> None:
    rows = frame([("a", 1, "correct", 1.0, None, None)])
    assert category_facts(rows, None) == {}
    assert render_categories({}) == []


def test_groups_are_shown_where_there_are_groups() -> None:
    lines = render_categories(category_facts(ROWS, GROUPS))
    assert lines[0].split() == ["Second", "1", "of", "2", "50.0%"]
    assert any(line.split() == ["exact", "50.00%"] for line in lines)
