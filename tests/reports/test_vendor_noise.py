"""The official runs against each other, beside a vendor's own figure."""

import pytest

from reports.tool_call_reference import Reference
from reports.tool_call_trigger import noise_floor
from reports.vendor_noise import noise_criterion
from reports.vendor_report import Standing
from tests.reports.vendor_criteria import estimate

N = 100


def official(name: str, n_calls: int, shift: int = 0) -> Reference:
    """A run that calls a tool in ``n_calls`` requests of 100, from the ``shift``-th on."""
    triggered = {str(n): shift <= n < shift + n_calls for n in range(N)}
    return Reference(name=name, model="kimi-k2-thinking", triggered=triggered)


# the two call in 50 requests each and in 40 of them together: F1 = 80 / 100
RUNS = (official("first", 50), official("second", 50, shift=10))


def test_a_single_official_run_has_no_noise() -> None:
    assert noise_criterion(RUNS[:1], estimate(0.7, 0.6, 0.8)) is None
    assert noise_criterion((), None) is None


@pytest.mark.parametrize(
    ("vendor", "words"),
    [
        pytest.param(None, "first against second: 80.00 %", id="no figure of the vendor's"),
        pytest.param(estimate(0.85, 0.8, 0.9), "this endpoint agrees no less", id="better"),
        pytest.param(estimate(0.75, 0.68, 0.8), "agrees less, within the intervals", id="less"),
        pytest.param(estimate(0.3, 0.2, 0.4), "beyond both intervals", id="far less"),
    ],
)
def test_the_vendor_is_told_beside_it_and_nothing_is_judged(vendor: object, words: str) -> None:
    found = noise_criterion(RUNS, vendor)  # type: ignore[arg-type]
    assert found is not None and found.standing is Standing.NOT_APPLICABLE
    assert words in found.evidence
    assert found.figure is not None and found.figure.estimate == noise_floor(RUNS)[0]
    assert found.figure.estimate.value == pytest.approx(0.8)


def test_every_pair_is_told_and_the_least_is_the_figure() -> None:
    found = noise_criterion((*RUNS, official("third", 50, shift=25)), None)
    assert found is not None and found.evidence.count(" against ") == 3
    assert found.figure is not None and found.figure.estimate.value == pytest.approx(0.5)
