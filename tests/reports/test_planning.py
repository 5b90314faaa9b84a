import json
from typing import Any

import numpy as np
import pytest

from reports.default_power import DEFAULT_EPOCHS, DEFAULT_MARGINS, DEFAULT_NOISE
from reports.planning import (
    Basis,
    TaskPlan,
    describe_way,
    measured_basis,
    plan_task,
    power_section,
    published_basis,
)
from reports.power import Epochs, Noise
from reports.tolerance import Tolerance, default_tolerance
from tests.reports.declared_runs import drawn, task_run


def _plan(task: str = "aime25", *, base: int = 32, cand: int = 32, margin: float | None = None) -> TaskPlan:
    tolerance = default_tolerance(task) if margin is None else Tolerance(margin=margin, source="--margin")
    basis = published_basis(task, DEFAULT_NOISE[task].n_items)
    assert basis is not None
    return plan_task(
        task, basis, Epochs(baseline=base, candidate=cand), tolerance, tokens_per_response=1000.0
    )


@pytest.mark.parametrize("task", DEFAULT_MARGINS)
def test_default_budgets_decide_default_margins(task: str) -> None:
    epochs = DEFAULT_EPOCHS[task]
    found = _plan(task, base=epochs, cand=epochs)
    assert found.plan.pass_chance >= 0.8 and found.warning is None
    assert found.plan.margin == DEFAULT_MARGINS[task]


def test_a_tight_margin_names_the_cheapest_way_out() -> None:
    found = _plan(margin=0.01)
    assert found.plan.pass_chance == pytest.approx(0.50, abs=0.02)
    assert [way.name for way in found.ways] == ["both", "candidate"]
    assert found.ways[0].epochs == Epochs(baseline=58, candidate=58)
    assert found.ways[0].more_tokens == 2 * 26 * 30 * 1000
    assert found.warning is not None
    assert "with only 50 %; 58 epochs a side (1.56 M more tokens) would bring 80 %" in found.warning


def test_more_baseline_epochs_are_named_where_they_are_cheaper() -> None:
    found = _plan("gpqa_diamond", base=4, cand=16, margin=0.02)
    assert found.ways[0].name == "baseline"
    assert "once for all candidates" in describe_way(found.ways[0])


def test_what_no_epochs_can_decide_is_said() -> None:
    found = _plan("gpqa_diamond", base=4, cand=4, margin=0.0)
    assert found.ways == () and found.warning is not None
    assert "no number of epochs will do" in found.warning


def test_chances_fall_with_the_loss_and_a_false_verdict_is_rare() -> None:
    found = _plan()
    passes = [chance.of_pass for chance in found.chances]
    losses = [chance.of_regression for chance in found.chances]
    assert passes == sorted(passes, reverse=True) and losses == sorted(losses)
    assert [round(chance.loss, 4) for chance in found.chances] == [0, 0.007, 0.014, 0.028, 0.042]
    assert found.chances[2].of_pass <= 0.025 and found.chances[2].of_regression <= 0.025


def test_a_small_baseline_at_the_ceiling_promises_no_false_passes() -> None:
    """The normal approximation would say 18 % here; the interval's confidence does not allow it."""
    noise = Noise(n_items=30, accuracy=0.9995, within_baseline=0.01, within_candidate=0.01)
    found = plan_task(
        "aime25",
        Basis(source="", noise=noise),
        Epochs(baseline=4, candidate=32),
        Tolerance(margin=0.01, source=""),
        tokens_per_response=1.0,
    )
    assert found.chances[2].of_pass == pytest.approx(0.025)


def test_a_baseline_tells_its_own_noise_and_tokens() -> None:
    run = task_run(drawn(0.8, 16))
    run.frame["output_tokens"] = 500.0
    basis = measured_basis("aime25", run, 30)
    assert basis is not None and basis.mean_tokens == 500
    assert basis.source == "baseline int4" and basis.note is None
    assert basis.noise.within_baseline == pytest.approx(0.16, abs=0.03)


@pytest.mark.parametrize(
    ("task", "within", "words"),
    [
        pytest.param("aime25", 0.0103, "that of published runs is assumed", id="a task with published runs"),
        pytest.param("other", 0.16, "the largest possible is assumed", id="a task without"),
    ],
)
def test_one_epoch_does_not_tell_the_noise(task: str, within: float, words: str) -> None:
    basis = measured_basis(task, task_run(drawn(0.8, 1, n_items=2000)), 2000)
    assert basis is not None and basis.note is not None and words in basis.note
    assert basis.noise.within_baseline == pytest.approx(within, abs=0.01)
    assert basis.mean_tokens is None


def test_a_run_without_scores_tells_nothing() -> None:
    assert measured_basis("aime25", task_run(np.full((3, 2), np.nan)), 3) is None
    assert published_basis("other", 10) is None


def test_a_cut_task_is_planned_with_its_items() -> None:
    basis = published_basis("aime25", 10)
    assert basis is not None and basis.noise.n_items == 10


def test_the_plan_in_json() -> None:
    section: dict[str, Any] = json.loads(json.dumps(power_section(_plan(margin=0.01)), allow_nan=False))
    assert section["cheapest"] == "both" and section["underpowered"] is True
    assert section["epochs_needed"] == {"both": 58, "candidate": 100, "baseline": None}
    assert section["more_tokens_needed"]["baseline"] is None
    assert section["assumed"]["source"] == "published runs"
    assert power_section(_plan())["cheapest"] is None
