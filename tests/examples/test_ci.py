"""The pipeline examples, run: their own shell lines, against runs and endpoints that provoke every exit code."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.evals.conftest import aime_exam, aime_file, serve  # noqa: F401  (fixtures)
from tests.reports.conftest import LogBuilder

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "ci"
# In place of an installation and a dataset: this checkout, and a made exam.
QUANTCHECK = f"""#!/bin/bash
if [ "$1" = run ] && [ -n "$PREPARED" ]; then mkdir -p runs && exec cp -r "$PREPARED" runs/nvfp4; fi
if [ "$1" = run ]; then set -- "$@" --dataset-path "$EXAM" --accept-dataset --epochs 2; fi
exec "{sys.executable}" -m evals "$@"
"""


@dataclass(frozen=True)
class Pipeline:
    """A job's shell lines in order, each as its provider runs it, and where it reads the endpoint from."""

    scripts: tuple[str, ...]
    endpoint: str
    kept: tuple[str, ...]


def github() -> Pipeline:
    job = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"]["gate"]
    upload = next(step for step in job["steps"] if "upload-artifact" in step.get("uses", ""))
    assert upload["if"] == "always()"
    scripts = tuple(step["run"] for step in job["steps"] if "run" in step)
    return Pipeline(scripts=scripts, endpoint="ENDPOINT", kept=(upload["with"]["path"],))


def gitlab() -> Pipeline:
    job = yaml.safe_load((EXAMPLES / "gitlab-ci.yml").read_text())["quantcheck"]
    assert job["allow_failure"] == {"exit_codes": [3]}
    kept = (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"])
    return Pipeline(scripts=("\n".join(job["script"]),), endpoint="NVFP4_ENDPOINT", kept=kept)


PIPELINES = {"github": github, "gitlab": gitlab}


@dataclass(frozen=True)
class Checkout:
    """The directory a pipeline works in."""

    path: Path
    environment: Mapping[str, str]

    def run(self, scripts: Sequence[str], **variables: str) -> "subprocess.CompletedProcess[str]":
        """Run the scripts in turn and stop at the first that fails, as providers do."""
        for script in scripts:
            done = subprocess.run(
                ["bash", "-e", "-c", script],
                cwd=self.path,
                env={**self.environment, **variables},
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            if done.returncode:
                break
        return done


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, text in (("quantcheck", QUANTCHECK), ("pip", "#!/bin/bash\n")):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    path = tmp_path / "checkout"
    path.mkdir()
    environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    environment.pop("GITHUB_ACTIONS", None)
    return Checkout(path=path, environment=environment)


def wrong(n_items: int, epochs: int = 4) -> dict[tuple[int, int], str]:
    return {(item, epoch): "incorrect" for item in range(n_items) for epoch in range(1, epochs + 1)}


def prepare(checkout: Checkout, *, right: int, policy: str, baseline_task: str = "aime25") -> Path:
    """Write the baseline and the policy into the checkout, the candidate beside it; return the candidate."""
    logs = LogBuilder()
    rows = logs.grid(40, 4, wrong(4))
    logs.run(checkout.path / "runs", rows, task=baseline_task, label="int4", expected=160)
    aside = checkout.path.parent / "aside"
    logs.run(aside, logs.grid(40, 4, wrong(40 - right)), label="nvfp4", expected=160)
    (checkout.path / "release.toml").write_text(policy)
    return aside / "nvfp4"


POLICY = "[tasks.aime25]\nmargin = {}\n"
ENDINGS = [  # the two providers run the same lines: each code once or twice, not all codes twice
    pytest.param("gitlab", {"right": 36, "policy": POLICY.format(0.05)}, 0, id="gitlab: 0 pass"),
    pytest.param("github", {"right": 10, "policy": POLICY.format(0.05)}, 1, id="github: 1 regression"),
    pytest.param(
        "gitlab",
        {"right": 36, "policy": "[tasks.aime25]\nmargn = 0.05\n"},
        2,
        id="gitlab: 2 fault in the policy",
    ),
    pytest.param("github", {"right": 36, "policy": POLICY.format(0.0001)}, 3, id="github: 3 inconclusive"),
    pytest.param(
        "gitlab",
        {"right": 36, "policy": POLICY.format(0.05), "baseline_task": "gpqa_diamond"},
        4,
        id="gitlab: 4 a required task was never run",
    ),
]
VERDICTS = {0: "pass", 1: "regression", 3: "inconclusive", 4: "invalid"}


@pytest.mark.parametrize(("provider", "case", "code"), ENDINGS)
def test_a_pipeline_ends_with_the_gates_code(
    provider: str, case: dict[str, Any], code: int, checkout: Checkout
) -> None:
    candidate = prepare(checkout, **case)
    pipeline = PIPELINES[provider]()
    summary = checkout.path / "summary.md"
    offered = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary)} if provider == "github" else {}
    done = checkout.run(pipeline.scripts, PREPARED=str(candidate), **offered)
    assert done.returncode == code, done.stderr
    if code == 2:
        assert "release.toml: line 2: tasks.aime25.margn is no key" in done.stderr
        return
    assert all((checkout.path / kept).exists() for kept in pipeline.kept)
    suites = ElementTree.parse(checkout.path / "gate" / "junit.xml").getroot()
    unmet = [found for kind in ("failure", "error", "skipped") for found in suites.iter(kind)]
    assert bool(unmet) == (code > 0)
    document = json.loads((checkout.path / "gate" / "report.json").read_text())
    assert document["verdict"] == VERDICTS[code]
    if offered:
        assert summary.read_text() == (checkout.path / "gate" / "report.md").read_text()
        assert ("::error" if code == 1 else "::warning") in done.stderr


def test_an_endpoint_that_is_not_there_ends_with_5_before_the_gate(
    checkout: Checkout,
    aime_file: Path,  # noqa: F811
) -> None:
    pipeline = github()
    nowhere = {pipeline.endpoint: "http://127.0.0.1:9/v1"}
    done = checkout.run(pipeline.scripts, EXAM=str(aime_file), **nowhere)
    assert done.returncode == 5, done.stderr
    assert not (checkout.path / "gate").exists()


def test_from_an_endpoint_to_a_pass(serve: Any, checkout: Checkout, aime_file: Path) -> None:  # noqa: F811
    pipeline = github()
    told = {pipeline.endpoint: serve(seed=1).base_url, "EXAM": str(aime_file)}
    assert checkout.run(pipeline.scripts[:-1], **told).returncode == 0
    runs = checkout.path / "runs"
    shutil.copytree(runs / "nvfp4", runs / "int4")
    (checkout.path / "release.toml").write_text(POLICY.format(0.9))
    done = checkout.run(pipeline.scripts[-1:], **told)
    assert done.returncode == 0, done.stderr
    assert "GATE PASS" in (checkout.path / "gate" / "report.md").read_text()
