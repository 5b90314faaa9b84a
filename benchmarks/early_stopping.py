"""What ``run --until-decided`` saves and what it costs: write the table kept in docs/early_stopping.md.

``python -m benchmarks.early_stopping`` (a few minutes on one core); ``--short`` for a rough one in seconds.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cells import FULL, SHORT, Budget
from benchmarks.stopping import CAMPAIGNS, Campaign, CampaignResult, Rule, simulate_campaign
from reports.sequential import plan_looks

RULES = (Rule.FIXED, Rule.PEEKING, Rule.BOUNDS, Rule.FUTILITY)
NAMES = {
    Rule.FIXED: "one look at the end",
    Rule.PEEKING: "stop at the first 95 % verdict",
    Rule.BOUNDS: "**--until-decided**",
    Rule.FUTILITY: "**--until-decided --futility**",
}

INTRO = """# What stopping early saves, and what it costs

Made by `python -m benchmarks.early_stopping` (seeded; {sets} item sets, {runs} runs of each, for each true loss).

`quantcheck run TASK --until-decided --baseline DIR --margin X` declares its looks, its margin and its baseline
in the run's manifest before the first look, runs up to each look by adding epochs to the same run, and stops
once the comparison is decided. Every campaign below does so many times: items of mixed difficulty, a candidate
that quantization moves item by item, a finished baseline of as many epochs as the candidate may have. The true
loss is 0, 1, 2 or 3 margins.

The looks spend an error of 2.5 % a side over all of them (Lan and DeMets, O'Brien-Fleming type), so that the
first ones decide only what is plain. With `--futility` a run also stops, undecided, where a verdict at the last
look has a chance below 10 % on the current trend.
"""
ERROR_TEXT = """
## Error and power

*False* are verdicts when exactly the margin was lost: both should stay at 2.5 % or below (the error by
simulation is about 0.2 points). Stopping at the first verdict of the 95 % interval doubles the error.
"""
EPOCH_TEXT = """
## Epochs

Mean epochs of the candidate at a true loss of 0, 1, 2 and 3 margins, and the share saved. Runs that sit just at
their margin go on to the end unless futility stops them: nothing can decide them.
"""
INTERVAL_TEXT = """
## Interval and estimate after a stop

*Covered* is how often the interval shown at the stop holds the truth, the worst of the four losses; *plain* is
the 95 % interval that a run planned for as many epochs would have shown. *Outward* is by how much the estimate
of a run decided early lies further from the margin than the truth, in percentage points at 0, 2 and 3 margins
lost: that is why reports label it.
"""


def main(arguments: Sequence[str]) -> int:
    """Simulate and write the page (with ``--short`` print it)."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="a rough table on stdout")
    parser.add_argument("--out", type=Path, default=Path("docs/early_stopping.md"))
    options = parser.parse_args(arguments)
    text = page(SHORT if options.short else FULL)
    if options.short:
        print(text)
    else:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text, encoding="utf-8")
    return 0


def page(budget: Budget, campaigns: Sequence[Campaign] = CAMPAIGNS) -> str:
    """Return the whole page in Markdown."""
    found = {campaign: _simulate(campaign, budget) for campaign in campaigns}
    parts = [
        INTRO.format(sets=budget.item_sets, runs=budget.runs),
        looks_table(campaigns),
        ERROR_TEXT,
        _table(
            ["task", "rule", "false pass", "false regression", "pass", "regression at 2 / 3 margins"],
            [_error_row(*cell) for cell in _cells(found)],
        ),
        EPOCH_TEXT,
        _table(
            ["task", "rule", "epochs at 0 / 1 / 2 / 3 margins", "saved"],
            [_epoch_row(*cell) for cell in _cells(found)],
        ),
        INTERVAL_TEXT,
        _table(
            ["task", "rule", "covered", "covered, plain", "outward at 0 / 2 / 3 margins"],
            [_interval_row(*cell) for cell in _cells(found)],
        ),
    ]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


def looks_table(campaigns: Sequence[Campaign]) -> str:
    """Return the looks and the critical values that their intervals take."""
    rows = []
    for campaign in campaigns:
        plan = plan_looks(campaign.looks, baseline_epochs=campaign.looks[-1])
        bounds = " / ".join(f"{z:.3f}" for z in plan.critical_values)
        rows.append([campaign.name, " / ".join(map(str, campaign.looks)), bounds])
    return _table(["task", "looks, epochs", "critical values"], rows)


def _simulate(campaign: Campaign, budget: Budget) -> dict[Rule, CampaignResult]:
    print(f"{campaign.name} ...", file=sys.stderr)
    return {
        rule: simulate_campaign(campaign, rule, budget.item_sets, budget.runs, budget.seed, finished=True)
        for rule in RULES
    }


Cells = list[tuple[Campaign, Rule, CampaignResult]]


def _cells(found: dict[Campaign, dict[Rule, CampaignResult]]) -> Cells:
    return [(campaign, rule, result) for campaign, rules in found.items() for rule, result in rules.items()]


def _error_row(campaign: Campaign, rule: Rule, result: CampaignResult) -> list[str]:
    regressions = " / ".join(_share(share) for share in result.failed[2:])
    shares = [result.passed[1], result.failed[1], result.passed[0]]
    return [campaign.name, NAMES[rule], *map(_share, shares), regressions]


def _epoch_row(campaign: Campaign, rule: Rule, result: CampaignResult) -> list[str]:
    epochs = " / ".join(f"{mean:.1f}" for mean in result.epochs)
    saved = " / ".join(f"{1 - mean / campaign.looks[-1]:.0%}" for mean in result.epochs)
    return [campaign.name, NAMES[rule], epochs, saved]


def _interval_row(campaign: Campaign, rule: Rule, result: CampaignResult) -> list[str]:
    outward = " / ".join(f"{100 * result.outward[loss]:+.2f}" for loss in (0, 2, 3))
    is_early = rule is not Rule.FIXED
    return [
        campaign.name,
        NAMES[rule],
        _share(min(result.covered)),
        _share(min(result.covered_plain)),
        outward if is_early else "",
    ]


def _table(head: list[str], rows: list[list[str]]) -> str:
    rule = ["---", "---", *["---:"] * (len(head) - 2)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def _share(value: float) -> str:
    return f"{100 * value:.1f} %"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
