"""What would decide a comparison that is open, and where nothing needs to be said."""

import pytest

from reports.diagnosis_lines import way_to_decide
from reports.task_comparison import compare_task
from reports.tolerance import Tolerance
from reports.verdict import Verdict
from tests.reports.declared_runs import drawn, task_run

BASE = task_run(drawn(0.9, 2, seed=1))


@pytest.mark.parametrize(
    ("chance", "margin", "verdict", "is_told"),
    [
        pytest.param(0.9, 0.01, Verdict.INCONCLUSIVE, True, id="too few epochs"),
        pytest.param(0.9, 0.3, Verdict.PASS, False, id="a pass"),
        pytest.param(0.3, 0.05, Verdict.REGRESSION, False, id="a loss"),
    ],
)
def test_only_what_is_open_has_a_way(chance, margin, verdict, is_told):
    candidate = task_run(drawn(chance, 2, seed=2), "nvfp4")
    tolerance = Tolerance(margin=margin, source="--margin")
    task = compare_task(BASE, candidate, tolerance=tolerance, confidence=0.95, allowed=())
    assert task.verdict is verdict
    way = way_to_decide(task)
    assert (way is not None) is is_told
    assert way is None or ("equal checkpoints pass with only" in way and "epochs" in way)
