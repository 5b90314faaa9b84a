import pandas as pd
import pytest

from reports.items import ANSWER_LENGTH, ItemSide, item_rows
from reports.json_items import SIDE_COLUMNS, items_section
from reports.read_values import read_items
from reports.score_table import build_frame


def _frame(*rows: tuple[str, int, str | None, float | None, str | None, float | None]) -> pd.DataFrame:
    names = ("sample_id", "epoch", "outcome", "score", "answer", "output_tokens")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
    return build_frame(columns, len(rows))


def _side(**changes: object) -> ItemSide:
    side = dict.fromkeys(("correct", "incorrect", "no_answer", "truncated", "errors"), 0) | {
        "score": None,
        "output_tokens": None,
        "answer": None,
        "first_miss": None,
    }
    return ItemSide(**(side | changes))  # type: ignore[arg-type]


def test_an_item_counts_its_epochs() -> None:
    frame = _frame(
        ("a", 1, "correct", 1, "7", 10),
        ("a", 3, "truncated", 0, None, 50),
        ("a", 2, "correct", 1, "7", 30),
        ("a", 4, "error", None, None, None),
    )
    [row] = item_rows(frame, frame)
    assert row.baseline == _side(
        correct=2, truncated=1, errors=1, score=2 / 3, output_tokens=30.0, answer="7", first_miss=3
    )
    assert row.change == 0


@pytest.mark.parametrize(
    ("answers", "usual"),
    [
        pytest.param(["B", "A", "A"], "A", id="most frequent"),
        pytest.param(["B", "A", "A", "B"], "B", id="the first among equals"),
        pytest.param([None, None, "C"], "C", id="no answer has no vote"),
        pytest.param([None], None, id="none at all"),
        pytest.param(["x" * 500], "x" * (ANSWER_LENGTH - 1) + "…", id="long: cut"),
    ],
)
def test_the_usual_answer(answers: list[str | None], usual: str | None) -> None:
    frame = _frame(*[("a", at, "incorrect", 0, answer, 1) for at, answer in enumerate(answers, start=1)])
    [row] = item_rows(frame, frame)
    assert row.baseline is not None and row.baseline.answer == usual


def test_items_of_one_side_alone_are_there_without_a_change() -> None:
    rows = item_rows(_frame(("a", 1, "correct", 1, None, None)), _frame(("b", 1, None, None, None, None)))
    assert [row.sample_id for row in rows] == ["a", "b"]
    assert rows[0].candidate is None and rows[1].baseline is None
    assert rows[0].change is None
    assert rows[1].candidate == _side(), "a response of unknown outcome is no outcome"


def test_nothing_on_a_side() -> None:
    [row] = item_rows(_frame(), _frame(("a", 1, "incorrect", 0.0, None, None)))
    assert row.baseline is None


def test_columns_hold_every_item_once_and_are_read_back() -> None:
    base = _frame(("a", 1, "correct", 1, "7", 10), ("b", 1, "incorrect", 0.25, None, None))
    rows = item_rows(base, _frame(("b", 1, "correct", 1, "x", 4)))
    section = items_section(rows)
    assert {len(section["candidate"][name]) for name in SIDE_COLUMNS} == {2}
    assert read_items(section) == rows
