"""Tell a checkpoint that says nothing from one that is often wrong: dead is a fault, not an accuracy of 0."""

from collections.abc import Collection
from dataclasses import replace

import pandas as pd

from reports.report import TaskReport
from reports.run_files import TaskRun
from reports.score_table import TaskFacts
from reports.signals import FLAG_SEPARATOR

DEAD = "dead checkpoint"
MIN_RESPONSES = 5
DEAD_SHARE = 0.9  # of the responses that came back
_LOOPS, _EMPTY = "degenerate_repetition", "empty_response"
# A label of its own: under the old one the answers that are there would be taken for the mended checkpoint's
_ANOTHER_LABEL = "mend it and run it under another label"
_MEND = f"a fault of conversion or serving (scales, kernels, KV cache), not a measurement; {_ANOTHER_LABEL}"


def dead_reason(facts: TaskFacts, rows: pd.DataFrame) -> str | None:
    """Return why the checkpoint behind score-table rows of one task is dead, ``None`` for one that lives.

    Dead is one of whose responses none is correct, while at least nine in ten repeat one sign or phrase to
    their end, or stop without a word. Failed responses do not count; fewer than five tell nothing. A run
    that was stopped for it says so itself.
    """
    if facts.dead is not None:
        return f"{facts.dead}; {_ANOTHER_LABEL}"
    came = rows[rows["outcome"] != "error"]
    if len(came) < MIN_RESPONSES or (came["score"] > 0).any():
        return None
    flags = came["flags"].astype(object).fillna("").astype(str).str.split(FLAG_SEPARATOR)
    loops = int(flags.map(lambda names: _LOOPS in names).sum())
    silent = came["outcome"] == "no_answer"
    empty = int((flags.map(lambda names: _EMPTY in names) & silent).sum())
    if loops + empty < DEAD_SHARE * len(came):
        return None
    return f"{DEAD}: {_what(loops, empty, len(came))}, none is correct: {_MEND}"


def says_nothing(outcome: str, flags: Collection[str]) -> bool:
    """Return whether one response is as a dead checkpoint's are: one sign or phrase to its end, or no word."""
    return _LOOPS in flags or (_EMPTY in flags and outcome == "no_answer")


def refuse_dead(report: TaskReport, baseline: TaskRun, candidate: TaskRun) -> TaskReport | None:
    """Return the report that says which side is dead and why, without its scores; ``None`` where both live."""
    runs = (("baseline", baseline), ("candidate", candidate))
    found = {side: dead_reason(run.facts, run.frame) for side, run in runs}
    reasons = {side: reason for side, reason in found.items() if reason is not None}
    if not reasons:
        return None
    dead = {side: replace(getattr(report, side), per_epoch=(), pass_at={}, majority=None) for side in reasons}
    words = "; ".join(f"{side}: {reason}" for side, reason in reasons.items())
    return replace(report, reason=words, items=(), by_response_length=(), **dead)


def _what(loops: int, empty: int, n: int) -> str:
    parts = [
        f"{count} of {n} responses {words} ({flag})"
        for count, words, flag in (
            (loops, "repeat one sign or phrase to the end", _LOOPS),
            (empty, "stop without a word", _EMPTY),
        )
        if count
    ]
    return ", ".join(parts)
