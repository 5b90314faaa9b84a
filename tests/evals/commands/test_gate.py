import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner, Result

from evals.exit_code import CommandError
from evals.flags.gate import command as gate
from evals.flags.policy import command as policy
from reports.policy_file import read_policy
from reports.report_schema import REPORT_SCHEMA

POLICY = "[baseline]\nallow_foreign = true\n[tasks.aime25]\nmargin = {margin}\n"


def _scores(path: Path, right: int) -> Path:
    rows = [f"aime25,a{item},{epoch},{int(item < right)}" for item in range(100) for epoch in (1, 2, 3, 4)]
    path.write_text("\n".join(["task,sample_id,epoch,score", *rows]) + "\n")
    return path


def _gate(tmp_path: Path, *args: str, right: int = 90, margin: str = "0.02") -> Result:
    (tmp_path / "release.toml").write_text(POLICY.format(margin=margin))
    paths = {
        "--policy": tmp_path / "release.toml",
        "--baseline": _scores(tmp_path / "int4.csv", 90),
        "--candidate": _scores(tmp_path / "nvfp4.csv", right),
        "--out": tmp_path / "out",
    }
    given = [str(part) for pair in paths.items() for part in pair]
    return CliRunner().invoke(gate, [*given, *args])


@pytest.mark.parametrize(
    ("right", "margin", "code"),
    [
        pytest.param(90, "0.02", 0, id="pass"),
        pytest.param(50, "0.02", 1, id="failed"),
        pytest.param(90, "0.0001", 3, id="inconclusive"),
        pytest.param(90, "2", 2, id="impossible policy"),
    ],
)
def test_exit_codes(tmp_path: Path, right: int, margin: str, code: int) -> None:
    result = _gate(tmp_path, right=right, margin=margin)
    found = result.exception.code if isinstance(result.exception, CommandError) else result.exit_code
    assert found == code, result.output


def test_files_and_json(tmp_path: Path) -> None:
    result = _gate(tmp_path, "--json", right=50)
    document = json.loads(result.stdout)
    jsonschema.validate(document, REPORT_SCHEMA)
    assert (document["verdict"], document["comparison_verdict"]) == ("regression", "regression")
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == document
    assert "GATE REGRESSION" in (tmp_path / "out" / "report.md").read_text()
    assert ElementTree.parse(tmp_path / "out" / "junit.xml").getroot().get("failures") == "1"


def test_github_gets_annotations_and_a_summary(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    result = _gate(tmp_path, right=50)
    assert "::error title=aime25 loss::REGRESSION: the loss exceeds 2 pp" in result.stderr
    assert "%25" not in result.stderr.split("::error")[0]
    assert "GATE REGRESSION" in (tmp_path / "summary.md").read_text()


def test_other_pipelines_do_not(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    assert "::error" not in _gate(tmp_path, right=50).stderr


def test_policy_init_writes_what_gate_reads(tmp_path: Path) -> None:
    path = tmp_path / "release.toml"
    result = CliRunner().invoke(policy, ["init", "--out", str(path)])
    assert result.exit_code == 0, result.output
    assert read_policy(path).tasks["aime25"].margin == 0.014
    again = CliRunner().invoke(policy, ["init", "--out", str(path)])
    assert (again.exit_code, "is there already" in again.stderr) == (2, True)


def test_policy_init_takes_the_noise_of_a_baseline(tmp_path: Path) -> None:
    base = _scores(tmp_path / "int4.csv", 90)
    result = CliRunner().invoke(policy, ["init", "--baseline", str(base)])
    (tmp_path / "release.toml").write_text(result.stdout)
    assert 0 < (read_policy(tmp_path / "release.toml").tasks["aime25"].margin or 0) < 0.05
