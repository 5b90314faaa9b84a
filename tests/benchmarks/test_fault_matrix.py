"""Every way in which an endpoint misbehaves, streamed and plain: nothing lost, duplicated or mis-scored.

Each kind alone at every request, and all kinds of a group together at 1 % and at 10 % each. The benchmark runs
every kind alone at every rate, with more responses.
"""

import gc
from dataclasses import replace

import pytest

from benchmarks.fault_matrix import POLICY, Matrix, Size, expected_code, is_good
from benchmarks.wire_faults import HARMLESS, REFUSED, RETRIED, faults_of_the_wire

SMALL, LARGE = Size(n_items=4, epochs=1), Size(n_items=15, epochs=2)
FORMS = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "plain"])

# Inspect runs inside these tests: what it leaves open and what its libraries warn of is not ours to mend
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::ResourceWarning",
    "ignore::pytest.PytestUnraisableExceptionWarning",
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    yield Matrix(tmp_path_factory.mktemp("small"), SMALL, replace(POLICY, outage_s=1.0, cold_s=0.4))
    gc.collect()


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    yield Matrix(tmp_path_factory.mktemp("large"), LARGE, replace(POLICY, outage_s=30.0, cold_s=20.0))
    gc.collect()


@FORMS
@pytest.mark.parametrize("fault", faults_of_the_wire())
def test_a_fault_at_every_request_loses_nothing(small, fault, stream):
    cell = small.cell(fault, "100%", stream=stream)
    assert is_good(cell, SMALL), cell
    if fault in HARMLESS:
        assert (cell.exit_code, cell.finished) == (0, SMALL.n_responses)


@FORMS
@pytest.mark.parametrize("rate", ["1%", "10%"])
@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(RETRIED, id="every kind that is tried again"),
        pytest.param(HARMLESS, id="every kind that is harmless"),
        pytest.param(REFUSED, id="every refusal"),
    ],
)
def test_all_of_a_group_together_lose_nothing(large, faults, rate, stream):
    cell = large.cell("+".join(faults), rate, stream=stream)
    assert is_good(cell, LARGE), cell
    assert cell.exit_code == expected_code(cell, LARGE)
    if faults is RETRIED:
        assert cell.requests > LARGE.n_responses  # faults did strike
