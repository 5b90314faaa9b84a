"""Recognise a run that has nothing left to ask and whose log is what asking again would write."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from reports.eval_log import read_eval_log
from reports.log_members import LogError
from reports.manifest import TOGETHER
from verifiers.outcome import Outcome

# What may differ without another answer or another grade of it: when, how fast and where it was asked.
_INDIFFERENT = frozenset(
    (
        "starts",
        "started",
        "finished",
        "log",
        "client",
        "dead",
        "endpoint",
        "max_connections",
        "max_error_rate",
    )
)


def finished_log(
    directory: Path, manifest: Mapping[str, Any], earlier: Mapping[str, Any], n_recorded: int
) -> Path | None:
    """Return the log of an earlier start that holds all of this one, ``None`` where there is work left.

    ``n_recorded`` exchanges are in the journal: a journal taken away is a wish to ask again. A checkout with
    changes never counts as finished: its grading may be what has changed.
    """
    if not earlier.get("finished") or not earlier.get("log") or n_recorded < manifest["expected"]:
        return None
    if str(manifest["git_revision"]).endswith("-dirty"):
        return None
    now = orjson.loads(orjson.dumps(manifest))  # as it would be read back
    if any(now[name] != earlier.get(name) for name in now.keys() - _INDIFFERENT):
        return None
    if now["endpoint"][TOGETHER] != earlier["endpoint"].get(TOGETHER):
        return None  # the log says which servers are to be compared
    log = directory / earlier["log"]
    return log if _is_whole(log, manifest["expected"]) else None


def _is_whole(log: Path, n_expected: int) -> bool:
    """Return whether the log has a graded row for each response; one that cannot be read has none."""
    try:
        frame = read_eval_log(log).frame
    except (LogError, OSError):
        return False
    return len(frame) == n_expected and not (frame["outcome"] == Outcome.ERROR).any()
