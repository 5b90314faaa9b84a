"""Which runs of a campaign may be under way together: no server asked by two, and on each their order."""

import pytest

from evals.campaigns.campaign import CampaignTask, PlannedRun, has_parallel_runs, startable

TASK = CampaignTask(name="aime25", task="aime25", preset=None, settings={})


def runs_on(text):
    """Return runs as ``a:1 b:1,2``: their names and the servers they ask."""
    return [
        PlannedRun(checkpoint=name, task=TASK, parameters={}, urls=frozenset(urls.split(",")), identity=name)
        for name, urls in (word.split(":") for word in text.split())
    ]


@pytest.mark.parametrize(
    ("waiting", "running", "most", "started"),
    [
        pytest.param("a:1 b:2 c:3", "", None, "a b c", id="one per endpoint"),
        pytest.param("a:1 b:1 c:2", "", None, "a c", id="one endpoint, one run"),
        pytest.param("b:1 c:2", "a:1", None, "c", id="beside one under way"),
        pytest.param("a:1,2 b:2,3 c:3", "", None, "a", id="a later run never overtakes on a server"),
        pytest.param("a:1,2 b:2,3 c:4", "", None, "a c", id="replicas shared in part"),
        pytest.param("a:1 b:2 c:3", "", 2, "a b", id="at most two"),
        pytest.param("b:2 c:3", "a:1", 2, "b", id="at most two, one under way"),
        pytest.param("b:2", "a:1", 1, "", id="one at a time"),
        pytest.param("", "a:1", None, "", id="nothing waits"),
    ],
)
def test_what_may_start(waiting, running, most, started):
    found = startable(runs_on(waiting), runs_on(running), most)
    assert [run.checkpoint for run in found] == started.split()


@pytest.mark.parametrize(
    ("runs", "most", "found"),
    [
        ("a:1 b:1", None, False),
        ("a:1 b:2", None, True),
        ("a:1 b:2", 1, False),
        ("a:1 b:2", 2, True),
        ("a:1,2 b:2,3 c:3", None, True),
        ("a:1", None, False),
    ],
)
def test_whether_any_may_be_made_together(runs, most, found):
    assert has_parallel_runs(runs_on(runs), most) is found
