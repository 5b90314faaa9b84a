"""Speed, cost and accuracy of runs beside each other: one block for one run, one table for several."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reports import numbers
from reports.arm import item_arm
from reports.cost import Cost, Price, cost_of
from reports.intervals import Estimate
from reports.json_values import value_and_limits
from reports.run_files import TaskRun
from reports.run_summary import CONFIDENCE
from reports.speed import Speed, speed_of
from reports.speed_text import CLIENT_NOTE, UNKNOWN, milliseconds, speed_block, speed_section
from reports.tallies import count_outcomes
from reports.terminal import printable

SCHEMA = 1
FOREIGN_NOTE = "a log made without quantcheck: its times are of whole samples, not of requests"
_HEADER = ("run", "accuracy", "cost", "per solved", "tokens/solved", "tok/s", "conc.", "TTFT p50", "TPOT p50")


@dataclass(frozen=True, kw_only=True)
class SpeedRow:
    """One run of one task: its accuracy (95 % interval, these items), speed, and cost where a price is given."""

    run: TaskRun
    accuracy: Estimate | None
    speed: Speed
    cost: Cost | None

    @property
    def task(self) -> str:
        """Name the task."""
        return self.run.facts.task


def speed_rows(runs: Iterable[TaskRun], price: Price | None) -> list[SpeedRow]:
    """Return a row a run: tasks in order of name, the cheapest run first, those of unknown cost last."""
    rows = [_row(run, price) for run in runs]
    return sorted(rows, key=_order) if price is not None else sorted(rows, key=lambda row: row.task)


def _order(row: SpeedRow) -> tuple[str, bool, float]:
    total = row.cost.total if row.cost is not None else None
    return row.task, total is None, total or 0.0


def _row(run: TaskRun, price: Price | None) -> SpeedRow:
    speed, arm = speed_of(run.frame, run.facts.client), item_arm(run.frame)
    n_solved = int((run.frame["outcome"] == "correct").sum())
    return SpeedRow(
        run=run,
        accuracy=Estimate(value=arm.accuracy, interval=arm.interval(CONFIDENCE)) if arm is not None else None,
        speed=speed,
        cost=cost_of(speed, price, n_solved) if price is not None else None,
    )


def speed_document(rows: Sequence[SpeedRow], price: Price | None) -> dict[str, Any]:
    """Return the JSON document: one entry a run, times in seconds, ``None`` where unknown."""
    return {
        "schema": SCHEMA,
        "price": asdict(price) if price is not None else None,
        "runs": [_entry(row) for row in rows],
        "notes": speed_notes_of(rows),
    }


def _entry(row: SpeedRow) -> dict[str, Any]:
    facts, found = row.run.facts, row.accuracy
    return {
        "task": facts.task,
        "label": facts.label,
        "fingerprint": facts.fingerprint,
        "source": facts.source,
        "accuracy": value_and_limits(*((found.value, found.interval) if found else (None, None))),
        "speed": speed_section(row.speed),
        "cost": asdict(row.cost) if row.cost is not None else None,
    }


def render_speed(rows: Sequence[SpeedRow]) -> str:
    """Return the figures of one run in full, of several as one table a task, notes below."""
    blocks = [_one_run(rows[0])] if len(rows) == 1 else [_table(part) for part in _by_task(rows)]
    notes = [f"note: {note}" for note in speed_notes_of(rows)]
    return printable("\n\n".join(blocks) + "\n" + "".join(f"{note}\n" for note in notes))


def speed_notes_of(rows: Sequence[SpeedRow]) -> list[str]:
    """Return what to know before the runs' figures are believed or compared."""
    notes = []
    for row in rows:
        name = f"{row.task or 'scores'}, {row.run.facts.label}"
        notes += [f"{name}: {CLIENT_NOTE}"] * (row.speed.client_bound is True and len(rows) > 1)
        notes += [f"{name}: {FOREIGN_NOTE}"] * row.run.facts.is_foreign
        counts = count_outcomes(row.run.frame, row.run.facts.expected)
        if counts.missing:
            notes.append(f"{name}: partial, {numbers.share(counts.scored, counts.expected)} scored")
        notes += [f"{name}: holds no times"] * (row.speed.e2e is None)
    for part in _by_task(rows):
        if len({row.run.facts.fingerprint for row in part}) > 1:
            notes.append(f"{part[0].task}: the runs are of different protocols; accuracies do not compare")
    return notes


def _by_task(rows: Sequence[SpeedRow]) -> list[list[SpeedRow]]:
    return [[row for row in rows if row.task == task] for task in dict.fromkeys(row.task for row in rows)]


def _one_run(row: SpeedRow) -> str:
    lines = [speed_block(f"{row.task or 'scores'}, {row.run.facts.label}", row.speed)]
    lines.append(f"accuracy {_accuracy(row)}")
    if row.cost is not None:
        lines.append(
            f"cost {_money(row.cost.total)}, {_money(row.cost.per_solved)} a solved response,"
            f" {_money(row.cost.per_million)} a million output tokens"
        )
    return "\n".join(lines)


def _table(rows: Sequence[SpeedRow]) -> str:
    has_cost = any(row.cost is not None for row in rows)
    names = Counter(row.run.facts.label for row in rows)
    cells = [list(_HEADER), *(_cells(row, names[row.run.facts.label] > 1) for row in rows)]
    if not has_cost:
        cells = [[*line[:2], *line[4:]] for line in cells]
    return f"{rows[0].task or 'scores'}\n" + aligned(cells)


def _cells(row: SpeedRow, is_repeated: bool) -> list[str]:
    """Return a run's line; a label that several runs bear is told apart by where they lie."""
    speed, cost, facts = row.speed, row.cost, row.run.facts
    name = f"{facts.label} ({facts.source})" if is_repeated else facts.label
    return [
        f"{name}{' *' if speed.client_bound else ''}",
        _accuracy(row),
        _money(cost.total if cost else None),
        _money(cost.per_solved if cost else None),
        UNKNOWN if speed.tokens_per_solved is None else f"{speed.tokens_per_solved:,.0f}",
        UNKNOWN if speed.output_throughput is None else f"{speed.output_throughput:,.0f}",
        UNKNOWN if speed.concurrency is None else f"{speed.concurrency:,.1f}",
        UNKNOWN if speed.ttft is None else milliseconds(speed.ttft.median),
        UNKNOWN if speed.tpot is None else milliseconds(speed.tpot.median),
    ]


def aligned(cells: Sequence[Sequence[str]]) -> str:
    """Return rows of text as columns: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = []
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = [text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  " + "  ".join([first, *rest]).rstrip())
    return "\n".join(lines)


def _accuracy(row: SpeedRow) -> str:
    if row.accuracy is None:
        return UNKNOWN
    return f"{numbers.percent(row.accuracy.value)} {numbers.percent_interval(row.accuracy.interval)}"


def _money(value: float | None) -> str:
    """Format an amount: two decimals, more only where it is small."""
    if value is None:
        return UNKNOWN
    return f"{value:,.2f}" if value >= 1 else f"{value:#.3g}"
