import numpy as np
import pytest

from reports.default_power import DEFAULT_EPOCHS, DEFAULT_MARGINS, DEFAULT_NOISE
from reports.delta import paired_delta
from reports.pairing import pair_scores
from reports.power import (
    Epochs,
    Noise,
    candidate_epochs,
    chance_of_pass,
    chance_of_regression,
    noise_from_baseline,
    noise_from_pair,
    plan,
    smallest_margin,
    standard_error,
)
from reports.power_text import power_advice, rounded_up
from tests.reports.score_rows import score_matrix, score_rows, spread_misses

SHAKY_ITEM = 0.69 * 0.31 / 30  # AIME with one item right 69 % of the time, 29 always
AIME = Noise(n_items=30, accuracy=1 - 0.31 / 30, within_baseline=SHAKY_ITEM, within_candidate=SHAKY_ITEM)
GPQA = DEFAULT_NOISE["gpqa_diamond"]


def epochs(candidate: int, baseline: int | None = None) -> Epochs:
    return Epochs(candidate=candidate, baseline=candidate if baseline is None else baseline)


@pytest.mark.parametrize(
    ("noise", "margin", "budget", "simulated"),
    [
        pytest.param(AIME, 0.01, epochs(8), 0.08, id="aime 8"),
        pytest.param(AIME, 0.01, epochs(16), 0.21, id="aime 16"),
        pytest.param(AIME, 0.01, epochs(32), 0.65, id="aime 32"),
        pytest.param(AIME, 0.01, epochs(32, 128), 0.74, id="aime 32 against 128"),
        pytest.param(AIME, 0.01, epochs(64), 0.95, id="aime 64"),
        pytest.param(GPQA, 0.01, epochs(4), 0.16, id="gpqa 4"),
        pytest.param(GPQA, 0.01, epochs(32), 0.76, id="gpqa 32"),
        pytest.param(GPQA, 0.02, epochs(8), 0.75, id="gpqa 8, two points"),
        pytest.param(GPQA, 0.02, epochs(8, 64), 0.92, id="gpqa 8 against 64, two points"),
    ],
)
def test_pass_chance_is_that_of_simulated_runs(
    noise: Noise, margin: float, budget: Epochs, simulated: float
) -> None:
    assert chance_of_pass(noise, budget, margin, 0.0, 0.95) == pytest.approx(simulated, abs=0.05)


@pytest.mark.parametrize("task", DEFAULT_MARGINS)
def test_default_margins_are_those_the_default_epochs_can_decide(task: str) -> None:
    found = plan(DEFAULT_NOISE[task], epochs(DEFAULT_EPOCHS[task]), DEFAULT_MARGINS[task])
    assert 0.8 <= found.pass_chance < 0.83
    assert not found.is_underpowered
    assert found.smallest_margin <= DEFAULT_MARGINS[task]
    assert power_advice(found) in {f"equal checkpoints pass with 8{digit} %" for digit in "012"}


@pytest.mark.parametrize(
    ("task", "needed"),
    [
        ("smoke", 14),
        ("aime25", 59),
        ("gpqa_diamond", 38),
        ("ocrbench", 5),
        ("mmmu_pro", 6),
        ("k2_tool_calls", 1),
    ],
)
def test_epochs_for_one_point(task: str, needed: int) -> None:
    found = plan(DEFAULT_NOISE[task], epochs(DEFAULT_EPOCHS[task]), 0.01)
    assert found.both_needed == pytest.approx(needed, abs=3)


def test_the_fewest_more_epochs_are_named() -> None:
    found = plan(GPQA, epochs(8), 0.02)
    assert found.baseline_needed is not None
    assert f"{found.baseline_needed} baseline epochs" in power_advice(found)
    assert chance_of_pass(GPQA, epochs(8, found.baseline_needed), 0.02, 0, 0.95) >= 0.8
    assert chance_of_pass(GPQA, epochs(8, found.baseline_needed - 1), 0.02, 0, 0.95) < 0.8


def test_no_baseline_makes_up_for_too_few_candidate_epochs() -> None:
    found = plan(GPQA, epochs(4), 0.01)
    assert found.baseline_needed is None and found.is_underpowered
    assert "epochs a side, or allow a margin of 3.1 pp" in power_advice(found)


def test_spread_of_true_changes_is_a_floor_under_one_epoch() -> None:
    noise = Noise(n_items=30, accuracy=0.9, within_baseline=0.01, within_candidate=0.01, item_spread=0.2)
    found = plan(noise, epochs(1), 0.01)
    assert found.both_needed is None
    assert "no number of epochs" in power_advice(found)


@pytest.mark.parametrize("loss", [0.0, 0.01, 0.03])
def test_chances_rise_with_epochs_and_confidence_costs(loss: float) -> None:
    chances = [chance_of_regression(GPQA, epochs(e), 0.005, loss, 0.95) for e in (2, 8, 32)]
    if loss > 0.005:
        assert chances == sorted(chances)
    assert chance_of_pass(GPQA, epochs(8), 0.02, 0, 0.9) > chance_of_pass(GPQA, epochs(8), 0.02, 0, 0.99)


def test_smallest_margin_passes_four_times_in_five() -> None:
    margin = smallest_margin(GPQA, epochs(8))
    assert chance_of_pass(GPQA, epochs(8), margin, 0, 0.95) == pytest.approx(0.8)


def test_candidate_epochs_in_closed_form() -> None:
    error = standard_error(GPQA, epochs(6, 20))
    assert candidate_epochs(GPQA, error, 20) == 6
    assert candidate_epochs(GPQA, error / 3, 20) is None


def test_noise_from_a_baseline_is_never_none_at_the_ceiling() -> None:
    perfect = pair_scores(score_rows(["1" * 8] * 30), score_rows(["1" * 8] * 30)).baseline_arm
    noise = noise_from_baseline(perfect)
    assert noise is not None and noise.within_baseline == pytest.approx(1 / 240)
    once = pair_scores(score_rows(["1"] * 30), score_rows(["1"] * 30)).baseline_arm
    assert noise_from_baseline(once) is None


@pytest.mark.parametrize("n_epochs", [1, 6])
def test_noise_from_a_pair_gives_back_its_error(n_epochs: int) -> None:
    rng = np.random.default_rng(6)
    p = rng.uniform(0.3, 1, (400, 1))
    tables = [score_matrix(rng.random((400, n_epochs)) < p) for _ in range(2)]
    noise = noise_from_pair(pair_scores(*tables))
    found = paired_delta(*tables)
    half = found.interval.width / 2
    assert 1.96 * standard_error(noise, epochs(n_epochs)) == pytest.approx(half, rel=0.05)


@pytest.mark.parametrize(("margin", "shown"), [(0.0102, 0.011), (0.01, 0.01), (0.00999, 0.01)])
def test_margins_are_rounded_up(margin: float, shown: float) -> None:
    assert rounded_up(margin) == pytest.approx(shown)


def test_a_margin_that_tolerates_any_loss_is_no_advice() -> None:
    few = pair_scores(score_rows(["1", "0", "1"]), score_rows(["1", "1", "0"]))
    found = plan(noise_from_pair(few), epochs(1), 0.01)
    assert found.smallest_margin > 1
    assert power_advice(found).endswith("no number of epochs will do")


@pytest.mark.parametrize("misses", [0, 1, 2])
def test_near_the_ceiling_the_margin_is_no_wider_than_the_interval_that_follows(misses: int) -> None:
    rows = [score_rows(spread_misses(30, 4, n)) for n in (0, misses)]
    pairing = pair_scores(*rows)
    found = paired_delta(*rows)
    assert smallest_margin(noise_from_pair(pairing), epochs(4)) < 1.7 * (found.value - found.interval.low)
