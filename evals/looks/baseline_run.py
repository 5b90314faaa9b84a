"""The baseline that a run is to be compared with, refused before anything is spent where it cannot be."""

from collections.abc import Sequence

import pandas as pd

from reports.comparability import NotComparableError, join_items, protocol_mismatches
from reports.comparison import Side
from reports.run_files import TaskRun, describe_runs
from reports.score_table import TaskFacts
from reports.tallies import count_outcomes
from reports.verdict import MIN_OVERLAP
from tasks.benchmark import Item
from tasks.spec import TaskSpec


def choose_baseline(runs: Side, spec: TaskSpec, items: Sequence[Item]) -> TaskRun:
    """Return the run to compare with; raises :class:`NotComparableError` where a comparison would refuse."""
    run = _run_of(runs, spec)
    mismatches = protocol_mismatches(run.facts, _facts(spec))
    if mismatches:
        raise NotComparableError(
            f"baseline {run.facts.source}: not comparable with this run:"
            f" {'; '.join(map(str, mismatches))}; run both under one protocol"
        )
    _refuse_other_items(run, items)
    counts, allowed = count_outcomes(run.frame, run.facts.expected), run.facts.max_error_rate or 0.0
    if counts.error_rate > allowed:
        raise NotComparableError(
            f"baseline {run.facts.source}: {counts.errors} of {counts.scored + counts.errors} responses"
            f" failed; at most a share of {allowed:g} is allowed: run it again to retry them"
        )
    return run


def _run_of(runs: Side, spec: TaskSpec) -> TaskRun:
    found = list(runs.get(spec.task) or (runs.get("", []) if len(runs) == 1 else []))
    if not found:
        raise NotComparableError(
            f"baseline: has no run of {spec.task} but of {', '.join(runs)}; run it there first"
        )
    if len(found) > 1:
        same = [run for run in found if run.facts.fingerprint == spec.fingerprint]
        if len(same) != 1:
            raise NotComparableError(describe_runs(found))
        found = same
    return found[0]


def _facts(spec: TaskSpec) -> TaskFacts:
    return TaskFacts(
        task=spec.task,
        label="this run",
        source="this run",
        fingerprint=spec.fingerprint,
        spec=spec.as_dict(),
    )


def _refuse_other_items(run: TaskRun, items: Sequence[Item]) -> None:
    """Refuse a baseline that has other items than are asked, by content as the comparison joins them."""
    asked = pd.DataFrame(
        {
            "sample_id": [item.sample_id for item in items],
            "content_hash": [item.content_hash for item in items],
        }
    )
    joined = join_items(run.frame, asked)
    ours, theirs = (set(side["sample_id"].astype(str)) for side in (joined.baseline, joined.candidate))
    both = len(ours & theirs)
    if both < MIN_OVERLAP * max(len(ours), len(theirs)):
        raise NotComparableError(
            f"baseline {run.facts.source}: has {len(ours)} items, this run asks {len(theirs)}, {both} are the"
            " same; run both on the same items"
        )
