import json

import numpy as np
import pandas as pd
import pytest

from reports.diagnosis import LossKind, diagnose
from reports.tool_labels import NONE, tool_labels
from tests.reports.score_rows import score_matrix


def calls(scores: np.ndarray, tools: list[list[str]]) -> pd.DataFrame:
    """Return a score table whose items call these tools in every epoch."""
    frame = score_matrix(scores)
    item = frame["sample_id"].str.slice(5).astype(int)
    details = [json.dumps({"triggered": bool(tools[i]), "tools": tools[i]}) for i in item]
    return frame.assign(details=details)


TOOLS = [["search"]] * 12 + [["run_code"]] * 12 + [[]] * 12 + [["rare"]] * 2 + [["rarer"]] * 2


def test_an_item_is_of_the_tool_called_most_and_rare_ones_stand_together() -> None:
    labels = tool_labels(calls(np.ones((40, 2)), TOOLS))
    assert (labels["item-0"], labels["item-12"], labels["item-24"]) == ("search", "run_code", NONE)
    assert labels["item-36"] == labels["item-39"] == "other tools"


def test_the_most_frequent_of_several_calls_wins() -> None:
    frame = calls(np.ones((5, 3)), [["a"]] * 5)
    frame.loc[frame["epoch"] < 2, "details"] = json.dumps({"triggered": True, "tools": ["b", "c"]})
    assert set(tool_labels(frame).values()) == {"b"}


@pytest.mark.parametrize(
    "details",
    [
        None,
        "nonsense",
        '{"triggered": true}',
        '{"triggered": 1, "tools": ["x"]}',
        '{"triggered": true, "tools": "x"}',
    ],
)
def test_what_does_not_tell_is_of_no_tool(details: str | None) -> None:
    assert tool_labels(calls(np.ones((6, 1)), [["x"]] * 6).assign(details=details)) == {}


def test_a_loss_in_the_calls_of_one_tool() -> None:
    rng = np.random.default_rng(3)
    right = np.full(40, 0.95)
    lost = np.where(np.arange(40) < 12, 0.4, 0.95)
    base, cand = (calls(rng.random((40, 8)) < p[:, None], TOOLS) for p in (right, lost))
    found = diagnose(base, cand)
    assert found.kinds == (LossKind.TOOL,)
    worst = min(found.by_tool, key=lambda part: part.delta.value)
    assert worst.name == "search" and worst.q_value < 0.01 and worst.n_items == 12
    assert sum(part.n_items for part in found.by_tool) == 40
