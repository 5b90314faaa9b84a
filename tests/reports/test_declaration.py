from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reports.declaration import TAKEN, identify, looks_taken, read_declaration
from reports.log_members import LogError
from tests.reports.declared_runs import declaration, drawn, task_run


def test_what_is_written_reads_back() -> None:
    assert read_declaration(declaration(futility=True).as_dict(), "here") == declaration(futility=True)


@pytest.mark.parametrize("value", [None, {}, ()])
def test_no_declaration_is_none(value: Any) -> None:
    assert read_declaration(value, "here") is None


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"looks": []}, id="no looks"),
        pytest.param({"looks": [4, 8]}, id="looks without critical values"),
        pytest.param({"margin": 1.4}, id="a margin in points"),
        pytest.param({"margin": None}, id="no margin"),
        pytest.param({"spending": "none"}, id="unknown spending"),
        pytest.param({"baseline": {"label": "int4"}}, id="half a baseline"),
        pytest.param({"critical_values": "abc"}, id="critical values that are none"),
    ],
)
def test_a_damaged_declaration_is_an_error_not_none(change: dict[str, Any]) -> None:
    with pytest.raises(LogError, match=r"^here: its declared looks cannot be read"):
        read_declaration(declaration().as_dict() | change, "here")


@pytest.mark.parametrize(
    ("other", "words"),
    [
        pytest.param(declaration(margin=0.06), ["margin 0.05, now 0.06"], id="margin"),
        pytest.param(declaration((4, 8, 16, 32)), ["looks 4,8,16, now 4,8,16,32"], id="one more look"),
        pytest.param(declaration(futility=True), ["futility false, now true"], id="futility"),
        pytest.param(declaration(error=0.05), ["error 0.025, now 0.05"], id="error"),
        pytest.param(replace(declaration(), declared="2030-01-01"), [], id="the day is no term"),
        pytest.param(
            replace(declaration(), baseline=replace(declaration().baseline, epochs=32)),
            ["baseline 'int4' (16 epochs, scores abc123), now 'int4' (32 epochs, scores abc123)"],
            id="a grown baseline",
        ),
    ],
)
def test_differences_are_named(other: Any, words: list[str]) -> None:
    assert declaration().differences(other) == words


def test_a_baseline_is_known_by_its_scores_not_their_order() -> None:
    run = task_run(drawn(0.9, 4))
    shuffled = replace(run, frame=run.frame.sample(frac=1, random_state=1))
    changed = task_run(np.where(np.arange(120).reshape(30, 4) == 7, 0.0, drawn(0.9, 4)))
    assert identify(run) == identify(shuffled)
    assert identify(run).epochs == 4 and identify(run).n_items == 30
    assert identify(run).scores != identify(changed).scores


def test_looks_taken_are_those_recorded() -> None:
    assert looks_taken({TAKEN: [{"look": 1}, 7]}) == [{"look": 1}]
    assert looks_taken({}) == looks_taken(None) == looks_taken({TAKEN: "x"}) == []
