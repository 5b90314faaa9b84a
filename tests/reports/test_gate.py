from pathlib import Path
from typing import Any

import pytest

from reports.criteria import Status
from reports.gate import GateReport, run_gate
from reports.policy_file import PolicyError, read_policy
from reports.verdict import Verdict

N_ITEMS, N_EPOCHS = 40, 8


class Sides:
    """Two runs and a policy, each as a test wants them."""

    def __init__(self, tmp_path: Path, logs: Any) -> None:
        self._path = tmp_path
        self._logs = logs
        self.run("int4")
        self.run("nvfp4")

    def run(
        self, label: str, *, task: str = "aime25", wrong: Any = None, n_rows: int | None = None, **facts: Any
    ) -> None:
        rows = self._logs.grid(N_ITEMS, N_EPOCHS, wrong)[:n_rows]
        facts = {"n_items": N_ITEMS, "epochs": N_EPOCHS, "expected": N_ITEMS * N_EPOCHS} | facts
        self._logs.run(self._path, rows, label=label, task=task, **facts)

    def gate(self, text: str = "[tasks.aime25]\nmargin = 0.02\n") -> GateReport:
        policy = self._path / "release.toml"
        policy.write_text(text)
        return run_gate(read_policy(policy), self._path / "int4", self._path / "nvfp4")


@pytest.fixture
def sides(tmp_path: Path, logs: Any) -> Sides:
    return Sides(tmp_path, logs)


def _outcomes(n_items: int, outcome: str) -> dict[tuple[int, int], str]:
    return {(item, epoch): outcome for item in range(n_items) for epoch in range(1, N_EPOCHS + 1)}


def _unmet(gate: GateReport) -> list[tuple[str, Status]]:
    return [(criterion.name, criterion.status) for criterion in gate.unmet]


def test_equal_checkpoints_pass(sides: Sides) -> None:
    gate = sides.gate()
    assert (gate.verdict, gate.unmet) == (Verdict.PASS, ())


@pytest.mark.parametrize(
    ("candidate", "verdict", "unmet"),
    [
        pytest.param({"wrong": _outcomes(20, "incorrect")}, Verdict.REGRESSION, ["loss"], id="half lost"),
        pytest.param({"n_rows": 300}, Verdict.INVALID, ["coverage candidate", "loss"], id="partial"),
        pytest.param(
            {"wrong": {(0, 1): "error"}},
            Verdict.INVALID,
            ["coverage candidate", "errors candidate", "loss"],
            id="a failed response",
        ),
        pytest.param({"fingerprint": "f2"}, Verdict.INVALID, ["loss"], id="another protocol"),
    ],
)
def test_what_does_not_pass(sides: Sides, candidate: Any, verdict: Verdict, unmet: list[str]) -> None:
    sides.run("nvfp4", **candidate)
    gate = sides.gate()
    assert gate.verdict is verdict
    assert [name for name, _ in _unmet(gate)] == unmet


@pytest.mark.parametrize(
    ("inconclusive", "verdict", "status"),
    [
        pytest.param("ask", Verdict.INCONCLUSIVE, Status.UNDECIDED, id="ask"),
        pytest.param("fail", Verdict.REGRESSION, Status.FAILED, id="fail"),
        pytest.param("warn", Verdict.PASS, Status.WARNED, id="warn"),
    ],
)
def test_what_inconclusive_means(sides: Sides, inconclusive: str, verdict: Verdict, status: Status) -> None:
    gate = sides.gate(f'inconclusive = "{inconclusive}"\n[tasks.aime25]\nmargin = 0.001\n')
    assert gate.verdict is verdict
    assert _unmet(gate) == [("loss", status)]


@pytest.mark.parametrize(
    ("required", "verdict", "status"),
    [
        pytest.param("true", Verdict.INVALID, Status.INVALID, id="required"),
        pytest.param("false", Verdict.PASS, Status.WARNED, id="advisory"),
    ],
)
def test_a_task_never_run(sides: Sides, required: str, verdict: Verdict, status: Status) -> None:
    gate = sides.gate(f"[tasks.aime25]\nmargin = 0.02\n[tasks.ocrbench]\nrequired = {required}\n")
    assert gate.verdict is verdict
    (found,) = gate.unmet
    assert (found.task, found.status) == ("ocrbench", status)
    assert "never run on the baseline and the candidate, asked for in release.toml, line 3" in found.text


def test_no_task_run_at_all_is_no_pass(sides: Sides) -> None:
    gate = sides.gate("[tasks.ocrbench]\n")
    assert (gate.verdict, gate.report) == (Verdict.INVALID, None)


def test_an_advisory_task_only_warns(sides: Sides) -> None:
    sides.run("nvfp4", wrong=_outcomes(20, "incorrect"))
    gate = sides.gate("[tasks.aime25]\nrequired = false\n")
    assert gate.verdict is Verdict.PASS
    assert _unmet(gate) == [("loss", Status.WARNED)]


@pytest.mark.parametrize(
    ("rules", "name", "status"),
    [
        pytest.param("max_truncated_rate = 0.04", "truncated candidate", Status.FAILED, id="rate too high"),
        pytest.param("max_truncated_rate = 0.06", None, None, id="rate within"),
        pytest.param(
            "max_truncated_increase = 0.04", "truncated increase", Status.FAILED, id="increase too high"
        ),
        pytest.param("max_truncated_increase = 0.06", None, None, id="increase within"),
        pytest.param(
            "min_accuracy = 0.99", "accuracy candidate", Status.FAILED, id="below the floor for sure"
        ),
        pytest.param("min_accuracy = 0.95", "accuracy candidate", Status.UNDECIDED, id="at the floor"),
        pytest.param("min_accuracy = 0.9", None, None, id="above the floor for sure"),
        pytest.param("min_epochs = 9", "epochs candidate", Status.INVALID, id="too few epochs"),
    ],
)
def test_limits(sides: Sides, rules: str, name: str | None, status: Status | None) -> None:
    sides.run("nvfp4", wrong=_outcomes(2, "truncated"))
    gate = sides.gate(f"[tasks.aime25]\nmargin = 0.2\n{rules}\n")
    assert _unmet(gate) == ([] if name is None else [(name, status)])


@pytest.mark.parametrize(("limit", "unmet"), [(0.01, ["errors increase"]), (0.02, [])])
def test_failed_requests_against_the_baselines(sides: Sides, limit: float, unmet: list[str]) -> None:
    failed = {(item, 1): "error" for item in range(4)}
    sides.run("nvfp4", wrong=failed, max_error_rate=0.1)
    rules = f"min_coverage = 0.9\nmax_error_rate = 0.1\nmax_error_increase = {limit}"
    gate = sides.gate(f"[tasks.aime25]\nmargin = 0.2\n{rules}\n")
    assert _unmet(gate) == [(name, Status.FAILED) for name in unmet]


def test_a_mismatch_that_is_no_field_names_its_line(sides: Sides) -> None:
    with pytest.raises(PolicyError, match=r"release.toml: line 2: allow_mismatch: .*speed"):
        sides.gate('confidence = 0.95\nallow_mismatch = ["speed"]\n[tasks.aime25]\nmargin = 0.2\n')


@pytest.mark.parametrize(
    ("baseline", "policy", "text"),
    [
        pytest.param({}, 'label = "bf16"', "is of 'int4', the policy asks for 'bf16'", id="another label"),
        pytest.param({}, "max_age_days = 10", "30.0 days older than the candidate", id="stale"),
        pytest.param(
            {"created": "", "started": None},
            "max_age_days = 10",
            "age of the baseline is not known",
            id="no date",
        ),
        pytest.param({"fingerprint": None}, "", "does not tell its protocol", id="no protocol"),
    ],
)
def test_a_stale_or_foreign_baseline_never_passes(
    sides: Sides, baseline: Any, policy: str, text: str
) -> None:
    sides.run("int4", **({"created": "2026-01-01T00:00:00+00:00"} | baseline))
    sides.run("nvfp4", created="2026-01-31T00:00:00+00:00")
    gate = sides.gate(f"[baseline]\n{policy}\n[tasks.aime25]\nmargin = 0.02\n")
    assert gate.verdict is Verdict.INVALID
    (found,) = [criterion for criterion in gate.unmet if criterion.name == "baseline"]
    assert text in found.text


def test_score_files_may_be_allowed(tmp_path: Path) -> None:
    rows = "".join(f"a{item},{epoch},1\n" for item in range(40) for epoch in range(8))
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(f"sample_id,epoch,score\n{rows}")
    policy = tmp_path / "release.toml"
    policy.write_text("[baseline]\nallow_foreign = true\n[tasks.aime25]\nmargin = 0.02\n")
    assert run_gate(read_policy(policy), tmp_path / "a.csv", tmp_path / "b.csv").verdict is Verdict.PASS


def test_an_allowed_mismatch_must_be_a_field(sides: Sides) -> None:
    with pytest.raises(PolicyError, match="allow_mismatch: 'thinkin' is no field"):
        sides.gate('allow_mismatch = ["thinkin"]\n[tasks.aime25]\n')
