"""Simulated comparisons of every task shape: coverage, false verdicts and width of any interval method."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.methods import Pair, bootstrap, clustered_t, naive_z, pair_of, population
from benchmarks.shapes import SHAPES, FloatArray, candidate_chances, draw_runs, hardness_loss
from reports.intervals import Limits

Method = Callable[[Pair], Limits]
RIVALS: dict[str, Method] = {"naive z": naive_z, "clustered t": clustered_t, "bootstrap": bootstrap}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One simulated comparison.

    ``missing`` is none, random (30 % on both sides) or hard (time-outs that grow with difficulty, more of
    them in the candidate).
    """

    shape: str
    baseline_epochs: int
    candidate_epochs: int
    margin: float
    missing: str = "none"

    @property
    def name(self) -> str:
        epochs = f"{self.baseline_epochs}/{self.candidate_epochs}"
        return f"{self.shape} {epochs}" + ("" if self.missing == "none" else f", {self.missing} missing")


CELLS = (
    Cell(shape="aime seed", baseline_epochs=32, candidate_epochs=32, margin=0.014),
    Cell(shape="aime ceiling", baseline_epochs=32, candidate_epochs=32, margin=0.014),
    Cell(shape="aime ceiling", baseline_epochs=8, candidate_epochs=8, margin=0.03),
    Cell(shape="aime ceiling", baseline_epochs=1, candidate_epochs=1, margin=0.05),
    Cell(shape="aime mid", baseline_epochs=32, candidate_epochs=32, margin=0.03),
    Cell(shape="gpqa", baseline_epochs=4, candidate_epochs=4, margin=0.031),
    Cell(shape="gpqa", baseline_epochs=16, candidate_epochs=16, margin=0.02),
    Cell(shape="ocr", baseline_epochs=1, candidate_epochs=1, margin=0.021),
    Cell(shape="ocr", baseline_epochs=2, candidate_epochs=2, margin=0.014),
    Cell(shape="mmmu", baseline_epochs=1, candidate_epochs=1, margin=0.024),
    Cell(shape="tools", baseline_epochs=1, candidate_epochs=1, margin=0.008),
    Cell(shape="tools", baseline_epochs=2, candidate_epochs=2, margin=0.006),
    Cell(shape="aime ceiling", baseline_epochs=32, candidate_epochs=8, margin=0.02),
    Cell(shape="aime ceiling", baseline_epochs=128, candidate_epochs=32, margin=0.014),
    Cell(shape="gpqa", baseline_epochs=32, candidate_epochs=4, margin=0.031),
    Cell(shape="aime seed", baseline_epochs=32, candidate_epochs=1, margin=0.014),
    Cell(shape="aime ceiling", baseline_epochs=32, candidate_epochs=1, margin=0.014),
    Cell(shape="gpqa", baseline_epochs=8, candidate_epochs=1, margin=0.031),
    Cell(shape="ocr", baseline_epochs=4, candidate_epochs=1, margin=0.021),
    Cell(shape="aime ceiling", baseline_epochs=32, candidate_epochs=32, margin=0.014, missing="random"),
    Cell(shape="gpqa", baseline_epochs=4, candidate_epochs=4, margin=0.031, missing="random"),
    Cell(shape="aime mid", baseline_epochs=32, candidate_epochs=32, margin=0.03, missing="hard"),
    Cell(shape="gpqa", baseline_epochs=4, candidate_epochs=4, margin=0.031, missing="hard"),
    Cell(shape="gpqa", baseline_epochs=8, candidate_epochs=8, margin=0.031, missing="hard"),
)


POPULATION_CELLS = tuple(
    cell for cell in CELLS if cell.missing == "none" and cell.baseline_epochs == cell.candidate_epochs
)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """How much is simulated: item sets and runs of each (fewer for large tasks)."""

    item_sets: int
    runs: int
    seed: int = 20_250

    def runs_of(self, n_items: int) -> int:
        return self.runs if n_items < 500 else max(self.runs // 2, 1)


FULL, SHORT = Budget(item_sets=20, runs=400), Budget(item_sets=5, runs=100)
PRECISE = Budget(item_sets=80, runs=400)  # for our own interval, whose false passes are to be told from 3 %


@dataclass(frozen=True, kw_only=True)
class Result:
    """Shares over all runs: covered with nothing lost and with the margin lost, passes of either, widths."""

    covered_equal: float
    covered_lost: float
    passed_equal: float
    passed_lost: float
    width: float
    zero_width: float


def simulate(cell: Cell, budget: Budget, methods: Mapping[str, Method]) -> dict[str, Result]:
    """Simulate one cell for exactly these items: the item sets stay, the responses vary."""
    tallies = {name: {0.0: _Tally(), -cell.margin: _Tally()} for name in methods}
    for delta in (0.0, -cell.margin):
        for pair, truth in _pairs(cell, budget, delta):
            for name, method in methods.items():
                tallies[name][delta].add(method(pair), truth, cell.margin)
    return {name: _result(tally[0.0], tally[-cell.margin]) for name, tally in tallies.items()}


def simulate_population(cell: Cell, budget: Budget) -> Result:
    """Simulate the second line: every run draws its own items from a pool, whose mean is the truth."""
    rng = np.random.default_rng([budget.seed, 7])
    shape, n_runs = SHAPES[cell.shape], budget.item_sets * budget.runs_of(SHAPES[cell.shape].n_items) // 2
    tallies = {delta: _Tally() for delta in (0.0, -cell.margin)}
    for delta, tally in tallies.items():
        pool = np.concatenate([shape.draw(rng) for _ in range(200_000 // shape.n_items)])
        changed = candidate_chances(pool, delta, rng)
        items = rng.integers(0, len(pool), (n_runs, shape.n_items))
        base = draw_runs(pool[items], cell.baseline_epochs, n_runs, 0, rng)
        cand = draw_runs(changed[items], cell.candidate_epochs, n_runs, 0, rng)
        tally.add(population(pair_of(base, cand)), delta, cell.margin)
    return _result(tallies[0.0], tallies[-cell.margin])


class _Tally:
    """Counts over runs of one true difference."""

    def __init__(self) -> None:
        self.runs = 0
        self.covered = 0
        self.passed = 0
        self.width = 0.0
        self.zero = 0

    def add(self, limits: Limits, truth: float, margin: float) -> None:
        self.runs += len(limits.low)
        self.covered += int(np.sum((limits.low <= truth + 1e-12) & (limits.high >= truth - 1e-12)))
        self.passed += int(np.sum(limits.low > -margin))
        self.width += float(np.sum(limits.high - limits.low))
        self.zero += int(np.sum(limits.high - limits.low < 1e-9))


def _result(equal: _Tally, lost: _Tally) -> Result:
    runs = equal.runs + lost.runs
    return Result(
        covered_equal=equal.covered / equal.runs,
        covered_lost=lost.covered / lost.runs,
        passed_equal=equal.passed / equal.runs,
        passed_lost=lost.passed / lost.runs,
        width=(equal.width + lost.width) / runs,
        zero_width=(equal.zero + lost.zero) / runs,
    )


def _pairs(cell: Cell, budget: Budget, delta: float) -> Iterator[tuple[Pair, float]]:
    """Yield the runs of every item set and their true difference over all its items."""
    shape, n_runs = SHAPES[cell.shape], budget.runs_of(SHAPES[cell.shape].n_items)
    for item_set in range(budget.item_sets):
        rng = np.random.default_rng([budget.seed, CELLS.index(cell), item_set])
        base = shape.draw(rng)
        cand = candidate_chances(base, delta, rng)
        losses = _losses(cell, base, cand)
        pair = pair_of(
            draw_runs(base, cell.baseline_epochs, n_runs, losses[0], rng),
            draw_runs(cand, cell.candidate_epochs, n_runs, losses[1], rng),
        )
        yield pair, float(cand.mean() - base.mean())


def _losses(cell: Cell, base: FloatArray, cand: FloatArray) -> tuple[FloatArray | float, FloatArray | float]:
    if cell.missing == "hard":
        return hardness_loss(base, 0.3), hardness_loss(cand, 0.5)
    return (0.3, 0.3) if cell.missing == "random" else (0.0, 0.0)
