"""A vendor qualification: every criterion with figure, pass line and evidence, and the verdict on top."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from reports.intervals import Estimate

CONTRACT, TOOL_CALLS, BENCHMARKS = "contract", "tool calls", "benchmarks"


class VendorVerdict(StrEnum):
    """What a qualification says; incomplete where nothing fails and something was not shown."""

    QUALIFIED = "qualified"
    NOT_QUALIFIED = "not_qualified"
    INCOMPLETE = "incomplete"


class Standing(StrEnum):
    """How an endpoint stands to one criterion."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not_applicable"
    ERROR = "error"  # nothing was shown


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What was measured. ``kept`` of ``judged`` where it is a count; ``pass_line`` is the least that passes.

    ``limit`` says in words what passes, where that is no line for the figure itself.
    """

    estimate: Estimate
    pass_line: float | None = None
    limit: str = ""
    kept: int | None = None
    judged: int | None = None


@dataclass(frozen=True, kw_only=True)
class VendorCriterion:
    """One criterion. ``part`` is contract, tool calls or benchmarks, ``group`` what it belongs to within that.

    ``is_advisory``: a failure is told and disqualifies nobody. ``follows_from`` names the criterion whose
    failure explains this one's. ``by_delivery`` has status and evidence, streamed and plain.
    """

    name: str
    part: str
    group: str
    expectation: str
    standing: Standing
    evidence: str
    advice: str = ""
    is_advisory: bool = False
    follows_from: str = ""
    figure: Figure | None = None
    by_delivery: Mapping[str, tuple[Standing, str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ToolCallFigures:
    """The two figures by which published vendor tables are sorted; ``None`` where not measured.

    ``reference_noise``: the F1 of each official run against each other, empty for a single one. ``details``:
    every figure of the run, as :func:`reports.tool_call_json.tool_call_block` has them; empty without a run.
    """

    trigger_f1: Estimate | None = None
    schema_accuracy: Estimate | None = None
    reference_noise: tuple[Estimate, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class VendorReport:
    """The qualification of one endpoint. ``facts`` is what it says of itself; times in seconds and UTC."""

    label: str
    base_url: str
    model: str
    profile: str
    criteria: tuple[VendorCriterion, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    tool_calls: ToolCallFigures = field(default_factory=ToolCallFigures)
    started: str = ""
    duration_s: float = 0.0
    n_requests: int = 0
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> VendorVerdict:
        """The verdict on all criteria that are no mere advice."""
        return judge_vendor(self.criteria)

    def standing(self, *standings: Standing, is_advisory: bool = False) -> tuple[VendorCriterion, ...]:
        """Return the criteria that stand so, in order."""
        return tuple(
            criterion
            for criterion in self.criteria
            if criterion.standing in standings and criterion.is_advisory is is_advisory
        )


def judge_vendor(criteria: Iterable[VendorCriterion]) -> VendorVerdict:
    """Return the verdict: one failure disqualifies; nothing shown, or nothing asked, qualifies nobody."""
    binding = [criterion.standing for criterion in criteria if not criterion.is_advisory]
    if Standing.FAIL in binding:
        return VendorVerdict.NOT_QUALIFIED
    if Standing.ERROR in binding or Standing.PASS not in binding:
        return VendorVerdict.INCOMPLETE
    return VendorVerdict.QUALIFIED


def reason(report: VendorReport) -> str:
    """Return in one sentence what decided the verdict."""
    failed = report.standing(Standing.FAIL)
    errors = report.standing(Standing.ERROR)
    n_binding = sum(not criterion.is_advisory for criterion in report.criteria)
    if failed:
        return f"{len(failed)} of {n_binding} criteria fail: {_listed(failed)}{_also(errors)}"
    if errors:
        return f"{len(errors)} of {n_binding} criteria could not be judged: {_listed(errors)}"
    n_passed = len(report.standing(Standing.PASS))
    if not n_passed:
        return "no criterion could be judged"
    n_idle = n_binding - n_passed
    idle = f", {n_idle} do not apply" if n_idle else ""
    return f"{n_passed} criteria are met{idle}"


def _also(errors: tuple[VendorCriterion, ...]) -> str:
    return f"; {len(errors)} more could not be judged" if errors else ""


def _listed(criteria: tuple[VendorCriterion, ...]) -> str:
    """Return the criteria that explain themselves, and how many follow from them."""
    roots = [criterion.name for criterion in criteria if not criterion.follows_from]
    n_following = len(criteria) - len(roots)
    shown = ", ".join(roots[:5]) + (f" and {len(roots) - 5} more" if len(roots) > 5 else "")
    if not roots:
        return ", ".join(criterion.name for criterion in criteria[:5])
    return shown + (
        f" ({n_following} more follow from {'it' if len(roots) == 1 else 'these'})" if n_following else ""
    )
