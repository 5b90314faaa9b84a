"""The report value: one comparison of two checkpoints, from which every output is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reports.comparability import Mismatch
from reports.delta import Delta
from reports.diagnosis import Diagnosis
from reports.drift import BlockTest, DriftCheck
from reports.intervals import Estimate, Interval
from reports.items import ItemRow
from reports.metrics import SideBySide
from reports.power import Plan
from reports.response_length import LengthBin
from reports.score_table import TaskFacts
from reports.speed import Speed
from reports.stage import Stage
from reports.verdict import Judgement, Verdict

# Worst first: what one task shows, the whole comparison says. A proven loss stays proven beside an
# invalid task; an invalid one is worse than an undecided one.
SEVERITY = (Verdict.REGRESSION, Verdict.INVALID, Verdict.INCONCLUSIVE, Verdict.PASS)


@dataclass(frozen=True, kw_only=True)
class EpochCount:
    """One epoch: ``correct`` of ``n`` scored responses, and their mean score."""

    epoch: int
    correct: int
    n: int
    mean: float


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Responses of one side by how they ended.

    ``expected`` is what the run set out to get, ``scored`` what has a score.
    """

    expected: int
    scored: int
    correct: int
    incorrect: int
    no_answer: int
    truncated: int
    errors: int

    @property
    def missing(self) -> int:
        """Responses without a score, failed ones included."""
        return max(self.expected - self.scored, 0)

    @property
    def coverage(self) -> float:
        """Share of the expected responses that have a score."""
        return self.scored / self.expected if self.expected else 0.0

    @property
    def truncated_rate(self) -> float | None:
        """Share of the scored responses that the budget ended; ``None`` where nothing is scored."""
        return self.truncated / self.scored if self.scored else None

    @property
    def error_rate(self) -> float:
        """Share of the answered or failed responses that failed."""
        answered = self.scored + self.errors
        return self.errors / answered if answered else 0.0


@dataclass(frozen=True, kw_only=True)
class SideReport:
    """One checkpoint on one task.

    ``replicas`` compares the servers that answered, ``starts`` the starts of the run's server, where there
    were several. ``pass_at`` is the chance of at least one right response in k, by k; empty for one epoch or
    fractional scores.
    """

    facts: TaskFacts
    n_items: int
    epochs: int
    counts: Counts
    per_epoch: tuple[EpochCount, ...]
    replicas: BlockTest | None
    pass_at: Mapping[int, float]
    majority: float | None
    speed: Speed | None = None
    starts: BlockTest | None = None


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """What two comparable sides show on one task.

    ``interval`` is the one that was judged: the delta's headline, widened where epochs drift.
    ``completed`` compares the responses that the budget did not end, ``None`` where none was ended or none
    is left. ``escalated`` compares with the scores of larger budgets in place where truncated responses were
    asked again; it never enters the headline. ``secondary`` compares further scores by name. ``plan`` says
    what this budget can decide.
    """

    delta: Delta
    interval: Interval
    judgement: Judgement
    drift: DriftCheck | None
    diagnosis: Diagnosis
    completed: SideBySide | None
    escalated: SideBySide | None
    secondary: Mapping[str, SideBySide]
    plan: Plan


@dataclass(frozen=True, kw_only=True)
class NoiseFloor:
    """How far two runs of one checkpoint are expected to differ by sampling alone.

    ``expected_error`` is the standard error of their delta, ``expected_spread`` what it is to stay within at
    the report's confidence. ``flip_rate`` is the chance that an answer of each run differ in score,
    ``flip_rate_within`` that two answers of one run do (``None`` for one epoch).
    """

    expected_error: float
    expected_spread: float
    flip_rate: float
    flip_rate_within: float | None


@dataclass(frozen=True, kw_only=True)
class TaskReport:
    """One task compared; ``analysis`` is ``None`` where the sides must not or cannot be compared.

    ``margin`` is the largest tolerated loss in score units; ``None`` for a floor on recovery without a
    baseline accuracy to take it of. ``worse_holm`` is the one-sided p-value that the candidate is worse,
    allowing for the other tasks. ``items`` holds the items of either side, whatever the verdict. ``stage`` is
    set where a side is a run that may stop early, ``noise_floor`` where both are runs of one checkpoint.
    """

    task: str
    verdict: Verdict
    reason: str
    margin: float | None
    margin_source: str
    baseline: SideReport
    candidate: SideReport
    mismatches: tuple[Mismatch, ...]
    joined_by_content: bool
    notes: tuple[str, ...]
    analysis: Analysis | None = None
    worse_holm: float | None = None
    items: tuple[ItemRow, ...] = ()
    by_response_length: tuple[LengthBin, ...] = ()
    stage: Stage | None = None
    noise_floor: NoiseFloor | None = None

    @property
    def delta(self) -> Delta | None:
        """The delta, where the sides were compared."""
        return self.analysis.delta if self.analysis is not None else None


@dataclass(frozen=True, kw_only=True)
class Report:
    """Two checkpoints compared on every task that both ran; ``pooled`` is their mean delta, from two on.

    ``divergence`` is the block of a divergence.json, where one was given; it enters no verdict.
    """

    verdict: Verdict
    confidence: float
    baseline_label: str
    candidate_label: str
    tasks: tuple[TaskReport, ...]
    pooled: Estimate | None = None
    only_baseline: tuple[str, ...] = ()
    only_candidate: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())
    divergence: Mapping[str, Any] | None = None

    @property
    def facts(self) -> Mapping[str, tuple[TaskFacts, TaskFacts]]:
        """What is known of each task's two runs, baseline first."""
        return {task.task: (task.baseline.facts, task.candidate.facts) for task in self.tasks}


def overall_verdict(tasks: tuple[TaskReport, ...]) -> Verdict:
    """Return the worst verdict of the tasks: a comparison passes when every task does."""
    return next(verdict for verdict in SEVERITY if any(task.verdict is verdict for task in tasks))
