"""Write a first release policy: commented, with margins that the planned budgets can decide."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pandas as pd

from reports.arm import Arm, arm_from_scores
from reports.comparison import NAMELESS_TASK
from reports.default_power import DEFAULT_EPOCHS, DEFAULT_MARGINS
from reports.power import Epochs, noise_from_baseline, smallest_margin
from reports.power_text import rounded_up
from reports.run_files import TaskRun

_HEAD = """\
# Release policy of quantcheck: what a candidate must show before it ships.
# quantcheck gate --policy THIS --baseline runs/int4 --candidate runs/nvfp4
# Fractions throughout: 0.01 is one percentage point. Unknown keys are errors.
schema = 1

# Of every interval; a false pass at the margin is then as rare as (1 - confidence) / 2.
confidence = 0.95

# A task that the data do not decide: "ask" for more epochs (exit 3), "fail" (exit 1) or "warn" (passes).
inconclusive = "ask"

# Protocol fields that may differ between the two runs, such as "thinking"; better none.
allow_mismatch = []

[baseline]
# label = "int4"          # the baseline must carry this label
# max_age_days = 90       # days between the end of the baseline's run and the candidate's
allow_foreign = false     # results of other harnesses or bare score files as baseline

[divergence]
# max_kl = 0.01           # nats per token, of quantcheck divergence; advice only, never fails the gate

[defaults]
required = true           # false: only advice, never fails the gate
min_coverage = 1.0        # share of the expected responses that must have a score, on both sides
max_error_rate = 0.0      # share of the requests that may have failed, on both sides
# max_error_increase = 0.0  # candidate - baseline
max_truncated_increase = 0.01  # candidate - baseline
# max_truncated_rate = 0.05
# min_accuracy = 0.9      # an absolute floor: fails when even the interval's upper end is below it
# min_epochs = 2
"""


# shows that an endpoint works, not what a checkpoint knows: no ground to release one
_NO_BENCHMARKS = frozenset({"smoke"})


@dataclass(frozen=True, kw_only=True)
class TaskSuggestion:
    """A margin for one task and why it is that one."""

    task: str
    margin: float
    why: str


def default_suggestions() -> list[TaskSuggestion]:
    """Return the published-power margins of the benchmarks we know."""
    return [
        TaskSuggestion(
            task=task,
            margin=margin,
            why=f"equal checkpoints pass 4 times in 5 at {_epochs(DEFAULT_EPOCHS[task])}",
        )
        for task, margin in DEFAULT_MARGINS.items()
        if task not in _NO_BENCHMARKS
    ]


def measured_suggestions(runs: Mapping[str, Iterable[TaskRun]]) -> list[TaskSuggestion]:
    """Return margins that a baseline's own noise lets a candidate of as many epochs pass, by task.

    Tasks that are no ground to release a checkpoint are left out, unless there are no others.
    """
    found = [_measured(task or NAMELESS_TASK, run) for task, found in runs.items() for run in found]
    return [one for one in found if one.task not in _NO_BENCHMARKS] or found


def _measured(task: str, run: TaskRun) -> TaskSuggestion:
    arm = _arm(run.frame)
    noise = noise_from_baseline(arm) if arm is not None else None
    if arm is None or noise is None:
        margin = DEFAULT_MARGINS.get(task, 0.01)
        return TaskSuggestion(task=task, margin=margin, why="one epoch measured: its noise is not known yet")
    epochs = round(float(arm.epochs.mean()))
    margin = rounded_up(smallest_margin(noise, Epochs(baseline=epochs, candidate=epochs)))
    if margin >= 1:
        why = f"{_epochs(epochs)} of {noise.n_items} items decide no margin at all: run more"
        return TaskSuggestion(task=task, margin=DEFAULT_MARGINS.get(task, 0.01), why=why)
    return TaskSuggestion(
        task=task,
        margin=margin,
        why=f"equal checkpoints pass 4 times in 5 at {_epochs(epochs)} and the noise of {_printable(run.facts.label)}",
    )


def render_policy(suggestions: Iterable[TaskSuggestion]) -> str:
    """Return the policy's text; one rule a task: margin, relative_margin or min_recovery."""
    tables = [
        f"\n[tasks.{_key(found.task)}]\nmargin = {found.margin:g}  # {found.why}\n" for found in suggestions
    ]
    rules = (
        "\n# One rule a task: margin (score units), relative_margin (share of the baseline's score)"
        "\n# or min_recovery (candidate / baseline). Delete the tasks that you do not run.\n"
    )
    return _HEAD + rules + "".join(tables)


def _arm(frame: pd.DataFrame) -> Arm | None:
    scored = frame[frame["score"].notna()]
    if scored.empty:
        return None
    codes, names = pd.factorize(scored["sample_id"].astype(object), sort=True)
    return arm_from_scores(codes.astype("int64"), scored["score"].to_numpy(), len(names))


def _epochs(number: int) -> str:
    return "1 epoch a side" if number == 1 else f"{number} epochs a side"


def _key(task: str) -> str:
    plain = task.replace("_", "").replace("-", "")
    if plain.isascii() and plain.isalnum():
        return task
    return json.dumps(task, ensure_ascii=False).replace("\x7f", "\\u007f")


def _printable(label: str) -> str:
    """Return a label that stays within its comment: a line break in it would go on as policy."""
    return "".join(char if char.isprintable() else "?" for char in label)
