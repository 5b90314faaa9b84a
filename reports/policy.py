"""What a release asks of every task: tolerated loss, coverage, errors, truncation, which baseline counts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from reports.tolerance import Tolerance, default_tolerance


class WhenUndecided(StrEnum):
    """What an inconclusive task does to the gate."""

    FAIL = "fail"  # a criterion failed
    WARN = "warn"  # passes with a warning
    ASK = "ask"  # neither passes nor fails: measure more


@dataclass(frozen=True, kw_only=True)
class BaselinePolicy:
    """Which baseline counts.

    ``label`` it must carry, ``max_age_days`` between its end and the candidate's, and whether one made
    without us (or a score file that does not tell its protocol) may serve.
    """

    label: str | None = None
    max_age_days: float | None = None
    allow_foreign: bool = False


@dataclass(frozen=True, kw_only=True)
class DivergencePolicy:
    """What is advised on divergence: the most nats per token; ``None`` advises nothing."""

    max_kl: float | None = None


@dataclass(frozen=True, kw_only=True)
class TaskPolicy:
    """What is asked of one task; limits are fractions, ``None`` asks nothing.

    Exactly one of ``margin`` (score units), ``relative_margin`` (share of the baseline's score) and
    ``min_recovery`` (candidate / baseline) is the tolerated loss; without one the task's default margin is.
    """

    task: str
    line: int
    required: bool = True
    margin: float | None = None
    relative_margin: float | None = None
    min_recovery: float | None = None
    min_accuracy: float | None = None
    min_coverage: float = 1.0
    min_epochs: int = 1
    max_error_rate: float = 0.0
    max_error_increase: float | None = None
    max_truncated_rate: float | None = None
    max_truncated_increase: float | None = None

    def tolerance(self, policy_name: str) -> Tolerance:
        """Return the tolerated loss as the comparison takes it."""
        source = f"{policy_name}, line {self.line}"
        if self.margin is not None:
            return Tolerance(margin=self.margin, source=source)
        if self.relative_margin is not None:
            return Tolerance(min_recovery=1 - self.relative_margin, source=source)
        if self.min_recovery is not None:
            return Tolerance(min_recovery=self.min_recovery, source=source)
        return default_tolerance(self.task)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A release policy; ``tasks`` in the order of the file."""

    path: Path
    tasks: Mapping[str, TaskPolicy]
    confidence: float = 0.95
    inconclusive: WhenUndecided = WhenUndecided.ASK
    allow_mismatch: tuple[str, ...] = ()
    allow_mismatch_line: int = 1
    baseline: BaselinePolicy = field(default_factory=BaselinePolicy)
    divergence: DivergencePolicy = field(default_factory=DivergencePolicy)
