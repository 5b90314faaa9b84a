"""A short run of the coverage simulation: seeded, with tolerances that a worse interval would break."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.cells import CELLS, PRECISE, Budget, Cell, simulate, simulate_population
from benchmarks.coverage import headline_table, misses
from benchmarks.early_stopping import looks_table
from benchmarks.methods import clustered_t, design_one_epoch, naive_z, ours, pair_of, population
from benchmarks.shapes import SHAPES, Draws, candidate_chances, draw_runs
from benchmarks.shocks import ShockCell, simulate_shocks
from benchmarks.stopping import CAMPAIGNS, Campaign, Rule, simulate_campaign
from reports.delta import paired_delta
from tests.reports.score_rows import score_rows

BUDGET = Budget(item_sets=5, runs=80)
N = 400  # runs behind every share
SLACK = 3 * np.sqrt(0.05 * 0.95 / N)  # three errors of a share near 95 %


def cell(shape: str, baseline: int, candidate: int, missing: str = "none") -> Cell:
    return next(
        c
        for c in CELLS
        if (c.shape, c.baseline_epochs, c.candidate_epochs, c.missing)
        == (shape, baseline, candidate, missing)
    )


@pytest.mark.parametrize(
    "tried",
    [
        cell("aime seed", 32, 32),
        cell("aime ceiling", 32, 32),
        cell("aime ceiling", 32, 8),
        cell("aime ceiling", 32, 1),
        cell("gpqa", 4, 4),
        cell("gpqa", 8, 1),
        cell("gpqa", 4, 4, "random"),
        cell("gpqa", 4, 4, "hard"),
        cell("ocr", 1, 1),
        cell("tools", 1, 1),
    ],
    ids=lambda c: c.name,
)
def test_headline_covers_and_rarely_passes_a_loss(tried: Cell) -> None:
    found = simulate(tried, BUDGET, {"ours": ours})["ours"]
    assert min(found.covered_equal, found.covered_lost) >= 0.94 - SLACK
    assert found.passed_lost <= 0.03 + 3 * np.sqrt(0.03 * 0.97 / N)
    assert found.zero_width == 0


@pytest.mark.parametrize(
    ("tried", "method", "false_pass"),
    [
        pytest.param(cell("gpqa", 4, 4, "hard"), naive_z, 0.1, id="naive z where hard items go missing"),
        pytest.param(cell("aime ceiling", 32, 1), clustered_t, 0.1, id="clustered t at the ceiling"),
        pytest.param(cell("aime ceiling", 32, 1), design_one_epoch, 0.08, id="no unseen flip allowed for"),
    ],
)
def test_the_simulation_would_show_a_bad_interval(tried: Cell, method, false_pass: float) -> None:  # type: ignore[no-untyped-def]
    assert simulate(tried, BUDGET, {"bad": method})["bad"].passed_lost > false_pass


def test_second_line_covers_other_items() -> None:
    found = simulate_population(cell("gpqa", 4, 4), BUDGET)
    assert min(found.covered_equal, found.covered_lost) >= 0.94 - 3 * np.sqrt(0.05 * 0.95 / 200)


@pytest.mark.parametrize(("epochs", "loss"), [((4, 3), 0.0), ((4, 4), 0.3), ((1, 1), 0.0), ((5, 1), 0.0)])
def test_many_runs_at_once_equal_the_product(epochs: tuple[int, int], loss: float) -> None:
    rng = np.random.default_rng(3)
    chances = SHAPES["aime mid"].draw(rng)
    draws = [draw_runs(chances, n, 3, loss, rng) for n in epochs]
    pair = pair_of(draws[0], draws[1])
    for run in range(3):
        delta = paired_delta(*[_table(side, run) for side in draws])
        assert ours(pair).low[run] == pytest.approx(delta.interval.low, abs=1e-12)
        assert ours(pair).high[run] == pytest.approx(delta.interval.high, abs=1e-12)
        if loss:  # the second line is simulated for complete runs only
            continue
        assert delta.population is not None
        assert population(pair).low[run] == pytest.approx(delta.population.low, abs=1e-12)


def _table(draws: Draws, run: int):  # type: ignore[no-untyped-def]
    rows = zip(draws.scored[run], draws.right[run], strict=True)
    return score_rows(["1" * right + "0" * (n - right) or "." for n, right in rows])


def test_candidate_is_off_by_exactly_the_loss() -> None:
    rng = np.random.default_rng(0)
    base = SHAPES["gpqa"].draw(rng)
    cand = candidate_chances(base, -0.031, rng)
    assert cand.mean() - base.mean() == pytest.approx(-0.031)
    assert np.std(cand - base) > 0.02


def test_shocks_are_flagged_and_widened() -> None:
    found = simulate_shocks(ShockCell(shape="gpqa", epochs=8, size=0.4), 4, 20)
    assert found.flagged > 0.5 and found.widened > found.plain + 0.05 and found.width > 1.2


def test_early_stopping_saves_epochs_and_keeps_the_error() -> None:
    campaign = Campaign(shape="gpqa", looks=(2, 4, 6, 8), margin=0.02)
    found = {rule: simulate_campaign(campaign, rule, 4, 100) for rule in (Rule.FUTILITY, Rule.PEEKING)}
    assert found[Rule.FUTILITY].passed[1] <= 0.03 + SLACK
    assert found[Rule.PEEKING].passed[1] > 0.04
    assert max(found[Rule.FUTILITY].epochs) < 6.5


def test_page_names_the_rows_that_miss_an_aim() -> None:
    tried = cell("aime seed", 32, 32)
    good = simulate(tried, Budget(item_sets=1, runs=20), {"ours": ours})["ours"]
    assert "aime seed 32/32" in headline_table({tried: good})
    bad = type(good)(**{**vars(good), "covered_lost": 0.9, "passed_lost": 0.04})
    assert misses({tried: bad}).endswith(
        "coverage in aime seed 32/32 (90.0 %); false pass in aime seed 32/32 (4.00 %)."
    )


DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    "tried", [cell("aime seed", 32, 32), cell("aime ceiling", 32, 1)], ids=lambda c: c.name
)
def test_the_page_kept_is_what_the_code_prints(tried: Cell) -> None:
    found = simulate(tried, PRECISE, {"ours": ours})
    row = headline_table({tried: found["ours"]}).splitlines()[-1]
    assert row in (DOCS / "coverage.md").read_text().splitlines(), f"{row}: run make coverage again"


def test_the_looks_kept_are_what_the_code_prints() -> None:
    assert looks_table(CAMPAIGNS) in (DOCS / "early_stopping.md").read_text()
