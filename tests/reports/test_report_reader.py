"""report.json read back renders every output as the comparison itself did."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.simulated_report import simulated_report
from reports.criteria import Criterion, Status
from reports.drift import BlockTest
from reports.gate import GateReport
from reports.gate_outputs import render_gate_json, render_gate_markdown
from reports.json_report import render_json
from reports.markdown import render_markdown
from reports.policy import Policy
from reports.report import NoiseFloor, Report
from reports.report_reader import ReportFileError, read_report, report_from_document
from reports.stage import Stage
from reports.terminal import render_terminal
from reports.verdict import Verdict

GOLDEN = Path(__file__).parents[1] / "golden"


def _read(document: dict[str, Any]) -> Report:
    found = report_from_document(document).report
    assert found is not None
    return found


def _to_nine_digits(number: str) -> float:
    """Round as the goldens are."""
    return float(f"{float(number):.9g}")


@pytest.fixture(scope="module")
def simulated() -> Report:
    return simulated_report(scale=0.1, seed=1)


@pytest.mark.parametrize("render", [render_json, render_markdown, render_terminal])
def test_reading_back_loses_nothing_that_is_shown(simulated: Report, render: Callable[[Report], str]) -> None:
    assert render(_read(json.loads(render_json(simulated)))) == render(simulated)


@pytest.mark.parametrize("name", ["compare_aime", "compare_mixed"])
@pytest.mark.parametrize(
    ("suffix", "render"), [("md", render_markdown), ("txt", render_terminal)], ids=["markdown", "terminal"]
)
def test_the_goldens_follow_from_their_documents(
    name: str, suffix: str, render: Callable[[Report], str]
) -> None:
    document = json.loads((GOLDEN / f"{name}.json").read_text())
    assert render(_read(document)) == (GOLDEN / f"{name}.{suffix}").read_text()


@pytest.mark.parametrize("name", ["compare_aime", "compare_mixed"])
def test_a_document_read_and_written_is_the_same(name: str) -> None:
    text = (GOLDEN / f"{name}.json").read_text()
    written = json.loads(render_json(_read(json.loads(text))), parse_float=_to_nine_digits)
    assert written == json.loads(text)


def test_looks_and_noise_floor_are_read_back(simulated: Report) -> None:
    stage = Stage(
        side="candidate",
        looks=(2, 4, 8),
        look=2,
        epochs=4,
        critical_value=2.96,
        confidence=0.95,
        margin=0.02,
        futility=False,
        declared="2026-11-30T07:00:00+00:00",
        is_stopped=True,
    )
    floor = NoiseFloor(expected_error=0.01, expected_spread=0.02, flip_rate=0.05, flip_rate_within=None)
    starts = BlockTest(names=("a", "b"), effects=(0.1, -0.1), statistic=1.0, df=1, ratio=1.0, p_value=0.5)
    task = simulated.tasks[0]
    task = replace(task, stage=stage, noise_floor=floor, candidate=replace(task.candidate, starts=starts))
    report = replace(simulated, tasks=(task, *simulated.tasks[1:]))
    found = _read(json.loads(render_json(report)))
    assert found.tasks[0].stage == stage and found.tasks[0].noise_floor == floor
    assert render_json(found) == render_json(report)


def test_a_gate_is_read_with_its_comparison(simulated: Report) -> None:
    criteria = (Criterion(task="aime25", name="loss", status=Status.WARNED, text="open"),)
    policy = Policy(path=Path("release.toml"), tasks={})
    for report in (simulated, None):
        gate = GateReport(policy=policy, verdict=Verdict.PASS, criteria=criteria, report=report)
        found = report_from_document(json.loads(render_gate_json(gate))).gate
        assert found is not None
        assert render_gate_markdown(found) == render_gate_markdown(gate)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "is no JSON", id="empty"),
        pytest.param("[]", "is no JSON object", id="a list"),
        pytest.param("{}", "is of schema None, this quantcheck reads 1", id="no version"),
        pytest.param('{"schema": 2}', "is of schema 2, this quantcheck reads 1", id="another version"),
        pytest.param('{"schema": 1}', "'verdict' is a required property", id="not a report"),
        pytest.param(
            '{"schema": 1, "verdict": "invalid", "reason": "no task on both sides", "tasks": []}',
            "compares nothing (no task on both sides)",
            id="a refusal",
        ),
        pytest.param('{"schema": 1, "verdict": "pass", "tasks": [7]}', "tasks[0]", id="tasks that are none"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text)
    with pytest.raises(ReportFileError) as caught:
        read_report(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "key", ["counts", "per_epoch", "power", "diagnosis", "joined_by", "worse_p_holm", "replicas"]
)
def test_a_document_with_a_hole_is_refused_with_its_name(key: str) -> None:
    document = json.loads((GOLDEN / "compare_aime.json").read_text())
    del document["tasks"][0][key]
    with pytest.raises(ReportFileError, match=key):
        report_from_document(document)


def test_a_report_without_items_is_read() -> None:
    document = json.loads((GOLDEN / "compare_aime.json").read_text())
    for key in ("items", "by_response_length", "judged", "n_items_by_side"):
        del document["tasks"][0][key]
    report = report_from_document(document).report
    assert report is not None
    assert report.tasks[0].items == ()


def test_a_directory_without_a_report(tmp_path: Path) -> None:
    with pytest.raises(ReportFileError, match=r"report\.json: cannot be read"):
        read_report(tmp_path)
