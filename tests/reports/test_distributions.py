"""Against scipy.stats, which the product does not import because that costs a second at every start."""

import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from reports.distributions import (
    chi_square_tail,
    hypergeometric,
    normal_cdf,
    normal_quantile,
    normal_tail,
    root,
    student_power,
    student_quantile,
)


@pytest.mark.parametrize("z", [-38.0, -3.0, 0.0, 0.5, 6.0, 30.0])
def test_normal(z: float) -> None:
    assert float(normal_cdf(z)) == pytest.approx(stats.norm.cdf(z), rel=1e-12)
    assert float(normal_tail(z)) == pytest.approx(stats.norm.sf(z), rel=1e-12)


@pytest.mark.parametrize("chance", [1e-12, 0.025, 0.5, 0.8, 0.999])
@pytest.mark.parametrize("freedom", [1, 2.5, 29, 4000])
def test_quantiles(chance: float, freedom: float) -> None:
    assert normal_quantile(chance) == pytest.approx(stats.norm.ppf(chance), rel=1e-12, abs=1e-12)
    assert student_quantile(chance, freedom) == pytest.approx(stats.t.ppf(chance, freedom), rel=1e-9)


@pytest.mark.parametrize(("freedom", "shift"), [(5, 0.0), (29, 2.8), (400, 3.5)])
def test_power_of_a_t_test(freedom: int, shift: float) -> None:
    critical = stats.t.ppf(0.975, freedom)
    assert student_power(critical, freedom, shift) == pytest.approx(
        stats.nct.sf(critical, freedom, shift), rel=1e-6
    )


@pytest.mark.parametrize("rising", [1, -1])
def test_root(rising: int) -> None:
    assert root(lambda x: rising * (x**3 - 2), 0, 40) == pytest.approx(2 ** (1 / 3), abs=1e-13)


@pytest.mark.parametrize(("value", "freedom"), [(0.0, 1), (3.84, 1), (40.0, 30), (2000.0, 62)])
def test_chi_square(value: float, freedom: int) -> None:
    assert chi_square_tail(value, freedom) == pytest.approx(stats.chi2.sf(value, freedom), rel=1e-10)


@pytest.mark.parametrize(
    ("total", "right", "drawn"),
    [(2, 1, 1), (8, 3, 4), (64, 61, 32), (5, 5, 2), (5, 0, 2), (160, 7, 32), (4000, 3900, 2000), (7, 3, 0)],
)
def test_hypergeometric(total: int, right: int, drawn: int) -> None:
    found = hypergeometric(total, right, drawn)
    counts = found.start + np.arange(len(found.mass))
    assert counts[0] == max(0, drawn + right - total) and counts[-1] == min(right, drawn)
    np.testing.assert_allclose(found.mass, stats.hypergeom.pmf(counts, total, right, drawn), rtol=1e-8)
    assert found.mass.sum() == pytest.approx(1)


def test_compare_starts_without_scipy_stats() -> None:
    code = "import sys, evals.commands.compare; print('scipy.stats' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
