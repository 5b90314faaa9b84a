"""One requirement and whether it is met: what a gate lists, JUnit counts and a pipeline annotates."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """Whether a requirement is met."""

    MET = "met"
    FAILED = "failed"  # shown not to be met
    INVALID = "invalid"  # cannot be judged: no run, an invalid or a foreign one
    UNDECIDED = "undecided"  # the data do not say yet
    WARNED = "warned"  # not met, and only advised


# Worst first: a requirement shown to fail stays failed beside one that cannot be judged.
SEVERITY = (Status.FAILED, Status.INVALID, Status.UNDECIDED, Status.WARNED, Status.MET)


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """A requirement of a task (``task`` is empty for one of the whole release) with its finding.

    ``text`` says in one sentence what was found and what is asked, for a person.
    """

    task: str
    name: str
    status: Status
    text: str


def worst_status(criteria: Iterable[Criterion]) -> Status:
    """Return the worst status; met when there is nothing to meet."""
    found = {criterion.status for criterion in criteria}
    return next((status for status in SEVERITY if status in found), Status.MET)
