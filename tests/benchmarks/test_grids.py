"""Rounding to a format's grid: what the format holds stays, everything else goes to the nearest it holds."""

import numpy as np
import pytest

from benchmarks.grids import GRIDS, INT4_GROUP, NVFP4_GROUP, int4, int8, nvfp4


@pytest.fixture
def weights():
    return np.random.default_rng(3).normal(0, 0.05, size=(16, 64)).astype(np.float32)


@pytest.mark.parametrize("name", GRIDS)
def test_rounding_twice_changes_nothing_more(name, weights):
    once = GRIDS[name](weights)
    assert once.shape == weights.shape and once.dtype == np.float32
    assert GRIDS[name](once) == pytest.approx(once, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "group", "most_values"),
    [("int8", 64, 255), ("int4", INT4_GROUP, 15), ("nvfp4", NVFP4_GROUP, 15)],
)
def test_a_group_holds_no_more_values_than_its_format(name, group, most_values, weights):
    groups = GRIDS[name](np.repeat(weights, 16, axis=1)[:, : 16 * 64]).reshape(16, -1, group)
    assert max(len(np.unique(one)) for row in groups for one in row) <= most_values


def test_finer_grids_are_nearer(weights):
    errors = {name: float(np.abs(grid(weights) - weights).mean()) for name, grid in GRIDS.items()}
    assert errors["int8"] < 0.2 * errors["int4"] and errors["int8"] < 0.2 * errors["nvfp4"]


def test_int4_s_largest_error_is_half_a_step(weights):
    steps = np.abs(weights.reshape(16, -1, INT4_GROUP)).max(axis=-1) / 7
    errors = np.abs(int4(weights) - weights).reshape(16, -1, INT4_GROUP).max(axis=-1)
    assert (errors <= steps / 2 + 1e-7).all()


def test_nvfp4_keeps_what_it_can_hold():
    row = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6, 0], dtype=np.float32)
    held = np.stack([row, row / 2])
    assert nvfp4(held) == pytest.approx(held, rel=1e-6)


@pytest.mark.parametrize("grid", [int4, nvfp4])
def test_rows_that_do_not_divide_are_refused(grid):
    with pytest.raises(ValueError, match="do not divide"):
        grid(np.ones((2, 33), dtype=np.float32))


@pytest.mark.parametrize("grid", [int8, int4, nvfp4])
def test_zeros_stay_zeros(grid):
    assert not grid(np.zeros((2, 64), dtype=np.float32)).any()
