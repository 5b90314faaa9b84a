from pathlib import Path
from typing import Any

import pytest

from reports.policy import WhenUndecided
from reports.policy_file import PolicyError, read_policy

FULL = """\
schema = 1
confidence = 0.9
inconclusive = "warn"
allow_mismatch = ["thinking"]
[baseline]
label = "int4"
max_age_days = 30
allow_foreign = true
[defaults]
min_coverage = 0.98
max_truncated_increase = 0.01
margin = 0.05
[tasks.aime25]
margin = 0.02
[tasks."gpqa_diamond"]
required = false
min_recovery = 0.99
[tasks.ocrbench]
"""


def _policy(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "release.toml"
    path.write_text(text)
    return read_policy(path)


def test_every_key_is_read(tmp_path: Path) -> None:
    policy = _policy(tmp_path, FULL)
    assert (policy.confidence, policy.inconclusive, policy.allow_mismatch) == (
        0.9,
        WhenUndecided.WARN,
        ("thinking",),
    )
    assert (policy.baseline.label, policy.baseline.max_age_days, policy.baseline.allow_foreign) == (
        "int4",
        30,
        True,
    )
    aime, gpqa, ocr = policy.tasks.values()
    assert (aime.margin, aime.min_coverage, aime.required, aime.line) == (0.02, 0.98, True, 13)
    assert (gpqa.margin, gpqa.min_recovery, gpqa.required, gpqa.line) == (None, 0.99, False, 15)
    assert (ocr.margin, ocr.max_truncated_increase) == (0.05, 0.01)


@pytest.mark.parametrize(
    ("task", "margin", "recovery", "source"),
    [
        pytest.param("margin = 0.02", 0.02, None, "release.toml, line 1", id="absolute"),
        pytest.param("relative_margin = 0.02", None, 0.98, "release.toml, line 1", id="relative"),
        pytest.param("min_recovery = 0.99", None, 0.99, "release.toml, line 1", id="recovery"),
        pytest.param("", 0.014, None, "default for aime25", id="none: the published one"),
    ],
)
def test_the_tolerated_loss(
    tmp_path: Path, task: str, margin: float | None, recovery: float | None, source: str
) -> None:
    found = _policy(tmp_path, f"[tasks.aime25]\n{task}\n").tasks["aime25"].tolerance("release.toml")
    assert (found.margin, found.min_recovery, found.source) == (margin, recovery, source)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "[tasks.x]\nmargn = 0.1\n",
            r"line 2: tasks.x.margn is no key of a policy; known here: margin",
            id="unknown key",
        ),
        pytest.param("speed = 1\n[tasks.x]\n", "line 1: speed is no key", id="unknown key on top"),
        pytest.param("[tasks.x]\n[output]\n", r"line 2: output is no key", id="unknown table"),
        pytest.param(
            "[tasks.x]\n\nmargin = 1.4\n",
            r"line 3: tasks.x.margin is 1.4; it must be a fraction",
            id="points for fractions",
        ),
        pytest.param("[tasks.x]\nmargin = -0.1\n", "line 2: tasks.x.margin is -0.1", id="negative"),
        pytest.param("[tasks.x]\nmargin = nan\n", "line 2: tasks.x.margin is nan", id="not a number"),
        pytest.param('[tasks.x]\nmargin = "1%"\n', "line 2: tasks.x.margin is '1%'", id="text"),
        pytest.param("[tasks.x]\nmargin = true\n", "line 2: tasks.x.margin is True", id="truth for a number"),
        pytest.param(
            "[tasks.x]\nrequired = 1\n",
            "line 2: tasks.x.required is 1; it must be true or false",
            id="number for truth",
        ),
        pytest.param(
            "[tasks.x]\nmin_epochs = 0\n",
            "line 2: tasks.x.min_epochs is 0; it must be a whole number",
            id="no epochs",
        ),
        pytest.param("[tasks.x]\nmin_recovery = 0\n", "line 2: tasks.x.min_recovery is 0", id="no recovery"),
        pytest.param(
            "[tasks.x]\nmargin = 0.1\nmin_recovery = 0.9\n",
            "line 3: tasks.x.min_recovery stands beside margin",
            id="two rules",
        ),
        pytest.param(
            "[defaults]\nmax_error_rate = 2\n[tasks.x]\n",
            "line 2: defaults.max_error_rate is 2",
            id="in the defaults",
        ),
        pytest.param(
            "[baseline]\nmax_age_days = 0\n[tasks.x]\n", "line 2: baseline.max_age_days is 0", id="no age"
        ),
        pytest.param(
            'inconclusive = "maybe"\n[tasks.x]\n',
            "line 1: inconclusive is 'maybe'; it must be one of fail, warn, ask",
            id="what undecided means",
        ),
        pytest.param("confidence = 95\n[tasks.x]\n", "line 1: confidence is 95", id="confidence in percent"),
        pytest.param(
            'allow_mismatch = "thinking"\n[tasks.x]\n',
            "line 1: allow_mismatch is 'thinking'; it must be a list",
            id="text for a list",
        ),
        pytest.param(
            "schema = 2\n[tasks.x]\n", "line 1: schema is 2; this version reads 1", id="another version"
        ),
        pytest.param("", "tasks names no task", id="empty"),
        pytest.param("tasks = 3\n", "line 1: tasks is 3; it must be a table", id="tasks is no table"),
        pytest.param(
            "[tasks]\naime25 = 3\n", "line 2: tasks.aime25 is 3; it must be a table", id="a task is no table"
        ),
        pytest.param("[tasks.x\n", r"is no TOML \(.*line 1", id="no TOML"),
        pytest.param("[tasks.x]\nmargin = 0.1\nmargin = 0.2\n", r"is no TOML \(.*line 3", id="a key twice"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PolicyError, match=message):
        _policy(tmp_path, text)


def test_a_policy_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="quantcheck policy init"):
        read_policy(tmp_path / "none.toml")
