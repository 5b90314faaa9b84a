"""How one of several runs stands: waiting, under way, or how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from evals.exit_code import ExitCode


class RunStatus(StrEnum):
    """How a run among others stands."""

    WAITING = "waiting"
    RUNNING = "running"
    COMPLETE = "complete"
    PARTIAL = "partial"
    INVALID = "invalid"
    FAILED = "failed"  # stopped, or could not start


@dataclass(frozen=True, kw_only=True)
class RunState:
    """What came of one run; ``summary`` is that of the run, empty where it has none. ``was_kept``: made before."""

    status: RunStatus = RunStatus.WAITING
    directory: Path | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None
    code: ExitCode = ExitCode.DONE
    was_kept: bool = False

    @property
    def has_scores(self) -> bool:
        """Whether there is something to compare."""
        return self.directory is not None and bool(self.summary)
