"""The items of a task as a table: columns that have something to say, rows as data for the page's script."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from reports import numbers
from reports.html.inert import inert
from reports.items import ItemRow, ItemSide

STATIC_ROWS = 40  # in the page itself, for readers and printers without a script
NAME_LENGTH = 120

Cell = str | float | int | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column: its heading, the side it is about (0 baseline, 1 candidate, or neither), how it is shown.

    ``kind`` is one of text, answer, share, points, count, tokens, log; missing values are ``None``.
    """

    label: str
    side: int | None
    kind: str
    value: Callable[[ItemRow], Cell]


@dataclass(frozen=True, kw_only=True)
class ItemTable:
    """The table of one task; rows in the order in which they first stand: the most worsened first."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    links: tuple[str | None, str | None]

    @property
    def spans(self) -> tuple[int, int]:
        """How many columns are about neither side, and how many about each."""
        plain = sum(column.side is None for column in self.columns)
        return plain, (len(self.columns) - plain) // 2

    @property
    def first_rows(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows that stand in the page itself."""
        return self.rows[:STATIC_ROWS]

    @property
    def has_change(self) -> bool:
        """Say whether any item has a score on both sides."""
        return any(column.kind == "points" for column in self.columns)

    @property
    def outcomes(self) -> list[str]:
        """The outcomes other than right and wrong that some response has: what a reader may want to see alone."""
        found = {column.label for column in self.columns}
        found |= {
            str(row[at])
            for at, column in enumerate(self.columns)
            if column.label == "outcome"
            for row in self.rows
        }
        return [name for name in ("no answer", "truncated", "error") if name in found]

    def payload(self) -> dict[str, Any]:
        """Return what the page's script needs to sort, filter and draw the rows."""
        return {
            "kinds": [column.kind for column in self.columns],
            "sides": [column.side for column in self.columns],
            "labels": [column.label for column in self.columns],
            "links": self.links,
            "rows": self.rows,
        }


def item_table(items: Sequence[ItemRow], links: tuple[str | None, str | None]) -> ItemTable:
    """Return the table of a task's items; ``links`` lead to the logs of baseline and candidate."""
    columns = tuple(_columns(items, has_links=any(links)))
    ordered = sorted(items, key=_by_change)
    rows = tuple(tuple(column.value(item) for column in columns) for item in ordered)
    return ItemTable(columns=columns, rows=rows, links=links)


def shown(value: Cell, kind: str) -> str:
    """Format a cell as the page's script does."""
    if value is None:
        return numbers.UNKNOWN
    if kind == "share":
        return numbers.percent(float(value), 1)
    if kind == "points":
        return numbers.points(float(value), 1).removesuffix(" pp")
    if kind == "log":
        return f"epoch {value}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _by_change(item: ItemRow) -> tuple[bool, float, float, str]:
    score = item.candidate.score if item.candidate is not None else None
    known = item.change is not None
    return (not known, item.change or 0.0, score if score is not None else 2.0, item.sample_id)


def _columns(items: Sequence[ItemRow], *, has_links: bool) -> list[Column]:
    """Return the columns that hold anything on either side: nine columns of zeros hide the one that matters.

    Where every side answered once an outcome says it all, and counts and scores are left out.
    """
    sides = [side for item in items for side in (item.baseline, item.candidate) if side is not None]
    is_single = all(side.n_responses <= 1 for side in sides) and all(
        side.score in (None, 0, 1) for side in sides
    )
    columns = [
        Column(label="item", side=None, kind="text", value=lambda item: inert(item.sample_id, NAME_LENGTH))
    ]
    if any(item.category for item in items):
        columns.append(Column(label="category", side=None, kind="text", value=_category))
    if any(item.change is not None for item in items):
        columns.append(Column(label="change, pp", side=None, kind="points", value=_change))
    specs = _SINGLE_COLUMNS if is_single else _SIDE_COLUMNS
    told = [spec for spec in specs if spec[3] or any(spec[2](side) for side in sides)]
    if is_single and has_links:
        told.append(_LOG_COLUMN)
    for side, attribute in enumerate(("baseline", "candidate")):
        for name, kind, value, _ in told:
            columns.append(Column(label=name, side=side, kind=kind, value=_of_side(attribute, value)))
    return columns


def _of_side(attribute: str, value: Callable[[ItemSide], Cell]) -> Callable[[ItemRow], Cell]:
    def read(item: ItemRow) -> Cell:
        side: ItemSide | None = getattr(item, attribute)
        return None if side is None else value(side)

    return read


def _category(item: ItemRow) -> str | None:
    return inert(item.category, NAME_LENGTH) if item.category else None


def _change(item: ItemRow) -> float | None:
    return None if item.change is None else round(item.change, 4)


def _tokens(side: ItemSide) -> int | None:
    return None if side.output_tokens is None else round(side.output_tokens)


def _answer(side: ItemSide) -> str | None:
    return None if side.answer is None else inert(side.answer)


def _outcome(side: ItemSide) -> str | None:
    """Return how the one response ended."""
    return next((name for name, count in side.outcomes.items() if count), None)


# heading, kind, value, whether it stands even where it is empty or 0 throughout
_Spec = tuple[str, str, Callable[[ItemSide], Cell], bool]
_SIDE_COLUMNS: tuple[_Spec, ...] = (
    ("score", "share", lambda side: None if side.score is None else round(side.score, 4), True),
    ("correct", "count", lambda side: side.correct, True),
    ("incorrect", "count", lambda side: side.incorrect, True),
    ("no answer", "count", lambda side: side.no_answer, False),
    ("truncated", "count", lambda side: side.truncated, False),
    ("error", "count", lambda side: side.errors, False),
    ("tokens", "tokens", _tokens, False),
    ("usual answer", "answer", _answer, False),
    ("first miss", "log", lambda side: side.first_miss, True),
)
_SINGLE_COLUMNS = (("outcome", "text", _outcome, True), *_SIDE_COLUMNS[6:8])
_LOG_COLUMN: _Spec = ("log", "log", lambda _: None, True)
