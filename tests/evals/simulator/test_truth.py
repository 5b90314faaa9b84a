"""The known truth: means that hold, one order of hardness for all profiles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evals.simulator.profile import INT4, NVFP4, TaskProfile
from evals.simulator.truth import pass_probabilities

IDS = [f"aime25-{number}" for number in range(30)]


@pytest.mark.parametrize(("profile", "mean"), [(INT4, 0.98967), (NVFP4, 0.984)], ids=["int4", "nvfp4"])
def test_aime_means_are_the_published_ones(profile, mean):
    items = pass_probabilities(IDS, "aime25", profile.task("aime25"), seed=0)
    assert sum(items.values()) / 30 == pytest.approx(mean, abs=1e-5)


def test_both_profiles_find_the_same_samples_hard_under_one_seed():
    int4, nvfp4 = (pass_probabilities(IDS, "aime25", p.task("aime25"), seed=3) for p in (INT4, NVFP4))
    assert min(int4, key=int4.__getitem__) == min(nvfp4, key=nvfp4.__getitem__)
    assert all(nvfp4[sample_id] <= int4[sample_id] for sample_id in IDS)
    other = pass_probabilities(IDS, "aime25", INT4.task("aime25"), seed=4)
    assert min(other, key=other.__getitem__) != min(int4, key=int4.__getitem__)


@given(st.floats(0.05, 0.95), st.floats(0.1, 20), st.integers(0, 99))
def test_the_mean_over_many_samples_is_the_profiles(mean, concentration, seed):
    task = TaskProfile(mean=mean, concentration=concentration)
    items = pass_probabilities([str(number) for number in range(300)], "t", task, seed=seed)
    assert sum(items.values()) / 300 == pytest.approx(mean, abs=0.003)
    assert all(0 <= value <= 1 for value in items.values())


def test_the_median_sample_is_the_median_of_the_beta_distribution():
    task = TaskProfile(mean=0.7, concentration=3.0)
    values = sorted(pass_probabilities([str(n) for n in range(101)], "t", task, seed=0).values())
    assert values[50] == pytest.approx(stats.beta(2.1, 0.9).median())


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        pytest.param(TaskProfile(mean=0.0), [0, 0, 0], id="mean 0"),
        pytest.param(TaskProfile(mean=1.0), [1, 1, 1], id="mean 1"),
        pytest.param(TaskProfile(default=0.5), [0.5, 0.5, 0.5], id="default"),
        pytest.param(
            TaskProfile(hardest=(0.1, 0.2, 0.3, 0.4)), [0.1, 0.2, 0.3], id="more hard ones than samples"
        ),
        pytest.param(
            TaskProfile(hardest=(0.1,), items={"a": 0.6, "b": 0.6, "c": 0.6}), [0.6] * 3, id="items win"
        ),
    ],
)
def test_special_profiles(task, expected):
    items = pass_probabilities(["a", "b", "c"], "t", task, seed=0)
    assert list(items) == ["a", "b", "c"] and sorted(items.values()) == expected
