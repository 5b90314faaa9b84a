"""Whatever a baseline calls its tasks and itself, the policy written for it is one, and about these tasks."""

from pathlib import Path
from typing import Any

import pytest

from reports.policy_file import read_policy
from reports.policy_template import TaskSuggestion, default_suggestions, measured_suggestions, render_policy
from reports.run_files import find_runs, runs_by_task


def reread(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "release.toml"
    path.write_text(text, encoding="utf-8")
    return read_policy(path)


def test_the_published_margins(tmp_path: Path) -> None:
    policy = reread(tmp_path, render_policy(default_suggestions()))
    assert {task: found.margin for task, found in policy.tasks.items()}["aime25"] == 0.014


@pytest.mark.parametrize(
    "task",
    [
        "mmlu/anatomy",
        "a b",
        'say "x"',
        "back\\slash",
        "two\nlines",
        "Köln",
        "\N{GRINNING FACE}",
        "del\x7f",
        "a.b",
    ],
)
def test_any_name_of_a_task(tmp_path: Path, task: str) -> None:
    policy = reread(tmp_path, render_policy([TaskSuggestion(task=task, margin=0.02, why="so")]))
    assert list(policy.tasks) == [task]


def test_a_label_cannot_write_policy(tmp_path: Path, logs: Any) -> None:
    label = "int4\nrequired = false #"
    directory = logs.run(tmp_path, logs.grid(40, 4), label="int4", expected=160)
    run = find_runs(directory)[0]
    renamed = type(run)(facts=type(run.facts)(**{**vars(run.facts), "label": label}), frame=run.frame)
    policy = reread(tmp_path, render_policy(measured_suggestions({"aime25": [renamed]})))
    assert policy.tasks["aime25"].required is True


def test_a_score_file_without_a_task_and_too_small_for_any_margin(tmp_path: Path) -> None:
    path = tmp_path / "tiny.csv"
    path.write_text("sample_id,epoch,score\na,1,1\na,2,0\nb,1,0\nb,2,1\n")
    policy = reread(tmp_path, render_policy(measured_suggestions(runs_by_task(find_runs(path)))))
    assert {task: found.margin for task, found in policy.tasks.items()} == {"scores": 0.01}
