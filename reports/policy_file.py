"""Read a release policy from its TOML file, strictly: every fault in it is named with its line."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from reports.checked_toml import CONFIDENCE, COUNT, LOSS, TEXT, TRUTH, Check, CheckedToml, is_number, texts
from reports.policy import BaselinePolicy, DivergencePolicy, Policy, TaskPolicy, WhenUndecided

SCHEMA_VERSION = 1


class PolicyError(ValueError):
    """A policy that says something it cannot mean; the message names file and line."""


_FRACTION = Check(
    holds=lambda value: is_number(value) and 0 <= value <= 1,
    meaning="a fraction from 0 to 1 (one point is 0.01)",
)
_RECOVERY = Check(
    holds=lambda value: is_number(value) and 0 < value <= 1,
    meaning="a share above 0 and up to 1, such as 0.99",
)
_DAYS = Check(
    holds=lambda value: is_number(value) and 0 < value < math.inf, meaning="a number of days above 0"
)
_NATS = Check(
    holds=lambda value: is_number(value) and 0 < value < math.inf,
    meaning="nats per token above 0, such as 0.01",
)
_WHEN_UNDECIDED = Check(
    holds=lambda value: value in list(WhenUndecided), meaning=f"one of {', '.join(WhenUndecided)}"
)

_RULES = ("margin", "relative_margin", "min_recovery")
_TOP_LEVEL = (
    "schema",
    "confidence",
    "inconclusive",
    "allow_mismatch",
    "baseline",
    "divergence",
    "defaults",
    "tasks",
)
_BASELINE_CHECKS = {"label": TEXT, "max_age_days": _DAYS, "allow_foreign": TRUTH}
_DIVERGENCE_CHECKS = {"max_kl": _NATS}
_TASK_CHECKS = {
    "required": TRUTH,
    "margin": LOSS,
    "relative_margin": LOSS,
    "min_recovery": _RECOVERY,
    "min_accuracy": _FRACTION,
    "min_coverage": _FRACTION,
    "min_epochs": COUNT,
    "max_error_rate": _FRACTION,
    "max_error_increase": _FRACTION,
    "max_truncated_rate": _FRACTION,
    "max_truncated_increase": _FRACTION,
}


def read_policy(path: Path) -> Policy:
    """Return the policy in ``path``; raises :class:`PolicyError`."""
    file = CheckedToml(path, kind="policy", error=PolicyError, way_out="write one: quantcheck policy init")
    document = file.document
    file.refuse_unknown("", document, _TOP_LEVEL)
    file.check_schema(SCHEMA_VERSION)
    tasks = file.table("", "tasks", document)
    if not tasks:
        file.fail("", "tasks", "names no task; a policy without one would pass anything")
    defaults = file.values("defaults", file.table("", "defaults", document), _TASK_CHECKS)
    return Policy(
        path=path,
        confidence=file.checked("", "confidence", document, CONFIDENCE, 0.95),
        inconclusive=WhenUndecided(file.checked("", "inconclusive", document, _WHEN_UNDECIDED, "ask")),
        allow_mismatch=tuple(file.checked("", "allow_mismatch", document, texts("field names"), ())),
        allow_mismatch_line=file.line_of("", "allow_mismatch"),
        baseline=BaselinePolicy(
            **file.values("baseline", file.table("", "baseline", document), _BASELINE_CHECKS)
        ),
        divergence=DivergencePolicy(
            **file.values("divergence", file.table("", "divergence", document), _DIVERGENCE_CHECKS)
        ),
        tasks={task: _task(file, task, tasks, defaults) for task in tasks},
    )


def _task(file: CheckedToml, task: str, tasks: Mapping[str, Any], defaults: Mapping[str, Any]) -> TaskPolicy:
    place = f"tasks.{task}"
    own = file.values(place, file.table("tasks", task, tasks), _TASK_CHECKS)
    rules = [name for name in _RULES if name in own]
    if len(rules) > 1:
        file.fail(place, rules[1], f"stands beside {rules[0]}; give one rule a task")
    inherited = {name: value for name, value in defaults.items() if not (rules and name in _RULES)}
    return TaskPolicy(task=task, line=file.line_of_table(place), **(inherited | own))
