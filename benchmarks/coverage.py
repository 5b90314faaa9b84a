"""Does 95 % mean 95 %: simulate every task shape and write the table kept in docs/coverage.md.

``python -m benchmarks.coverage`` (minutes on one core); ``--short`` for a rough one in seconds.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cells import (
    CELLS,
    FULL,
    POPULATION_CELLS,
    PRECISE,
    RIVALS,
    SHORT,
    Budget,
    Cell,
    Result,
    simulate,
    simulate_population,
)
from benchmarks.methods import design_one_epoch, ours
from benchmarks.shocks import SHOCK_CELLS, simulate_shocks
from benchmarks.stopping import CAMPAIGNS, LOSSES, Rule, simulate_campaign

COVERAGE_AIM, FALSE_PASS_AIM = 0.94, 0.03
OURS, DESIGN = "ours", "no allowance"

INTRO = """# Do the intervals hold?

Made by `make coverage` (seeded; `benchmarks/`). Every row simulates one comparison many times: items of mixed
difficulty, a candidate that quantization moves item by item (0.65 logits), its true accuracy either equal to
the baseline's or lower by exactly the margin. Epochs are baseline / candidate. *Covered* is the share of runs
whose 95 % interval holds the truth, *false pass* the share that pass although the margin was lost (2.5 % by
design), *pass* the share that pass with nothing lost. Widths are in percentage points.
"""
HEADLINE_TEXT = """
## Headline: exactly these items

The item set stays and the responses vary ({sets} item sets, {small} runs of each, {large} for tasks of
500 items and more, for each of the two truths). The error of a share by simulation is about {error} points.
*Missing*: random is 30 % of responses on either side, hard is time-outs that grow with difficulty (up to 30 %
in the baseline, 50 % in the candidate). These rows show the interval alone: the verdict must also survive
every missing response having been wrong, so that nearly all such runs are inconclusive.
"""
RIVAL_TEXT = """
## The same by other methods

Of the first {sets} item sets. Each cell: covered (the worse of the two truths), false pass, intervals of zero
width. *Naive z* takes responses for independent questions and sides for unpaired, *clustered t* is the paired
t-test over items, *bootstrap* the percentile one over items. *No allowance* is scaled Tango without the one
unseen flip that the headline allows for where one side has a single epoch.
"""
POPULATION_TEXT = """
## Second line: items like these

Every run draws its own items as well. No epochs can make this line narrow.
"""
SHOCK_TEXT = """
## Noise shared by a whole epoch

Equal checkpoints whose epochs are each shifted by a shock of so many logits, which no interval over items can
see. *Flagged* is the share of runs in which the epochs vary more than sampling explains; those are widened.
A mitigation, not a cure.
"""
STOPPING_TEXT = """
## Early stopping

Pass and regression by true loss, and mean candidate epochs. *Peeking* looks at the 95 % interval each time;
the others spend the error over the looks. *Baseline finished* compares with a baseline that has all its
epochs from the start, as `run --until-decided --baseline` does, so that early looks know more.
"""


def main(arguments: Sequence[str]) -> int:
    """Simulate and write the page (with ``--short`` print it)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a rough table on stdout")
    parser.add_argument("--out", type=Path, default=Path("docs/coverage.md"))
    options = parser.parse_args(arguments)
    text = page(SHORT, SHORT) if options.short else page(FULL, PRECISE)
    if options.short:
        print(text)
    else:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text, encoding="utf-8")
    return 0


def page(budget: Budget, precise: Budget) -> str:
    """Return the whole page in Markdown; the headline table is simulated with the ``precise`` budget."""
    found = {cell: _simulate(cell, budget) for cell in CELLS}
    headline = {cell: simulate(cell, precise, {OURS: ours})[OURS] for cell in CELLS}
    error = (0.95 * 0.05 / (precise.item_sets * precise.runs)) ** 0.5
    parts = [
        INTRO,
        HEADLINE_TEXT.format(
            sets=precise.item_sets,
            small=precise.runs,
            large=precise.runs_of(1000),
            error=f"{100 * error:.1f} to {140 * error:.1f}",
        ),
        headline_table(headline),
        misses(headline),
        RIVAL_TEXT.format(sets=budget.item_sets),
        rival_table(found),
        POPULATION_TEXT,
        headline_table({cell: simulate_population(cell, budget) for cell in POPULATION_CELLS}),
        SHOCK_TEXT,
        shock_table(budget),
        STOPPING_TEXT,
        stopping_table(budget),
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def headline_table(results: dict[Cell, Result]) -> str:
    """Return one row per cell."""
    rows = [
        [
            cell.name,
            _points(cell.margin),
            _share(result.covered_equal),
            _share(result.covered_lost),
            _share(result.passed_lost),
            _share(result.passed_equal),
            _points(result.width),
            _share(result.zero_width),
        ]
        for cell, result in results.items()
    ]
    head = [
        "task, epochs",
        "margin",
        "covered, equal",
        "covered, lost",
        "false pass",
        "pass",
        "width",
        "zero width",
    ]
    return _table(head, rows)


def misses(results: dict[Cell, Result]) -> str:
    """Say in which rows the aims fail."""
    low = [
        f"{cell.name} ({_share(covered)})"
        for cell, result in results.items()
        if (covered := min(result.covered_equal, result.covered_lost)) < COVERAGE_AIM
    ]
    false = [
        f"{cell.name} ({100 * result.passed_lost:.2f} %)"
        for cell, result in results.items()
        if result.passed_lost > FALSE_PASS_AIM
    ]
    aims = f"Aims: covered at least {_share(COVERAGE_AIM)}, false pass at most {_share(FALSE_PASS_AIM)}."
    if not low and not false:
        return f"{aims} All rows meet both."
    missed = [f"coverage in {', '.join(low)}"] if low else []
    missed += [f"false pass in {', '.join(false)}"] if false else []
    return f"{aims} Not met everywhere: {'; '.join(missed)}."


def rival_table(found: dict[Cell, dict[str, Result]]) -> str:
    """Return one row per cell, one column per method."""
    names = [OURS, *RIVALS, DESIGN]
    rows = [[cell.name, *(_short(results.get(name)) for name in names)] for cell, results in found.items()]
    return _table(["task, epochs", *names], rows)


def shock_table(budget: Budget) -> str:
    """Return one row per size of shock."""
    rows = []
    for cell in SHOCK_CELLS:
        result = simulate_shocks(cell, budget.item_sets, budget.runs // 4)
        shares = [_share(v) for v in (result.plain, result.widened, result.flagged)]
        rows.append([cell.name, *shares, f"x {result.width:.2f}"])
    return _table(["task, epochs", "covered", "covered, widened", "flagged", "width"], rows)


def stopping_table(budget: Budget) -> str:
    """Return one row per campaign and rule."""
    rows = []
    for campaign in CAMPAIGNS:
        for rule in Rule:
            result = simulate_campaign(campaign, rule, budget.item_sets, budget.runs)
            rows.append(
                [
                    campaign.name,
                    rule.value,
                    _share(result.passed[1]),
                    _share(result.passed[0]),
                    " / ".join(_share(v) for v in result.failed[2:]),
                    " / ".join(f"{v:.1f}" for v in result.epochs),
                ]
            )
    losses = " / ".join(map(str, LOSSES))
    head = [
        "task",
        "rule",
        "false pass",
        "pass",
        "regression at 2 / 3 margins",
        f"epochs at {losses} margins lost",
    ]
    return _table(head, rows)


def _simulate(cell: Cell, budget: Budget) -> dict[str, Result]:
    methods = {OURS: ours, **RIVALS}
    if 1 in (cell.baseline_epochs, cell.candidate_epochs):
        methods[DESIGN] = design_one_epoch
    print(f"{cell.name} ...", file=sys.stderr)
    return simulate(cell, budget, methods)


def _table(head: list[str], rows: list[list[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def _short(result: Result | None) -> str:
    if result is None:
        return ""
    worst = min(result.covered_equal, result.covered_lost)
    return f"{_share(worst)}, {_share(result.passed_lost)}, {_share(result.zero_width)}"


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


def _points(value: float) -> str:
    return f"{100 * value:.2f}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
