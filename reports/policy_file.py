"""Read a release policy from its TOML file, strictly: every fault in it is named with its line."""

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from reports.policy import BaselinePolicy, Policy, TaskPolicy, WhenUndecided

SCHEMA_VERSION = 1
MAX_POLICY_BYTES = 1024**2
_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]")


class PolicyError(ValueError):
    """A policy that says something it cannot mean; the message names file and line."""


@dataclass(frozen=True, kw_only=True)
class _Check:
    """Which values a key may have, in code and in words."""

    holds: Callable[[Any], bool]
    meaning: str


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_TEXT = _Check(holds=lambda value: isinstance(value, str) and bool(value), meaning="a text that is not empty")
_TRUTH = _Check(holds=lambda value: isinstance(value, bool), meaning="true or false")
_FRACTION = _Check(
    holds=lambda value: _is_number(value) and 0 <= value <= 1,
    meaning="a fraction from 0 to 1 (one point is 0.01)",
)
_LOSS = _Check(
    holds=lambda value: _is_number(value) and 0 <= value < 1,
    meaning="a fraction from 0 to below 1 (one point is 0.01)",
)
_RECOVERY = _Check(
    holds=lambda value: _is_number(value) and 0 < value <= 1,
    meaning="a share above 0 and up to 1, such as 0.99",
)
_CONFIDENCE = _Check(
    holds=lambda value: _is_number(value) and 0.5 <= value < 1, meaning="from 0.5 to below 1, such as 0.95"
)
_DAYS = _Check(
    holds=lambda value: _is_number(value) and 0 < value < math.inf, meaning="a number of days above 0"
)
_COUNT = _Check(
    holds=lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 1,
    meaning="a whole number from 1 on",
)
_NAMES = _Check(
    holds=lambda value: isinstance(value, list) and all(isinstance(name, str) and name for name in value),
    meaning="a list of field names",
)
_WHEN_UNDECIDED = _Check(
    holds=lambda value: value in list(WhenUndecided), meaning=f"one of {', '.join(WhenUndecided)}"
)

_RULES = ("margin", "relative_margin", "min_recovery")
_TOP_LEVEL = ("schema", "confidence", "inconclusive", "allow_mismatch", "baseline", "defaults", "tasks")
_BASELINE_CHECKS = {"label": _TEXT, "max_age_days": _DAYS, "allow_foreign": _TRUTH}
_TASK_CHECKS = {
    "required": _TRUTH,
    "margin": _LOSS,
    "relative_margin": _LOSS,
    "min_recovery": _RECOVERY,
    "min_accuracy": _FRACTION,
    "min_coverage": _FRACTION,
    "min_epochs": _COUNT,
    "max_error_rate": _FRACTION,
    "max_error_increase": _FRACTION,
    "max_truncated_rate": _FRACTION,
    "max_truncated_increase": _FRACTION,
}


def read_policy(path: Path) -> Policy:
    """Return the policy in ``path``; raises :class:`PolicyError`."""
    try:
        if path.stat().st_size > MAX_POLICY_BYTES:
            raise PolicyError(f"{path}: is larger than {MAX_POLICY_BYTES:,} bytes; a policy is a small file")
        text = path.read_bytes().decode("utf-8-sig")
        document = tomllib.loads(text)
    except OSError as error:
        raise PolicyError(
            f"{path}: cannot be read ({error.strerror or error}); write one: quantcheck policy init"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PolicyError(f"{path}: is no TOML ({error})") from None
    return _Reader(path, text).policy(document)


class _Reader:
    """Turn a parsed document into a policy, with the text at hand to name lines."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def policy(self, document: Mapping[str, Any]) -> Policy:
        """Return the policy of a parsed document."""
        self._refuse_unknown("", document, _TOP_LEVEL)
        if document.get("schema", SCHEMA_VERSION) != SCHEMA_VERSION:
            self._fail("", "schema", f"is {document['schema']!r}; this version reads {SCHEMA_VERSION}")
        tasks = self._table("", "tasks", document)
        if not tasks:
            self._fail("", "tasks", "names no task; a policy without one would pass anything")
        defaults = self._values("defaults", self._table("", "defaults", document), _TASK_CHECKS)
        return Policy(
            path=self._path,
            confidence=self._checked("", "confidence", document, _CONFIDENCE, 0.95),
            inconclusive=WhenUndecided(self._checked("", "inconclusive", document, _WHEN_UNDECIDED, "ask")),
            allow_mismatch=tuple(self._checked("", "allow_mismatch", document, _NAMES, ())),
            allow_mismatch_line=self._line_of("", "allow_mismatch"),
            baseline=self._baseline(self._table("", "baseline", document)),
            tasks={task: self._task(task, tasks, defaults) for task in tasks},
        )

    def _baseline(self, table: Mapping[str, Any]) -> BaselinePolicy:
        return BaselinePolicy(**self._values("baseline", table, _BASELINE_CHECKS))

    def _task(self, task: str, tasks: Mapping[str, Any], defaults: Mapping[str, Any]) -> TaskPolicy:
        place = f"tasks.{task}"
        own = self._values(place, self._table("tasks", task, tasks), _TASK_CHECKS)
        rules = [name for name in _RULES if name in own]
        if len(rules) > 1:
            self._fail(place, rules[1], f"stands beside {rules[0]}; give one rule a task")
        inherited = {name: value for name, value in defaults.items() if not (rules and name in _RULES)}
        return TaskPolicy(task=task, line=self._line_of_table(place), **(inherited | own))

    def _values(self, place: str, table: Mapping[str, Any], checks: Mapping[str, _Check]) -> dict[str, Any]:
        self._refuse_unknown(place, table, checks)
        return {name: self._checked(place, name, table, checks[name], None) for name in table}

    def _checked(self, place: str, name: str, table: Mapping[str, Any], check: _Check, default: Any) -> Any:
        if name not in table:
            return default
        value = table[name]
        if not check.holds(value):
            self._fail(place, name, f"is {value!r}; it must be {check.meaning}")
        return value

    def _table(self, place: str, name: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        table = document.get(name, {})
        if not isinstance(table, dict):
            self._fail(place, name, f"is {table!r}; it must be a table")
        return table

    def _refuse_unknown(self, place: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        for name in table:
            if name not in known:
                self._fail(place, name, f"is no key of a policy; known here: {', '.join(sorted(known))}")

    def _fail(self, place: str, name: str, what: str) -> NoReturn:
        dotted = f"{place}.{name}" if place else name
        raise PolicyError(f"{self._path}: line {self._line_of(place, name)}: {dotted} {what}")

    def _line_of(self, place: str, name: str) -> int:
        """Return the line that sets ``name`` under ``[place]``, else the line of the table itself."""
        table = ""
        key = re.compile(rf"""\s*["']?{re.escape(name)}["']?\s*[.=]""")
        for number, line in enumerate(self._lines, start=1):
            header = _HEADER.match(line)
            if header:
                table = _unquoted(header[1])
            elif table == place and key.match(line):
                return number
        return self._line_of_table(f"{place}.{name}" if place else name, place)

    def _line_of_table(self, *places: str) -> int:
        for place in places:
            for number, line in enumerate(self._lines, start=1):
                header = _HEADER.match(line)
                if header and (_unquoted(header[1]) + ".").startswith(f"{place}."):
                    return number
        return 1


def _unquoted(table: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in table.split("."))
