"""Configuration and provenance of both sides, line by line, differences marked."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reports.comparability import COMPARABLE, flattened
from reports.report import TaskReport
from reports.score_table import TaskFacts

# What differs between any two runs and says nothing of how they were made.
_OF_ANY_RUN = ("label", "log", "started", "finished")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One line: what each side records (empty where it records nothing), and how the two stand together.

    ``mark`` is empty where they agree, ``differs`` where they do not, ``not comparable`` or ``allowed`` where
    the difference is one of protocol.
    """

    name: str
    baseline: str
    candidate: str
    mark: str


@dataclass(frozen=True, kw_only=True)
class FactTable:
    """Facts of one task, or of all tasks alike."""

    title: str
    facts: tuple[Fact, ...]

    @property
    def n_differences(self) -> int:
        """Count the lines that differ."""
        return sum(bool(fact.mark) for fact in self.facts)


def fact_tables(tasks: Sequence[TaskReport]) -> list[FactTable]:
    """Return what all tasks share in one table, then what each task has of its own."""
    by_task = [{fact.name: fact for fact in _facts(task)} for task in tasks]
    if len(tasks) == 1:
        return [FactTable(title=tasks[0].task, facts=tuple(by_task[0].values()))]
    shared = {name for name, fact in by_task[0].items() if all(facts.get(name) == fact for facts in by_task)}
    tables = [
        FactTable(title="all tasks", facts=tuple(by_task[0][name] for name in by_task[0] if name in shared))
    ]
    tables += [
        FactTable(title=task.task, facts=tuple(fact for name, fact in facts.items() if name not in shared))
        for task, facts in zip(tasks, by_task, strict=True)
    ]
    return [table for table in tables if table.facts]


def log_link(source: str, directory: Path) -> str | None:
    """Return the way from a page's directory to a log, as a relative URL; ``None`` where no log lies there.

    Beginning with a dot it can name nothing but a file: no scheme, no host.
    """
    path = Path(source)
    try:
        if not source or not path.exists():
            return None
        relative = os.path.relpath(path.resolve(), directory.resolve())
    except (OSError, ValueError):  # a name no file can have
        return None
    prefix = "" if relative.startswith("..") else "./"
    return prefix + quote(os.fsencode(relative.replace(os.sep, "/"))) + ("/" if path.is_dir() else "")


def _facts(task: TaskReport) -> list[Fact]:
    ours, theirs = _recorded(task.baseline.facts), _recorded(task.candidate.facts)
    refused = {found.field: "allowed" if found.allowed else "not comparable" for found in task.mismatches}
    facts = []
    for name in dict.fromkeys([*ours, *theirs]):
        one, other = ours.get(name, ""), theirs.get(name, "")
        mark = refused.get(name.removeprefix("protocol: "), "differs")
        is_marked = one != other and name not in _OF_ANY_RUN
        facts.append(Fact(name=name, baseline=one, candidate=other, mark=mark if is_marked else ""))
    return facts


def _recorded(facts: TaskFacts) -> dict[str, str]:
    spec = dict(facts.spec)
    comparable = spec.pop(COMPARABLE, None)
    protocol = comparable if isinstance(comparable, Mapping) and comparable else spec
    said = {name.rpartition(".")[2] for name in flattened(protocol)}
    rest = {name: value for name, value in flattened(spec).items() if name.rpartition(".")[2] not in said}
    plain = {
        "label": facts.label,
        "log": facts.source,
        "log status": facts.status,
        "started": facts.started,
        "finished": facts.finished,
        "protocol fingerprint": facts.fingerprint,
        "code revision": facts.git_revision,
        "made by": "another tool" if facts.is_foreign else "quantcheck" if facts.fingerprint else None,
    }
    groups: dict[str, Mapping[str, Any]] = {
        "endpoint": facts.endpoint,
        "protocol": protocol,
        "setting": rest,
        "version": facts.versions,
    }
    recorded = {name: _text(value) for name, value in plain.items()}
    for group, values in groups.items():
        recorded |= {f"{group}: {name}": _text(value) for name, value in flattened(values).items()}
    return {name: text for name, text in recorded.items() if text}


def _text(value: Any) -> str:
    if value is None or value == {} or value == []:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)
