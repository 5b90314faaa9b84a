import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from evals.exit_code import CommandError
from evals.flags import compare, gate
from evals.flags.report import command

POLICY = "schema = 1\n[tasks.aime25]\nmargin = 0.02\n[baseline]\nallow_foreign = true\n"


def _scores(path: Path) -> Path:
    rows = [f"aime25,a{item},{epoch},{int(item < 45)}" for item in range(50) for epoch in range(1, 9)]
    path.write_text("\n".join(["task,sample_id,epoch,score", *rows]) + "\n")
    return path


@pytest.fixture
def compared(tmp_path: Path) -> Path:
    """A directory that compare wrote."""
    sides = [str(_scores(tmp_path / name)) for name in ("int4.csv", "nvfp4.csv")]
    CliRunner().invoke(compare.command, [*sides, "--out", str(tmp_path / "out")])
    return tmp_path / "out"


def _report(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_compare_writes_every_output(compared: Path) -> None:
    assert {path.name for path in compared.iterdir()} == {
        "report.html",
        "report.md",
        "report.json",
        "junit.xml",
    }
    assert 'href="../int4.csv"' in (compared / "report.html").read_text()


@pytest.mark.parametrize(
    ("file_format", "name"), [("html", "report.html"), ("md", "report.md"), ("junit", "junit.xml")]
)
@pytest.mark.parametrize("by_file", [False, True], ids=["directory", "file"])
def test_every_output_is_made_again_as_it_was(
    compared: Path, file_format: str, name: str, by_file: bool
) -> None:
    before = (compared / name).read_text()
    (compared / name).unlink()
    source = compared / "report.json" if by_file else compared
    result = _report(source, "--format", file_format)
    assert result.exit_code == 0, result.output
    assert (compared / name).read_text() == before


@pytest.mark.parametrize(
    ("out", "begins"),
    [("x.html", "<!DOCTYPE html>"), ("x.md", "# "), ("x.xml", "<?xml"), ("plain", "<!DOCTYPE html>")],
)
def test_the_suffix_of_out_names_the_format(compared: Path, tmp_path: Path, out: str, begins: str) -> None:
    target = tmp_path / "new" / out
    assert _report(compared, "--out", target).exit_code == 0
    assert target.read_text().startswith(begins)


def test_standard_output(compared: Path) -> None:
    assert _report(compared, "--format", "md", "--out", "-").stdout.startswith("# PASS")


def test_a_gate_is_rendered_with_its_requirements(tmp_path: Path) -> None:
    sides = [str(_scores(tmp_path / name)) for name in ("int4.csv", "nvfp4.csv")]
    (tmp_path / "release.toml").write_text(POLICY)
    out = tmp_path / "gate"
    asked = ["--policy", str(tmp_path / "release.toml"), "--baseline", sides[0], "--candidate", sides[1]]
    assert CliRunner().invoke(gate.command, [*asked, "--out", str(out)]).exit_code == 0
    for name in ("report.html", "report.md", "junit.xml"):
        before = (out / name).read_text()
        assert _report(out, "--out", out / name).exit_code == 0
        assert (out / name).read_text() == before
    assert "Requirements" in (out / "report.html").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda document: document | {"schema": 9}, "is of schema 9", id="another version"),
        pytest.param(lambda document: document | {"tasks": [{}]}, "is a required property", id="a hole"),
        pytest.param(lambda document: [], "is no JSON object", id="something else"),
    ],
)
def test_what_cannot_be_read_is_exit_4(compared: Path, change: Any, message: str) -> None:
    path = compared / "report.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    error = _report(compared).exception
    assert isinstance(error, CommandError) and error.code == 4
    assert message in str(error)


def test_a_directory_without_a_report_says_what_is_needed(tmp_path: Path) -> None:
    error = _report(tmp_path).exception
    assert isinstance(error, CommandError) and "give a report.json or its directory" in str(error)
