from xml.etree import ElementTree

import pytest

from reports.criteria import Criterion, Status
from reports.junit import render_junit


def _criterion(status: Status, text: str = "found; asked", task: str = "aime25") -> Criterion:
    return Criterion(task=task, name="loss", status=status, text=text)


@pytest.mark.parametrize(
    ("status", "child", "failures", "errors"),
    [
        pytest.param(Status.MET, "system-out", "0", "0", id="met passes"),
        pytest.param(Status.WARNED, "system-out", "0", "0", id="advice passes"),
        pytest.param(Status.FAILED, "failure", "1", "0", id="failed"),
        pytest.param(Status.UNDECIDED, "failure", "1", "0", id="undecided is no pass"),
        pytest.param(Status.INVALID, "error", "0", "1", id="invalid is an error"),
    ],
)
def test_statuses(status: Status, child: str, failures: str, errors: str) -> None:
    root = ElementTree.fromstring(render_junit([_criterion(status)]))
    (case,) = root.iter("testcase")
    assert case[0].tag == child
    assert "found; asked" in (case[0].text or "")
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", failures, errors)


def test_one_suite_a_task() -> None:
    criteria = [_criterion(Status.MET), _criterion(Status.FAILED, task="ocrbench"), _criterion(Status.MET)]
    root = ElementTree.fromstring(render_junit(criteria))
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("aime25", "2"), ("ocrbench", "1")]


def test_hostile_text_stays_text() -> None:
    text = 'a <b> & "c" \x00\x1b \ud800 ]]> end'
    (found,) = ElementTree.fromstring(render_junit([_criterion(Status.FAILED, text)])).iter("failure")
    assert found.text == 'a <b> & "c" \ufffd\ufffd \ufffd ]]> end'
