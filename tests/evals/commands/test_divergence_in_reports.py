"""A divergence beside the accuracy deltas: in every output of compare and gate, in the policy as advice alone."""

import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner, Result

from evals.exit_code import CommandError
from evals.flags import compare, gate
from evals.flags.report import command as report
from reports.divergence.document import divergence_document
from reports.divergence.figures import diverge
from reports.divergence.measure import measure
from reports.json_report import to_json
from reports.policy_file import PolicyError, read_policy
from reports.report_schema import REPORT_SCHEMA
from tests.reports.divergence.conftest import make_side, write_text

POLICY = "[baseline]\nallow_foreign = true\n[divergence]\nmax_kl = {limit}\n[tasks.aime25]\nmargin = 0.02\n"


def write_block(directory: Path, shift: float, *, differing: bool = False) -> Path:
    """A divergence.json of ten texts that moved by about ``shift``."""
    rng = np.random.default_rng(1)
    ours, theirs = make_side(directory / "int4"), make_side(directory / "nvfp4")
    for number in range(10):
        logprobs = [math.nan, *rng.uniform(-2, -0.1, size=200)]
        moved = [value - shift - 0.2 * shift * rng.normal() for value in logprobs]
        ids = list(range(201))
        write_text(ours.directory, f"k{number}", logprobs, ids=ids, temperature=0.6)
        write_text(
            theirs.directory, f"k{number}", moved, ids=ids[::-1] if differing else ids, temperature=0.6
        )
    found = diverge(measure(ours, theirs, top_k=10), top_k=10, confidence=0.95)
    (directory / "divergence.json").write_text(to_json(divergence_document(found, ours, theirs)))
    return directory


def scores(path: Path) -> Path:
    rows = [f"aime25,a{item},{epoch},{int(item < 90)}" for item in range(100) for epoch in (1, 2, 3, 4)]
    path.write_text("\n".join(["task,sample_id,epoch,score", *rows]) + "\n")
    return path


@pytest.fixture
def pair(tmp_path: Path) -> list[str]:
    return [str(scores(tmp_path / name)) for name in ("int4.csv", "nvfp4.csv")]


def run_gate(tmp_path: Path, pair: list[str], limit: str, *more: Any) -> Result:
    (tmp_path / "release.toml").write_text(POLICY.format(limit=limit))
    given = ["--policy", tmp_path / "release.toml", "--baseline", pair[0], "--candidate", pair[1]]
    return CliRunner().invoke(
        gate.command, [*map(str, given), "--out", str(tmp_path / "out"), *map(str, more)]
    )


def test_compare_shows_it_in_every_output_and_report_makes_them_again(tmp_path, pair):
    block, out = write_block(tmp_path / "moved", 0.02), tmp_path / "out"
    shown = CliRunner().invoke(compare.command, [*pair, "--divergence", str(block), "--out", str(out)])
    assert (
        shown.exit_code == 0
        and "DIVERGENCE 0.0" in shown.stdout
        and "cross-entropy difference" in shown.stdout
    )
    document = json.loads((out / "report.json").read_text())
    jsonschema.validate(document, REPORT_SCHEMA)
    assert document["divergence"]["n_texts"] == 10 and document["verdict"] == "pass"
    for name, words in (("report.md", "## DIVERGENCE"), ("report.html", 'id="divergence"')):
        before = (out / name).read_text()
        assert words in before
        CliRunner().invoke(report, [str(out), "--out", str(out / name)])
        assert (out / name).read_text() == before
    assert "mean absolute difference by position" in (out / "report.html").read_text()


def test_without_one_nothing_is_said_of_it(tmp_path, pair):
    out = tmp_path / "out"
    CliRunner().invoke(compare.command, [*pair, "--out", str(out)])
    assert "divergence" not in json.loads((out / "report.json").read_text())
    assert "ivergence" not in (out / "report.md").read_text()


@pytest.mark.parametrize(
    ("shift", "limit", "status", "words"),
    [
        pytest.param(0.01, "0.05", "met", "at most 0.05 nats/token advised", id="within"),
        pytest.param(0.25, "0.05", "warned", "cross-entropy difference 0.2", id="beyond"),
        pytest.param(0.0, "0.05", "met", "identical log-probabilities", id="identical"),
    ],
)
def test_the_policy_advises_and_never_fails(tmp_path, pair, shift, limit, status, words):
    block = write_block(tmp_path / "moved", shift)
    result = run_gate(tmp_path, pair, limit, "--divergence", block, "--json")
    assert result.exit_code == 0, result.output
    found = [one for one in json.loads(result.stdout)["gate"]["criteria"] if one["name"] == "divergence"]
    assert [(one["status"], one["task"]) for one in found] == [(status, "")]
    assert words in found[0]["text"]
    assert ElementTree.parse(tmp_path / "out" / "junit.xml").getroot().get("failures") == "0"


def test_other_tokens_and_nothing_measured_are_warned_of(tmp_path, pair):
    block = write_block(tmp_path / "moved", 0.01, differing=True)
    other = run_gate(tmp_path, pair, "0.05", "--divergence", block)
    assert other.exit_code == 0 and "different tokens in 10 of 10 texts" in " ".join(other.stdout.split())
    nothing = run_gate(tmp_path, pair, "0.05")
    assert nothing.exit_code == 0 and "not measured" in nothing.stdout


@pytest.mark.parametrize("limit", ["0", "-1", '"small"', "true"])
def test_a_limit_that_is_none_is_named_with_its_line(tmp_path, limit):
    (tmp_path / "release.toml").write_text(POLICY.format(limit=limit))
    with pytest.raises(PolicyError, match=r"line 4: divergence\.max_kl is .*nats per token above 0"):
        read_policy(tmp_path / "release.toml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("{", "is no JSON", id="no JSON"),
        pytest.param('{"schema": 1}', "expected a divergence.json", id="another document"),
    ],
)
def test_a_file_that_is_none_is_named(tmp_path, pair, text, words):
    path = tmp_path / "divergence.json"
    path.write_text(text)
    result = CliRunner().invoke(compare.command, [*pair, "--divergence", str(path)])
    assert words in str(result.exception)
    assert not isinstance(result.exception, CommandError | SystemExit)  # the command line knows its code
